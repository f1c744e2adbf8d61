// Asking: human approval, the stage between a "review" decision and the cell. Nothing runs until a
// person has agreed.
//
// A request is identified by its digest: a hash over everything the request would do and the policy
// it is judged by, and nothing else. A requester who holds a grant for that digest may run it.
// Otherwise a question is created (one, however often the same request arrives), and its answer is
// awaited for as long as the caller wishes.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "foundation/base/json.h"
#include "judgement/approval/approvals.h"
#include "record/log.h"
#include "run/approval_source.h"
#include "run/run.h"
#include "run/waiting_places.h"

namespace belljar::run {

// An entry in a question's wishes: the requester may not answer the question.
constexpr std::string_view kNotByWhoAsks = "an answer by somebody else than who asks";

// Digest over everything that must not change between the question and the run.
std::string DigestOf(const request::Request& request, const judgement::policy::Policy& terms);

// A tool call or database write that a running program wants to make, and the run it belongs to.
struct CallQuestion {
  const request::Request& request;
  const judgement::policy::Policy& terms;
  const Requester& requester;
  std::string run{};                  // unique per run, unlike the id that its caller chose
  json::object what{};                // everything an approval is bound to, besides the run
  std::string subject{};              // the same as text for the approver
  std::string touches{};              // what the call affects, as a sentence
  std::chrono::milliseconds wait{0};  // how long to wait for an answer
};

class Asking {
 public:
  // `source` null: approvals are unavailable. `log` null: nothing is recorded. Both must outlive
  // this.
  Asking(ApprovalSource* source, record::Log* log) : source_(source), log_(log) {}

  // Whether a run with the decision "review" may proceed; if not, the state of its question.
  struct Verdict {
    bool granted = false;
    std::optional<judgement::approval::Question> question;
  };
  Result<Verdict> Ask(const Run& run);

  // Returns once a person has agreed to the call; otherwise an error that says why not. Waits for
  // `about.wait`, or until `stop`. The approval is valid for this run only; another run asks again.
  Result<> AskForCall(const CallQuestion& about, const std::stop_token& stop);

  // Shows a failed run to a person. Approving it permits nothing, because its digest matches no
  // request. Returns nullopt where approvals are unavailable, as in a command that asks for nothing
  // else.
  Result<std::optional<judgement::approval::Question>> Review(const Run& run);

  // Whether the requester may approve its own question, as the policy stated when it was asked.
  static judgement::approval::OwnRequests OwnOf(const judgement::approval::Question& question);

  // Each stores a person's answer and records it in the audit log.
  Result<judgement::approval::Question> Approve(const std::string& id,
                                                const judgement::approval::Approval& approval);
  Result<judgement::approval::Question> Deny(const std::string& id, const std::string& by,
                                             const std::string& note);
  Result<judgement::approval::Question> Revoke(const std::string& id, const std::string& by,
                                               const std::string& note);

  // The store of questions; an error where approvals are unavailable.
  Result<judgement::approval::Approvals*> Store();

 private:
  Result<> Note(const judgement::approval::Question& question, const std::string& what);
  // `origin` with the local caller's name filled in where it names no caller.
  Origin Named(Origin origin) const;
  // Withdraws a question that is no longer waited for, and returns its final state.
  Result<judgement::approval::Question> GiveUp(const judgement::approval::Question& question);
  // Waits until the question is answered, at most for the time that the requester allows, and
  // returns its state.
  Result<judgement::approval::Question> AwaitAnswer(const judgement::approval::Question& question,
                                                    const Requester& requester);

  ApprovalSource* const source_;
  record::Log* log_;
  std::atomic<int> waiting_{0};  // callers waiting for an answer
  WaitingPlaces calls_waiting_;  // waiting slots for calls of running programs
};

}  // namespace belljar::run
