// Approvals: questions that wait for a person's answer, stored in a database.
//
// A question outlives the process that asked it: any process that opens the same database with the
// same key can list it, answer it, and wait for its answer. Every change is one transaction that
// reads the row, checks its seal (storage/seal.h) and replaces it only if it has not changed since
// (compare-and-swap on the seal). So exactly one of several concurrent answers counts, and a grant
// for one run starts exactly one run. A row that another program inserted or changed has no valid
// seal: it is shown as tampered, grants nothing, and is never sealed anew.
//
// Time. An operation that finds a question past its time marks it as expired, permanently: setting
// the clock back does not revive it. A question or grant dated more than a minute in the future has
// an unknown age and counts as expired too.
//
// Bounds. A caller has at most kMostWaitingOfOne questions waiting, all callers together
// kMostWaiting; asking the same again returns the question that waits already. Ended questions are
// kept for kKept, and at most the newest kMostEndedOfOne of each caller.
//
// This class does not decide who may answer: it takes the names that its caller has authenticated.
//
// Thread-safe. The database must outlive it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "foundation/storage/database.h"
#include "foundation/storage/seal.h"
#include "judgement/approval/question.h"

namespace belljar::judgement::approval {

// Milliseconds since 1970.
using Now = std::function<std::int64_t()>;
std::int64_t SystemNow();

// Whether the policy lets an approver approve their own requests.
enum class OwnRequests { kRefused, kAllowed };

struct Approver {
  std::string name;
  OwnRequests own = OwnRequests::kRefused;
};

struct Grant {
  GrantKind kind = GrantKind::kOnce;
  // 0 means the default: a day for kOnce and kDigest, a week for kSession
  std::chrono::milliseconds lasts{0};
};

struct Approval {
  Approver approver;
  Grant grant;
  std::string digest;  // the digest that the approver was shown; empty: use the question's own
  std::string note;
};

// Whose questions are visible. To a caller, the questions of other callers do not exist.
struct Viewer {
  std::optional<std::string> only_of{};  // nullopt: all questions, for approvers

  static Viewer Owner(std::string caller) { return {std::move(caller)}; }
  static Viewer Everything() { return {}; }
};

struct Filter {
  std::string caller{};          // empty: all callers
  std::optional<State> state{};  // not kTampered: the state in a tampered row cannot be trusted
  std::size_t limit = 100;       // at most kMostListed
  std::string after{};           // the id of the last question of the previous page
};

struct Asked {
  Question question;
  bool is_new = false;  // false: it was waiting already
};

class Approvals {
 public:
  static constexpr std::size_t kMostWaitingOfOne = 100;
  static constexpr std::size_t kMostWaiting = 10'000;
  static constexpr std::size_t kMostEndedOfOne = 1'000;
  static constexpr std::size_t kMostListed = 100;
  static constexpr std::chrono::milliseconds kKept = std::chrono::hours(30 * 24);
  static constexpr std::chrono::milliseconds kLongestGrant = std::chrono::hours(30 * 24);
  // The polling interval for answers from other processes.
  static constexpr std::chrono::milliseconds kPoll{500};

  // Migrates the schema. `key_file` is STATE/approvals.key; all processes and machines that share a
  // database need the same key.
  static Result<std::unique_ptr<Approvals>> Open(storage::Database& database,
                                                 const std::string& key_file, Now now = SystemNow);

  // Asks a question. If the same caller, digest and session has a question waiting that shows the
  // same (apart from the reason), that one is returned. If it would show something else, such as
  // other risks or another level, it is cancelled and a new one takes its place.
  Result<Asked> Ask(const NewQuestion& asked);

  // Each returns the question in its new state, or an error: kInvalid, with the current state, when
  // it no longer waits; kDenied for one's own request and for a tampered question.
  Result<Question> Approve(const std::string& id, const Approval& approval);
  Result<Question> Deny(const std::string& id, const std::string& by, const std::string& note);
  Result<Question> Cancel(const std::string& id, const std::string& owner, const std::string& note);
  // Withdraws an approval that has not been used up; the question is denied from then on.
  Result<Question> Revoke(const std::string& id, const std::string& by, const std::string& note);

  // Returns the approved question that lets `caller` run the request with this digest, if there is
  // one. A grant for one run is used up by this call.
  Result<std::optional<Question>> Redeem(const std::string& caller, const std::string& digest,
                                         const std::string& session);

  Result<Question> Show(const std::string& id, const Viewer& viewer);
  // The matching questions, newest first.
  Result<std::vector<Question>> List(const Filter& filter, const Viewer& viewer);
  // Blocks until the question no longer waits, until `deadline`, or until `stop` is requested;
  // returns its current state. While the database is unreachable, it keeps trying.
  Result<Question> Wait(const std::string& id, const Viewer& viewer,
                        std::chrono::steady_clock::time_point deadline,
                        const std::stop_token& stop);

  // Marks expired questions and grants, and deletes those that ended long ago. Returns all
  // questions that ended without a person since the last call: expired ones, and those replaced by
  // a newer question. To be called every few seconds.
  Result<std::vector<Question>> Expire();

 private:
  // Modifies a question, or returns the reason why it may not be modified.
  using Change = std::function<std::optional<Error>(Question&, std::int64_t now_ms)>;
  // The result of applying a Change.
  struct Step {
    Question question;
    std::optional<Error> refusal;
    bool stored = false;
    bool ended = false;  // expired or replaced, not ended by a person
  };

  Approvals(storage::Database& database, storage::SealKey key, Now now);

  Result<std::vector<Question>> Select(std::string_view rest,
                                       std::span<const storage::Value> params) const;
  Result<std::optional<Question>> Find(const std::string& id) const;
  Result<> Insert(const Question& question);
  Result<> Replace(const Question& before, const Question& after);

  Result<Step> Apply(const std::string& id, const Change& change);  // called within a transaction
  Result<Step> Update(const std::string& id, const Change& change);
  Result<Question> Settle(const std::string& id, const Change& change);
  void Announce(std::span<const Step> steps);

  Result<std::optional<Question>> FindStanding(const Question& fresh, std::vector<Step>& replaced);
  Result<> CheckRoom(const std::string& caller);
  Result<> TrimEnded(const std::string& caller);
  Result<std::size_t> Sweep();
  Result<> End(const Question& question, std::int64_t now_ms, std::vector<Step>& steps);
  std::uint64_t changes() const;

  storage::Database& database_;
  const storage::SealKey key_;
  const Now now_;

  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable_any changed_;
  std::uint64_t changes_ = 0;
  std::vector<Question> ended_;  // ended without a person, and not yet returned by Expire()
};

}  // namespace belljar::judgement::approval
