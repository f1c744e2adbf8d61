// Questions that a running program brings about: one call of a tool, or one
// write to a database, each. The program waits.
#include "base/sha256.h"
#include "base/text.h"
#include "engine/asking.h"

namespace belljar::engine {
namespace {

using approval::Question;
using approval::State;

std::string DigestOfCall(const CallQuestion& about) {
  json::object asked = about.what;
  asked["run"] = about.run;
  asked["policy"] = about.terms.name;
  asked["terms"] = about.terms.content;
  return Hex(Sha256::Of(json::serialize(asked)));
}

approval::NewQuestion QuestionAbout(const CallQuestion& about) {
  approval::NewQuestion question;
  question.caller = about.hooks.origin.caller.empty() ? "local" : about.hooks.origin.caller;
  question.digest = DigestOfCall(about);
  question.session = about.hooks.origin.session_id;
  question.lang = policy::LangName(about.request.lang);
  question.subject_kind = approval::SubjectKind::kCommand;
  question.subject = about.subject;
  question.reason = about.request.reason;
  question.risks = {"a program that is running wants to make this call, and waits for the answer"};
  question.touches = {about.touches};
  question.level = "L4";
  if (!about.terms.approval.own_allowed) question.wishes.emplace_back(kNotByWhoAsks);
  question.correlation_id = about.request.correlation_id;
  question.wait = about.wait;
  return question;
}

}  // namespace

// A yes that came in the last moment is taken back: what it was for is over, and the next call that
// is the same is another one.
Result<Question> Asking::GiveUp(const Question& question) {
  auto cancelled = approvals_->Cancel(question.id, question.caller, "its call is over");
  if (cancelled) return cancelled;
  const Question now =
      BJ_TRY(approvals_->Show(question.id, approval::Viewer::Everything()).While("approval"));
  if (now.state == State::kWaiting) return cancelled.error();
  if (now.state != State::kApproved) return now;
  return Revoke(question.id, question.caller, "its call was over when the answer came");
}

Result<> Asking::AskForCall(const CallQuestion& about, const std::stop_token& stop) {
  if (approvals_ == nullptr) {
    return Error(Kind::kDenied,
                 "the policy asks a person about this call, and there is nobody to ask here");
  }
  const auto wanted = QuestionAbout(about);
  const WaitingPlaces::Place place = BJ_TRY(calls_waiting_.Take(wanted.caller));
  const auto redeem = [&] {
    return approvals_->Redeem(wanted.caller, wanted.digest, wanted.session);
  };
  auto granted = BJ_TRY(redeem().While("approval"));
  if (!granted) {
    const approval::Asked asked = BJ_TRY(approvals_->Ask(wanted).While("approval"));
    if (asked.is_new) BJ_TRY(Note(asked.question, "asked"));
    if (about.hooks.on_question) about.hooks.on_question(asked.question);
    const auto deadline = std::chrono::steady_clock::now() + wanted.wait;
    const auto aside = about.hooks.stand_aside ? about.hooks.stand_aside() : nullptr;
    Question answered =
        BJ_TRY(approvals_->Wait(asked.question.id, approval::Viewer::Everything(), deadline, stop));
    if (answered.state == State::kWaiting) answered = BJ_TRY(GiveUp(asked.question));
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
