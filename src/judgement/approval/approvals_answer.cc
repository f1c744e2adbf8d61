#include <fmt/format.h>

#include "judgement/approval/approvals.h"
#include "judgement/approval/lapse.h"
#include "record/entry.h"

namespace belljar::judgement::approval {
namespace {

using storage::Value;

// The error for a question that has been answered or has ended already. It leaves out the note,
// which is another person's text, because errors are printed to a terminal.
Error NoLongerWaits(const Question& question) {
  Question without_note = question;
  if (without_note.answer) without_note.answer->note.clear();
  return Error(Kind::kInvalid,
               fmt::format("question {} waits no more: {}", question.id, WhyOf(without_note)));
}

Result<std::chrono::milliseconds> DurationOf(const Grant& grant) {
  if (grant.lasts.count() == 0) {
    return std::chrono::milliseconds(
        std::chrono::hours(grant.kind == GrantKind::kSession ? 168 : 24));
  }
  if (grant.lasts >= std::chrono::seconds(1) && grant.lasts <= Approvals::kLongestGrant) {
    return grant.lasts;
  }
  return Error(Kind::kInvalid, "a grant lasts for 1 second to 30 days");
}

std::optional<Error> RefuseApproval(const Question& question, const Approval& approval) {
  if (question.state != State::kWaiting) return NoLongerWaits(question);
  if (approval.approver.own == OwnRequests::kRefused && approval.approver.name == question.caller) {
    return Error(Kind::kDenied, "the policy lets nobody approve their own request");
  }
  if (!approval.digest.empty() && approval.digest != question.digest) {
    return Error(Kind::kInvalid,
                 fmt::format("question {} is about another request than the one that was approved: "
                             "its digest is {}",
                             question.id, question.digest));
  }
  if (approval.grant.kind == GrantKind::kSession && question.session.empty()) {
    return Error(Kind::kInvalid, "the request is for no session: approve it once, or its digest");
  }
  return std::nullopt;
}

void Close(Question& question, State state, std::int64_t now_ms, const std::string& by,
           const std::string& note) {
  question.state = state;
  question.changed_ms = now_ms;
  question.answer.emplace();
  question.answer->by = by;
  question.answer->at_ms = now_ms;
  question.answer->note = FitNote(note);
}

// Whether the question's grant covers the request. The caller has already been compared.
bool Covers(const Question& question, const std::string& digest, const std::string& session) {
  if (question.state != State::kApproved || !question.answer || !question.answer->grant) {
    return false;
  }
  if (question.digest != digest || question.answer->digest != digest) return false;
  switch (*question.answer->grant) {
    case GrantKind::kOnce:
      return question.session == session;
    case GrantKind::kSession:
      return !session.empty() && question.session == session;
    case GrantKind::kDigest:
      return true;
  }
  return false;
}

}  // namespace

Result<Question> Approvals::Approve(const std::string& id, const Approval& approval) {
  BJ_TRY(CheckName("the approver", approval.approver.name));
  const std::chrono::milliseconds lasts = BJ_TRY(DurationOf(approval.grant));
  return Settle(id, [&](Question& question, std::int64_t now_ms) -> std::optional<Error> {
    auto refusal = RefuseApproval(question, approval);
    if (refusal) return refusal;
    Close(question, State::kApproved, now_ms, approval.approver.name, approval.note);
    question.answer->digest = question.digest;
    question.answer->grant = approval.grant.kind;
    question.answer->grant_expires_ms = now_ms + lasts.count();
    return std::nullopt;
  });
}

Result<Question> Approvals::Deny(const std::string& id, const std::string& by,
                                 const std::string& note) {
  BJ_TRY(CheckName("the approver", by));
  return Settle(id, [&](Question& question, std::int64_t now_ms) -> std::optional<Error> {
    if (question.state != State::kWaiting) return NoLongerWaits(question);
    Close(question, State::kDenied, now_ms, by, note);
    return std::nullopt;
  });
}

Result<Question> Approvals::Cancel(const std::string& id, const std::string& owner,
                                   const std::string& note) {
  BJ_TRY(CheckName("the caller", owner));
  // Owners are checked by visibility: a question never changes its owner, and to other callers it
  // does not exist, tampered or not.
  BJ_TRY(Show(id, Viewer::Owner(owner)));
  return Settle(id, [&](Question& question, std::int64_t now_ms) -> std::optional<Error> {
    if (question.state != State::kWaiting) return NoLongerWaits(question);
    Close(question, State::kCancelled, now_ms, owner, note);
    return std::nullopt;
  });
}

Result<Question> Approvals::Revoke(const std::string& id, const std::string& by,
                                   const std::string& note) {
  BJ_TRY(CheckName("the approver", by));
  return Settle(id, [&](Question& question, std::int64_t now_ms) -> std::optional<Error> {
    if (question.state != State::kApproved) {
      return Error(Kind::kInvalid, fmt::format("question {} grants nothing that could be taken "
                                               "back: it is {}",
                                               question.id, StateName(question.state)));
    }
    Close(question, State::kDenied, now_ms, by,
          note.empty() ? "taken back" : "taken back: " + note);
    return std::nullopt;
  });
}

Result<std::optional<Question>> Approvals::Redeem(const std::string& caller,
                                                  const std::string& digest,
                                                  const std::string& session) {
  const std::vector<Value> key = {caller, digest, session};
  // Grants for a single run are tried last, so that they are not used up while another grant
  // suffices.
  const auto granted =
      BJ_TRY(Select("WHERE caller = $1 AND digest = $2 AND state = 'approved' AND "
                    "(session = $3 OR grant_kind = 'digest') ORDER BY CASE WHEN grant_kind = "
                    "'once' THEN 1 ELSE 0 END, answer_ms LIMIT 100",
                    key));
  for (const Question& question : granted) {
    if (!Covers(question, digest, session)) continue;
    // Checked again inside the transaction: meanwhile the grant may have been used, withdrawn, or
    // have expired.
    Step step = BJ_TRY(
        Update(question.id, [&](Question& current, std::int64_t now_ms) -> std::optional<Error> {
          if (!Covers(current, digest, session)) return NoLongerWaits(current);
          if (current.answer->grant != GrantKind::kOnce) return std::nullopt;
          current.state = State::kUsed;
          current.changed_ms = now_ms;
          return std::nullopt;
        }));
    if (!step.refusal) return std::optional(std::move(step.question));
  }
  return std::optional<Question>();
}

}  // namespace belljar::judgement::approval
