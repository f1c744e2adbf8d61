// Asking: the stage between a decision for review and a cell. Nothing runs until a person agreed.
//
// A request is known by its digest: over everything that it would do and the policy it is judged
// by, and nothing else. Who has been granted that digest runs it; otherwise the question is put,
// once however often it is asked, and the answer is waited for as long as the caller wishes.
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

// Among a question's wishes: who asks may not answer.
constexpr std::string_view kNotByWhoAsks = "an answer by somebody else than who asks";

// What must not change between the question and the run.
std::string DigestOf(const request::Request& request, const judgement::policy::Policy& terms);

// A call that a running program wants to make, and whose.
struct CallQuestion {
  const request::Request& request;
  const judgement::policy::Policy& terms;
  const Requester& requester;
  std::string run{};                  // a name that no other run has, whatever its caller calls it
  json::object what{};                // all that a yes is bound to, beside the run
  std::string subject{};              // the same for a person
  std::string touches{};              // in a sentence
  std::chrono::milliseconds wait{0};  // for an answer
};

class Asking {
 public:
  // `source` null: nobody can be asked. `log` null: nothing is recorded. Both must outlive this.
  Asking(ApprovalSource* source, record::Log* log) : source_(source), log_(log) {}

  // Whether a run whose decision is review may go on now; if not, what has become of the question.
  struct Verdict {
    bool granted = false;
    std::optional<judgement::approval::Question> question;
  };
  Result<Verdict> Ask(const Run& run);

  // Returns when a person has agreed to the call; otherwise why not. Waits for `about.wait`, or
  // until `stop`. A yes is for this run: another one asks anew.
  Result<> AskForCall(const CallQuestion& about, const std::stop_token& stop);

  // Shows a run that did not end well to a person. A yes to it lets nothing run: its digest is no
  // request's. Nothing: nobody can be asked, as by a command that asks nothing else.
  Result<std::optional<judgement::approval::Question>> Review(const Run& run);

  // Whoever asks may approve it, as its policy had it.
  static judgement::approval::OwnRequests OwnOf(const judgement::approval::Question& question);

  // The answer of a person, recorded.
  Result<judgement::approval::Question> Approve(const std::string& id,
                                                const judgement::approval::Approval& approval);
  Result<judgement::approval::Question> Deny(const std::string& id, const std::string& by,
                                             const std::string& note);
  Result<judgement::approval::Question> Revoke(const std::string& id, const std::string& by,
                                               const std::string& note);

  // The store; an error where nobody can be asked.
  Result<judgement::approval::Approvals*> Store();

 private:
  Result<> Note(const judgement::approval::Question& question, const std::string& what);
  // Where a question comes from: from somebody with a name.
  Origin Named(Origin origin) const;
  // What has become of a question that is not waited for any more.
  Result<judgement::approval::Question> GiveUp(const judgement::approval::Question& question);
  // The question once it waits no more, at the latest after the time the caller gives it.
  Result<judgement::approval::Question> AwaitAnswer(const judgement::approval::Question& question,
                                                    const Requester& requester);

  ApprovalSource* const source_;
  record::Log* log_;
  std::atomic<int> waiting_{0};  // callers that wait for an answer
  WaitingPlaces calls_waiting_;  // calls of running programs that do
};

}  // namespace belljar::run
