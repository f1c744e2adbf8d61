#include "judgement/approval/row.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace belljar::judgement::approval {
namespace {

using storage::Migration;
using storage::Row;
using storage::SealKey;
using storage::Value;

// The large columns are last: SQLite reads a row from its beginning only up to the last column
// needed.
constexpr Migration kApprovalsSchema[] = {
    {1,
     "CREATE TABLE approvals ("
     "  id TEXT PRIMARY KEY,"
     "  caller TEXT NOT NULL,"
     "  digest TEXT NOT NULL,"
     "  session TEXT NOT NULL,"
     "  state TEXT NOT NULL,"
     "  created_ms BIGINT NOT NULL,"
     "  expires_ms BIGINT NOT NULL,"
     "  changed_ms BIGINT NOT NULL,"
     "  answer_by TEXT NOT NULL,"  // empty: no answer
     "  answer_ms BIGINT NOT NULL,"
     "  answer_digest TEXT NOT NULL,"
     "  grant_kind TEXT NOT NULL,"  // empty: no grant
     "  grant_expires_ms BIGINT NOT NULL,"
     "  level TEXT NOT NULL,"
     "  lang TEXT NOT NULL,"
     "  correlation_id TEXT NOT NULL,"
     "  subject_kind BIGINT NOT NULL,"
     "  cut_bytes BIGINT NOT NULL,"
     "  answer_note TEXT NOT NULL,"
     "  reason TEXT NOT NULL,"
     "  risks TEXT NOT NULL,"
     "  touches TEXT NOT NULL,"
     "  wishes TEXT NOT NULL,"
     "  subject TEXT NOT NULL,"
     "  seal $BLOB NOT NULL"
     ");"
     "CREATE INDEX approvals_changed ON approvals (changed_ms);"
     "CREATE INDEX approvals_created ON approvals (created_ms);"
     "CREATE INDEX approvals_caller ON approvals (caller, state, changed_ms);"
     "CREATE INDEX approvals_digest ON approvals (digest, caller);"
     "CREATE INDEX approvals_state ON approvals (state, expires_ms)"}};

enum Column : std::size_t {
  kId,
  kCaller,
  kDigest,
  kSession,
  kState,
  kCreatedMs,
  kExpiresMs,
  kChangedMs,
  kAnswerBy,
  kAnswerMs,
  kAnswerDigest,
  kGrantKind,
  kGrantExpiresMs,
  kLevel,
  kLang,
  kCorrelationId,
  kSubjectKind,
  kCutBytes,
  kAnswerNote,
  kReason,
  kRisks,
  kTouches,
  kWishes,
  kSubject,
  kSeal,
};
static_assert(kSeal + 1 == kRowColumns.size());

// Length-prefixed strings ("5:first6:second"), so that no character needs escaping.
std::string JoinItems(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += fmt::format("{}:{}", item.size(), item);
  return text;
}

// Stops at the first malformed item; only a tampered row has one.
std::vector<std::string> SplitItems(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty() && items.size() < kMaxItems) {
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    const auto digits = static_cast<std::size_t>(end - text.data());
    if (error != std::errc() || digits >= text.size() || *end != ':') break;
    text.remove_prefix(digits + 1);
    if (size > text.size()) break;
    items.emplace_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return items;
}

std::string TextAt(const Row& row, Column column) {
  const auto* const text = std::get_if<std::string>(&row.at(column));
  return text == nullptr ? std::string() : *text;
}

std::int64_t NumberAt(const Row& row, Column column) {
  const auto* const number = std::get_if<std::int64_t>(&row.at(column));
  return number == nullptr ? 0 : *number;
}

// Clamps the time to the years 1970 to 9999, because a tampered row may hold any number.
std::int64_t TimeAt(const Row& row, Column column) {
  constexpr std::int64_t kEndOf9999 = 253'402'300'799'999;
  return std::clamp<std::int64_t>(NumberAt(row, column), 0, kEndOf9999);
}

std::optional<Answer> AnswerAt(const Row& row) {
  Answer answer;
  answer.by = TextAt(row, kAnswerBy);
  if (answer.by.empty()) return std::nullopt;
  answer.at_ms = TimeAt(row, kAnswerMs);
  answer.note = TextAt(row, kAnswerNote);
  answer.digest = TextAt(row, kAnswerDigest);
  if (const auto grant = ParseGrant(TextAt(row, kGrantKind))) answer.grant = *grant;
  answer.grant_expires_ms = TimeAt(row, kGrantExpiresMs);
  return answer;
}

Question QuestionAt(const Row& row) {
  Question question;
  question.id = TextAt(row, kId);
  question.caller = TextAt(row, kCaller);
  question.digest = TextAt(row, kDigest);
  question.session = TextAt(row, kSession);
  question.lang = TextAt(row, kLang);
  question.subject_kind =
      NumberAt(row, kSubjectKind) == 0 ? SubjectKind::kCode : SubjectKind::kCommand;
  question.subject = TextAt(row, kSubject);
  question.cut_bytes = NumberAt(row, kCutBytes);
  question.reason = TextAt(row, kReason);
  question.risks = SplitItems(TextAt(row, kRisks));
  question.touches = SplitItems(TextAt(row, kTouches));
  question.wishes = SplitItems(TextAt(row, kWishes));
  question.level = TextAt(row, kLevel);
  question.correlation_id = TextAt(row, kCorrelationId);
  question.created_ms = TimeAt(row, kCreatedMs);
  question.expires_ms = TimeAt(row, kExpiresMs);
  question.changed_ms = TimeAt(row, kChangedMs);
  question.answer = AnswerAt(row);
  return question;
}

}  // namespace

std::span<const Migration> ApprovalsSchema() { return kApprovalsSchema; }

const std::string& ColumnList() {
  static const std::string list = fmt::format("{}", fmt::join(kRowColumns, ", "));
  return list;
}

std::vector<Value> EncodeRow(const SealKey& key, const Question& question) {
  const Answer answer = question.answer.value_or(Answer());
  std::vector<Value> values = {
      question.id,
      question.caller,
      question.digest,
      question.session,
      std::string(StateName(question.state)),
      question.created_ms,
      question.expires_ms,
      question.changed_ms,
      answer.by,
      answer.at_ms,
      answer.digest,
      answer.grant ? std::string(GrantName(*answer.grant)) : std::string(),
      answer.grant_expires_ms,
      question.level,
      question.lang,
      question.correlation_id,
      static_cast<std::int64_t>(question.subject_kind),
      question.cut_bytes,
      answer.note,
      question.reason,
      JoinItems(question.risks),
      JoinItems(question.touches),
      JoinItems(question.wishes),
      question.subject,
  };
  values.emplace_back(key.Seal(values));
  return values;
}

Question DecodeRow(const SealKey& key, const Row& row) {
  Question question = QuestionAt(row);
  const auto state = ParseState(TextAt(row, kState));
  const bool sealed = key.IsSealed(std::span(row).first(kSeal), row.at(kSeal));
  question.state = sealed && state ? *state : State::kTampered;
  return question;
}

}  // namespace belljar::judgement::approval
