// Questions that a running program brings about: one call of a tool each. The program waits.
#include <fmt/format.h>

#include "audit/hash.h"
#include "base/text.h"
#include "engine/asking.h"

namespace belljar::engine {
namespace {

using approval::Question;
using approval::State;

constexpr int kMostCallsWaiting = 64;

std::string DigestOfCall(const CallQuestion& about) {
  const json::object asked{{"call", "tool"},
                           {"server", about.call.server},
                           {"tool", about.call.tool},
                           {"arguments", about.call.arguments},
                           {"policy", about.terms.name},
                           {"terms", about.terms.content}};
  return audit::Hex(audit::Bytes(audit::Sha256(json::serialize(asked))));
}

approval::NewQuestion QuestionAbout(const CallQuestion& about) {
  approval::NewQuestion question;
  question.caller = about.hooks.origin.caller.empty() ? "local" : about.hooks.origin.caller;
  question.digest = DigestOfCall(about);
  question.session = about.hooks.origin.session_id;
  question.lang = policy::LangName(about.request.lang);
  question.subject_kind = approval::SubjectKind::kCommand;
  question.subject = fmt::format("{}.{} {}", about.call.server, about.call.tool,
                                 json::serialize(about.call.arguments));
  question.reason = about.request.reason;
  question.risks = {"a program that is running wants to make this call, and waits for the answer"};
  question.touches = {fmt::format("calls the tool {} of {}", about.call.tool, about.call.server)};
  question.level = "L4";
  if (!about.terms.approval.own_allowed) question.wishes.emplace_back(kNotByWhoAsks);
  question.correlation_id = about.request.correlation_id;
  question.wait = about.terms.approval.expires;
  return question;
}

struct Counted {
  explicit Counted(std::atomic<int>& what) : count(what) { ++count; }
  ~Counted() { --count; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  std::atomic<int>& count;
};

}  // namespace

Result<> Asking::AskForCall(const CallQuestion& about, const std::stop_token& stop) {
  if (approvals_ == nullptr) {
    return Error(Kind::kDenied,
                 "the policy asks a person about this call, and there is nobody to ask here");
  }
  const Counted counted(calls_waiting_);
  if (calls_waiting_ > kMostCallsWaiting) {
    return Error(Kind::kExhausted, "too many calls are waiting for people already");
  }
  const auto wanted = QuestionAbout(about);
  const auto redeem = [&] {
    return approvals_->Redeem(wanted.caller, wanted.digest, wanted.session);
  };
  auto granted = BJ_TRY(redeem().While("approval"));
  if (!granted) {
    const approval::Asked asked = BJ_TRY(approvals_->Ask(wanted).While("approval"));
    if (asked.is_new) BJ_TRY(Note(asked.question, "asked"));
    if (about.hooks.on_question) about.hooks.on_question(asked.question);
    const auto deadline = std::chrono::steady_clock::now() + wanted.wait;
    Question answered =
        BJ_TRY(approvals_->Wait(asked.question.id, approval::Viewer::Everything(), deadline, stop));
    if (answered.state == State::kWaiting) {
      answered = BJ_TRY(approvals_->Cancel(asked.question.id, wanted.caller, "its run is over"));
    }
    if (answered.state != State::kApproved) {
      return Error(Kind::kDenied,
                   "a person was asked about this call: " + approval::WhyOf(answered));
    }
    granted = BJ_TRY(redeem().While("approval"));
  }
  if (!granted) return Error(Kind::kDenied, "the answer was used by another call that is the same");
  return Note(*granted, "used");
}

}  // namespace belljar::engine
