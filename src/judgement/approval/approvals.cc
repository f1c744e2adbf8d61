#include "judgement/approval/approvals.h"

#include <fmt/format.h>

#include <algorithm>

#include "foundation/base/random_id.h"
#include "judgement/approval/lapse.h"
#include "judgement/approval/row.h"

namespace belljar::judgement::approval {
namespace {

using storage::Row;
using storage::SealKey;
using storage::Value;

constexpr std::size_t kSweptAtOnce = 100;

Error NoSuchQuestion() { return Error(Kind::kNotFound, "there is no such question"); }

Result<std::size_t> CountOf(storage::Database& database, std::string_view sql,
                            std::span<const Value> params) {
  const auto rows = BJ_TRY(database.Query(sql, params));
  const auto* const count =
      rows.empty() ? nullptr : std::get_if<std::int64_t>(&rows.front().front());
  if (count == nullptr) return Error(Kind::kInternal, "the database cannot count questions");
  return static_cast<std::size_t>(*count);
}

// Hides the content of a tampered row from its owner, because it may have been copied from another
// caller's row.
void HideFromOwner(Question& question) {
  Question hidden;
  hidden.id = std::move(question.id);
  hidden.caller = std::move(question.caller);
  hidden.created_ms = question.created_ms;
  hidden.state = State::kTampered;
  question = std::move(hidden);
}

}  // namespace

std::int64_t SystemNow() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

Approvals::Approvals(storage::Database& database, SealKey key, Now now)
    : database_(database), key_(std::move(key)), now_(std::move(now)) {}

Result<std::unique_ptr<Approvals>> Approvals::Open(storage::Database& database,
                                                   const std::string& key_file, Now now) {
  SealKey key = BJ_TRY(SealKey::Load(key_file, "approval"));
  BJ_TRY(database.Migrate("approvals", ApprovalsSchema()));
  return std::unique_ptr<Approvals>(new Approvals(database, std::move(key), std::move(now)));
}

Result<std::vector<Question>> Approvals::Select(std::string_view rest,
                                                std::span<const Value> params) const {
  const auto rows = BJ_TRY(
      database_.Query(fmt::format("SELECT {} FROM approvals {}", ColumnList(), rest), params));
  std::vector<Question> questions;
  questions.reserve(rows.size());
  for (const Row& row : rows) questions.push_back(DecodeRow(key_, row));
  return questions;
}

Result<std::optional<Question>> Approvals::Find(const std::string& id) const {
  // An id that no question can have is not passed to the database.
  constexpr std::size_t kLongestId = 64;
  if (id.size() > kLongestId || !CheckName("the id", id)) return std::optional<Question>();
  const std::vector<Value> key = {id};
  auto found = BJ_TRY(Select("WHERE id = $1", key));
  if (found.empty()) return std::optional<Question>();
  return std::optional(std::move(found.front()));
}

Result<> Approvals::Insert(const Question& question) {
  static const std::string sql = [] {
    std::string places = "$1";
    for (std::size_t i = 2; i <= kRowColumns.size(); ++i) places += fmt::format(", ${}", i);
    return fmt::format("INSERT INTO approvals ({}) VALUES ({})", ColumnList(), places);
  }();
  BJ_TRY(database_.Execute(sql, EncodeRow(key_, question)));
  return {};
}

// The seal identifies the whole row: the UPDATE succeeds only if the row is still as it was read.
Result<> Approvals::Replace(const Question& before, const Question& after) {
  const Answer answer = after.answer.value_or(Answer());
  const std::vector<Value> values = {
      after.id,
      EncodeRow(key_, before).back(),
      EncodeRow(key_, after).back(),
      std::string(StateName(after.state)),
      after.changed_ms,
      answer.by,
      answer.at_ms,
      answer.note,
      answer.digest,
      answer.grant ? std::string(GrantName(*answer.grant)) : std::string(),
      answer.grant_expires_ms,
  };
  const auto touched = BJ_TRY(database_.Execute(
      "UPDATE approvals SET seal = $3, state = $4, changed_ms = $5, answer_by = $6, "
      "answer_ms = $7, answer_note = $8, answer_digest = $9, grant_kind = $10, "
      "grant_expires_ms = $11 WHERE id = $1 AND seal = $2",
      values));
  if (touched == 1) return {};
  return Error(Kind::kUnavailable,
               "the question has just been changed by somebody else: try again");
}

Result<Approvals::Step> Approvals::Apply(const std::string& id, const Change& change) {
  auto found = BJ_TRY(Find(id));
  if (!found) return NoSuchQuestion();
  Step step;
  step.question = std::move(*found);
  if (step.question.state == State::kTampered) {
    step.refusal =
        Error(Kind::kDenied, fmt::format("question {} has been tampered with: its row is not as "
                                         "Belljar wrote it",
                                         id));
    return step;
  }
  const Question before = step.question;
  const std::int64_t now_ms = now_();
  step.ended = IsPastItsTime(before, now_ms);
  if (step.ended) MarkExpired(step.question, now_ms);
  Question changed = step.question;
  step.refusal = change(changed, now_ms);
  if (!step.refusal) step.question = std::move(changed);
  if (step.question == before) return step;
  BJ_TRY(Replace(before, step.question));
  step.stored = true;
  return step;
}

// A refusal does not fail the transaction, so that a state change made on the way, such as an
// expiry, is kept.
Result<Approvals::Step> Approvals::Update(const std::string& id, const Change& change) {
  Step step;
  const auto work = [&]() -> Result<> {
    step = BJ_TRY(Apply(id, change));
    return {};
  };
  BJ_TRY(database_.Transaction(work));
  Announce(std::span(&step, 1));
  return step;
}

Result<Question> Approvals::Settle(const std::string& id, const Change& change) {
  Step step = BJ_TRY(Update(id, change));
  if (step.refusal) return *std::move(step.refusal);
  return std::move(step.question);
}

void Approvals::Announce(std::span<const Step> steps) {
  const std::lock_guard lock(mutex_);
  for (const Step& step : steps) {
    if (!step.stored) continue;
    ++changes_;
    // Bounded, because without calls of Expire() the list would grow forever.
    if (step.ended && ended_.size() < kMostWaiting) ended_.push_back(step.question);
  }
  changed_.notify_all();
}

std::uint64_t Approvals::changes() const {
  const std::lock_guard lock(mutex_);
  return changes_;
}

Result<Asked> Approvals::Ask(const NewQuestion& asked) {
  Question fresh = BJ_TRY(Prepare(asked, now_()).While("ask for an approval"));
  fresh.id = BJ_TRY(RandomId("ap_"));
  BJ_TRY(Sweep());
  std::vector<Step> replaced;
  Asked answer;
  const auto work = [&]() -> Result<> {
    auto standing = BJ_TRY(FindStanding(fresh, replaced));
    if (standing) {
      answer.question = *std::move(standing);
      return {};
    }
    BJ_TRY(CheckRoom(fresh.caller));
    BJ_TRY(Insert(fresh));
    BJ_TRY(TrimEnded(fresh.caller));
    answer = {fresh, true};
    return {};
  };
  BJ_TRY(database_.Transaction(work));
  Announce(replaced);
  return answer;
}

// Returns the waiting question that shows the same as `fresh`; cancels those that show something
// else.
Result<std::optional<Question>> Approvals::FindStanding(const Question& fresh,
                                                        std::vector<Step>& replaced) {
  const std::vector<Value> key = {fresh.caller, fresh.digest, fresh.session};
  const auto found = BJ_TRY(Select(
      "WHERE caller = $1 AND digest = $2 AND session = $3 AND state = 'waiting' LIMIT 100", key));
  for (const Question& question : found) {
    if (question.state != State::kWaiting || IsPastItsTime(question, fresh.created_ms)) continue;
    if (ShowsTheSame(question, fresh)) return std::optional(question);
    Question cancelled = question;
    cancelled.state = State::kCancelled;
    cancelled.changed_ms = fresh.created_ms;
    cancelled.answer.emplace();
    cancelled.answer->by = "belljar";
    cancelled.answer->at_ms = fresh.created_ms;
    cancelled.answer->note = "the same request is judged differently now; see " + fresh.id;
    BJ_TRY(Replace(question, cancelled));
    replaced.push_back({cancelled, std::nullopt, true, true});
  }
  return std::optional<Question>();
}

Result<> Approvals::CheckRoom(const std::string& caller) {
  constexpr std::chrono::seconds kTryAgain{60};
  const std::vector<Value> key = {caller};
  const std::size_t own = BJ_TRY(CountOf(
      database_, "SELECT count(*) FROM approvals WHERE state = 'waiting' AND caller = $1", key));
  if (own >= kMostWaitingOfOne) {
    return Error(Kind::kExhausted,
                 fmt::format("{} questions of this caller wait for a person already", own))
        .RetryAfter(kTryAgain);
  }
  const std::size_t all =
      BJ_TRY(CountOf(database_, "SELECT count(*) FROM approvals WHERE state = 'waiting'", {}));
  if (all < kMostWaiting) return {};
  return Error(Kind::kExhausted, fmt::format("{} questions wait for a person already", all))
      .RetryAfter(kTryAgain);
}

Result<> Approvals::TrimEnded(const std::string& caller) {
  const std::vector<Value> key = {caller, static_cast<std::int64_t>(kMostEndedOfOne)};
  BJ_TRY(database_.Execute(
      "DELETE FROM approvals WHERE id IN (SELECT id FROM approvals WHERE caller = $1 AND state NOT "
      "IN ('waiting', 'approved') ORDER BY changed_ms DESC LIMIT 100 OFFSET $2)",
      key));
  return {};
}

Result<Question> Approvals::Show(const std::string& id, const Viewer& viewer) {
  auto found = BJ_TRY(Find(id));
  if (!found || (viewer.only_of && *viewer.only_of != found->caller)) return NoSuchQuestion();
  if (IsPastItsTime(*found, now_())) {
    Step step = BJ_TRY(Update(id, [](Question&, std::int64_t) { return std::nullopt; }));
    return std::move(step.question);
  }
  if (found->state == State::kTampered && viewer.only_of) HideFromOwner(*found);
  return *std::move(found);
}

Result<std::vector<Question>> Approvals::List(const Filter& filter, const Viewer& viewer) {
  if (filter.state == State::kTampered) {
    return Error(Kind::kInvalid, "tampered questions are found by listing all");
  }
  if (viewer.only_of && !filter.caller.empty() && filter.caller != *viewer.only_of) {
    return std::vector<Question>();
  }
  // A failure to mark expired questions is ignored: they are still shown as expired.
  const auto swept = Sweep();
  static_cast<void>(swept);
  std::int64_t after_ms = 0;
  if (!filter.after.empty()) {
    const Question after = BJ_TRY(Show(filter.after, viewer).While("where the page begins"));
    after_ms = after.created_ms;
  }
  const auto limit = static_cast<std::int64_t>(std::min(filter.limit, kMostListed));
  const std::string state(filter.state ? StateName(*filter.state) : "");
  const std::vector<Value> params = {viewer.only_of.value_or(filter.caller), state, filter.after,
                                     after_ms, limit};
  auto questions =
      BJ_TRY(Select("WHERE ($1 = '' OR caller = $1) AND ($2 = '' OR state = $2) AND ($3 = '' OR "
                    "created_ms < $4 OR (created_ms = $4 AND id COLLATE \"C\" < $3)) "
                    "ORDER BY created_ms DESC, id COLLATE \"C\" DESC LIMIT $5",
                    params));
  for (Question& question : questions) {
    if (IsPastItsTime(question, now_())) MarkExpired(question, now_());
    if (question.state == State::kTampered && viewer.only_of) HideFromOwner(question);
  }
  return questions;
}

Result<Question> Approvals::Wait(const std::string& id, const Viewer& viewer,
                                 std::chrono::steady_clock::time_point deadline,
                                 const std::stop_token& stop) {
  for (;;) {
    const std::uint64_t seen = changes();
    auto found = Show(id, viewer);
    const bool again =
        found ? found->state == State::kWaiting : found.error().kind() == Kind::kUnavailable;
    const auto now = std::chrono::steady_clock::now();
    if (!again || now >= deadline || stop.stop_requested()) return found;
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, stop, std::min(deadline, now + kPoll),
                        [&] { return changes_ != seen; });
  }
}

// Marks a question as expired. A tampered row gets the state 'tampered' without a new seal, so that
// it is not swept again.
Result<> Approvals::End(const Question& question, std::int64_t now_ms, std::vector<Step>& steps) {
  if (question.state == State::kTampered) {
    const std::vector<Value> key = {question.id};
    BJ_TRY(database_.Execute("UPDATE approvals SET state = 'tampered' WHERE id = $1", key));
    return {};
  }
  Question expired = question;
  MarkExpired(expired, now_ms);
  BJ_TRY(Replace(question, expired));
  steps.push_back({std::move(expired), std::nullopt, true, true});
  return {};
}

Result<std::size_t> Approvals::Sweep() {
  const std::int64_t now_ms = now_();
  const std::vector<Value> key = {now_ms, now_ms + kClockSlackMs,
                                  static_cast<std::int64_t>(kSweptAtOnce)};
  constexpr std::string_view kDue =
      "WHERE (state = 'waiting' AND (expires_ms <= $1 OR created_ms > $2)) OR "
      "(state = 'approved' AND (grant_expires_ms <= $1 OR answer_ms > $2)) LIMIT $3";
  const auto any = BJ_TRY(database_.Query(fmt::format("SELECT id FROM approvals {}", kDue), key));
  if (any.empty()) return std::size_t{0};
  std::vector<Step> steps;
  const auto work = [&]() -> Result<> {
    const auto due = BJ_TRY(Select(kDue, key));
    for (const Question& question : due) BJ_TRY(End(question, now_ms, steps));
    return {};
  };
  BJ_TRY(database_.Transaction(work));
  Announce(steps);
  return any.size();
}

Result<std::vector<Question>> Approvals::Expire() {
  for (std::size_t swept = 0; swept < kMostWaiting; swept += kSweptAtOnce) {
    const std::size_t due = BJ_TRY(Sweep());
    if (due < kSweptAtOnce) break;
  }
  const std::vector<Value> key = {now_() - kKept.count()};
  BJ_TRY(database_.Execute(
      "DELETE FROM approvals WHERE changed_ms < $1 AND state NOT IN ('waiting', 'approved')", key));
  const std::lock_guard lock(mutex_);
  return std::exchange(ended_, {});
}

}  // namespace belljar::judgement::approval
