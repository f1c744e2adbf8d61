#include "run/asking.h"

#include <fmt/format.h>

#include <algorithm>

#include "foundation/base/sha256.h"
#include "foundation/base/text.h"
#include "judgement/analysis/rule.h"
#include "request/request_json.h"
#include "run/audit_entry.h"
#include "run/supervise.h"

namespace belljar::run {
namespace {

using judgement::approval::Question;
using judgement::approval::State;

std::string SubjectOf(const request::Request& request) {
  if (request.command.empty()) return request.code;
  std::string line;
  for (const std::string& word : request.command) {
    line += (line.empty() ? "" : " ") + json::serialize(json::string(word));
  }
  return line;
}

// A description of the inputs besides the code, so that the approver sees everything they agree to.
std::vector<std::string> InputsOf(const request::Request& request) {
  constexpr std::size_t kMostNamed = 20;
  std::vector<std::string> inputs;
  for (const request::InputFile& file : request.files) {
    if (inputs.size() == kMostNamed) {
      inputs.push_back(fmt::format("brings {} files in all", request.files.size()));
      break;
    }
    inputs.push_back(fmt::format("brings the file {}, {} bytes", file.path, file.bytes.size()));
  }
  std::string names;
  for (const auto& [name, value] : request.env) names += (names.empty() ? "" : ", ") + name;
  if (!names.empty()) inputs.push_back("sets " + names.substr(0, 512));
  if (!request.args.empty()) inputs.push_back(fmt::format("has {} arguments", request.args.size()));
  if (request.input) {
    inputs.push_back(fmt::format("reads an input of {} bytes", request.stdin_bytes.size()));
  } else if (!request.stdin_bytes.empty()) {
    inputs.push_back(fmt::format("reads {} bytes of standard input", request.stdin_bytes.size()));
  }
  return inputs;
}

judgement::approval::NewQuestion QuestionFor(const request::Request& request,
                                             const judgement::policy::Policy& terms,
                                             const judgement::policy::Decision& decision,
                                             const Origin& origin) {
  judgement::approval::NewQuestion question;
  question.caller = origin.caller;
  question.digest = DigestOf(request, terms);
  question.session = origin.session_id;
  question.lang = request::LangName(request.lang);
  question.subject_kind = request.command.empty() ? judgement::approval::SubjectKind::kCode
                                                  : judgement::approval::SubjectKind::kCommand;
  question.subject = SubjectOf(request);
  question.reason = request.reason;
  question.risks = decision.reasons;
  question.wishes = decision.wishes;
  if (!terms.approval.own_allowed) question.wishes.emplace_back(kNotByWhoAsks);
  question.touches = InputsOf(request);
  for (const request::Vault& vault : request.vaults) {
    question.touches.push_back(fmt::format(
        "{} {}", vault.mode == request::VaultMode::kReadWrite ? "writes" : "reads", vault.host));
  }
  question.level = judgement::analysis::LevelName(decision.runs_at);
  question.correlation_id = request.correlation_id;
  question.wait = terms.approval.expires;
  return question;
}

}  // namespace

std::string DigestOf(const request::Request& request, const judgement::policy::Policy& terms) {
  json::object asked = request::ToJson(request);
  // json::object::erase() moves the last member into the gap, which would change the digest of a
  // request that has a reason; stable_erase() keeps the order.
  asked.stable_erase("id");
  asked.stable_erase("correlation_id");
  asked.stable_erase("reason");
  asked.stable_erase("session");  // stored with the question; the grant says whether it matters
  json::array vaults;
  for (const request::Vault& vault : request.vaults) {
    vaults.push_back({{"host", vault.host}, {"mode", request::VaultModeName(vault.mode)}});
  }
  asked["vaults"] = std::move(vaults);
  asked["policy"] = terms.name;
  asked["terms"] = terms.content;
  asked["rules"] = judgement::analysis::kRuleSetVersion;
  return Hex(Sha256::Of(json::serialize(asked)));
}

Result<> Asking::Note(const Question& question, const std::string& what) {
  if (log_ == nullptr) return {};
  Origin asker;
  asker.caller = question.caller;
  asker.session_id = question.session;
  asker.correlation_id = question.correlation_id;
  record::Entry entry = EntryFrom(record::Event::kApproval, asker);
  entry.outcome = what;
  entry.detail = {{"id", question.id}, {"digest", question.digest}, {"level", question.level}};
  if (question.answer) {
    entry.detail["by"] = question.answer->by;
    entry.detail["note"] = question.answer->note.substr(0, 512);
    if (question.answer->grant)
      entry.detail["grant"] = judgement::approval::GrantName(*question.answer->grant);
  }
  BJ_TRY(log_->Append(entry));
  return {};
}

Result<Question> Asking::AwaitAnswer(const Question& question, const Requester& requester) {
  using Clock = std::chrono::steady_clock;
  constexpr int kMostWaiting = 16;
  constexpr std::chrono::milliseconds kLook{200};
  const auto everything = judgement::approval::Viewer::Everything();
  struct Counted {
    std::atomic<int>& count;
    ~Counted() { --count; }
  } counted{waiting_};
  // Waiting callers occupy request threads, so their number is limited.
  if (++waiting_ > kMostWaiting) return question;
  judgement::approval::Approvals* const approvals = BJ_TRY(Store());
  const auto deadline = Clock::now() + requester.answer_within;
  const auto released = requester.release_slot ? requester.release_slot() : nullptr;
  for (;;) {
    const auto until = std::min(deadline, Clock::now() + kLook);
    Question now = BJ_TRY(approvals->Wait(question.id, everything, until, {}));
    if (now.state != State::kWaiting || Clock::now() >= deadline) return now;
    if (!IsCancelled(requester.cancel)) continue;
    return approvals->Cancel(question.id, question.caller, "its caller has gone");
  }
}

judgement::approval::OwnRequests Asking::OwnOf(const Question& question) {
  const bool other = std::ranges::find(question.wishes, kNotByWhoAsks) != question.wishes.end();
  return other ? judgement::approval::OwnRequests::kRefused
               : judgement::approval::OwnRequests::kAllowed;
}

Result<judgement::approval::Approvals*> Asking::Store() {
  if (source_ != nullptr) return source_->Open();
  return Error(Kind::kUnavailable, "there is nobody to ask here");
}

Origin Asking::Named(Origin origin) const {
  if (origin.caller.empty()) origin.caller = source_->LocalCaller();
  return origin;
}

Result<Asking::Verdict> Asking::Ask(const Run& run) {
  if (source_ == nullptr) return Verdict{};
  judgement::approval::Approvals* const approvals = BJ_TRY(Store());
  const Requester& requester = run.requester;
  const auto wanted = QuestionFor(run.request, *run.policy, run.decision, Named(requester.origin));
  const auto redeem = [&] {
    return approvals->Redeem(wanted.caller, wanted.digest, wanted.session);
  };
  auto granted = BJ_TRY(redeem().While("approval"));
  if (!granted) {
    const judgement::approval::Asked asked = BJ_TRY(approvals->Ask(wanted).While("approval"));
    if (asked.is_new) BJ_TRY(Note(asked.question, "asked"));
    if (requester.observer.on_question) requester.observer.on_question(asked.question);
    if (requester.answer_within.count() == 0) return Verdict{false, asked.question};
    Question answered = BJ_TRY(AwaitAnswer(asked.question, requester));
    if (answered.state != State::kApproved) return Verdict{false, std::move(answered)};
    granted = BJ_TRY(redeem().While("approval"));
    // Another run with the same digest may have used up the grant first.
    if (!granted) return Verdict{false, std::move(answered)};
  }
  BJ_TRY(Note(*granted, "used"));
  return Verdict{true, *std::move(granted)};
}

Result<std::optional<Question>> Asking::Review(const Run& run) {
  judgement::approval::Approvals* const approvals =
      source_ == nullptr ? nullptr : source_->IfOpen();
  if (approvals == nullptr) return std::optional<Question>();
  const RunResult& result = *run.result;
  auto shown = QuestionFor(AsAsked(run), *run.policy, judgement::policy::Decision{},
                           Named(run.requester.origin));
  shown.digest = Hex(Sha256::Of("review " + shown.digest));
  shown.risks = {fmt::format("it ended as {}{}{}", OutcomeName(result.outcome),
                             result.reason.empty() ? "" : ": ", result.reason)};
  if (result.error) shown.risks.push_back(result.error->type + ": " + result.error->message);
  for (std::string& risk : shown.risks) risk = ToValidUtf8(risk.substr(0, 512)).text;
  shown.wishes.emplace_back("to be looked at: a yes lets nothing run");
  const judgement::approval::Asked asked = BJ_TRY(approvals->Ask(shown).While("approval"));
  if (asked.is_new) BJ_TRY(Note(asked.question, "asked"));
  return std::optional<Question>(asked.question);
}

Result<Question> Asking::Approve(const std::string& id,
                                 const judgement::approval::Approval& approval) {
  judgement::approval::Approvals* const approvals = BJ_TRY(Store());
  Question question = BJ_TRY(approvals->Approve(id, approval));
  BJ_TRY(Note(question, "approved"));
  return question;
}

Result<Question> Asking::Revoke(const std::string& id, const std::string& by,
                                const std::string& note) {
  judgement::approval::Approvals* const approvals = BJ_TRY(Store());
  Question question = BJ_TRY(approvals->Revoke(id, by, note));
  BJ_TRY(Note(question, "revoked"));
  return question;
}

Result<Question> Asking::Deny(const std::string& id, const std::string& by,
                              const std::string& note) {
  judgement::approval::Approvals* const approvals = BJ_TRY(Store());
  Question question = BJ_TRY(approvals->Deny(id, by, note));
  BJ_TRY(Note(question, "denied"));
  return question;
}

// Questions caused by a running program: one for each tool call or database write. The program
// waits.
namespace {

std::string DigestOfCall(const CallQuestion& about) {
  json::object asked = about.what;
  asked["run"] = about.run;
  asked["policy"] = about.terms.name;
  asked["terms"] = about.terms.content;
  return Hex(Sha256::Of(json::serialize(asked)));
}

judgement::approval::NewQuestion QuestionAbout(const CallQuestion& about, const Origin& origin) {
  judgement::approval::NewQuestion question;
  question.caller = origin.caller;
  question.digest = DigestOfCall(about);
  question.session = origin.session_id;
  question.lang = request::LangName(about.request.lang);
  question.subject_kind = judgement::approval::SubjectKind::kCommand;
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

// An approval that arrived too late is revoked: its call is over, and an identical later call has
// to ask again.
Result<Question> Asking::GiveUp(const Question& question) {
  judgement::approval::Approvals* const approvals = BJ_TRY(Store());
  auto cancelled = approvals->Cancel(question.id, question.caller, "its call is over");
  if (cancelled) return cancelled;
  const Question now = BJ_TRY(
      approvals->Show(question.id, judgement::approval::Viewer::Everything()).While("approval"));
  if (now.state == State::kWaiting) return cancelled.error();
  if (now.state != State::kApproved) return now;
  return Revoke(question.id, question.caller, "its call was over when the answer came");
}

Result<> Asking::AskForCall(const CallQuestion& about, const std::stop_token& stop) {
  if (source_ == nullptr) {
    return Error(Kind::kDenied,
                 "the policy asks a person about this call, and there is nobody to ask here");
  }
  judgement::approval::Approvals* const approvals = BJ_TRY(Store());
  const auto wanted = QuestionAbout(about, Named(about.requester.origin));
  const WaitingPlaces::Place place = BJ_TRY(calls_waiting_.Take(wanted.caller));
  const auto redeem = [&] {
    return approvals->Redeem(wanted.caller, wanted.digest, wanted.session);
  };
  auto granted = BJ_TRY(redeem().While("approval"));
  if (!granted) {
    const judgement::approval::Asked asked = BJ_TRY(approvals->Ask(wanted).While("approval"));
    if (asked.is_new) BJ_TRY(Note(asked.question, "asked"));
    if (about.requester.observer.on_question) about.requester.observer.on_question(asked.question);
    const auto deadline = std::chrono::steady_clock::now() + wanted.wait;
    const auto& release = about.requester.release_slot;
    const auto released = release ? release() : nullptr;
    Question answered = BJ_TRY(approvals->Wait(
        asked.question.id, judgement::approval::Viewer::Everything(), deadline, stop));
    if (answered.state == State::kWaiting) answered = BJ_TRY(GiveUp(asked.question));
    if (answered.state != State::kApproved) {
      return Error(Kind::kDenied,
                   "a person was asked about this call: " + judgement::approval::WhyOf(answered));
    }
    granted = BJ_TRY(redeem().While("approval"));
  }
  if (!granted) return Error(Kind::kDenied, "the answer was used by another call that is the same");
  return Note(*granted, "used");
}

}  // namespace belljar::run
