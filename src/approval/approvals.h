// Approvals: questions that wait for a person, in a database.
//
// A question outlives the process that asked it: any process that opens the same database with the
// same key can list it, answer it, and wait for its answer. Every change is one transaction that
// reads the row, checks its seal (storage/seal.h) and replaces it only if it is still the row that
// was read; so of several answers exactly one counts, and a grant for one run starts one run,
// whoever races with whom. A row that somebody else wrote or changed is as good as none: it is
// shown as tampered, and it is never sealed anew.
//
// Time. A question past its time is marked as expired by whoever meets it, and stays so: a clock
// that is set back revives nothing that was seen to have ended. What seems to come from the future
// by more than a minute has an age nobody knows, and counts as expired too.
//
// Bounds. A caller has at most kMostWaitingOfOne questions waiting, all together kMostWaiting; who
// asks the same again gets the question that waits already. Ended questions stay for kKept, and the
// newest kMostEndedOfOne of each caller.
//
// Who may answer is not decided here: names are taken as given, from a caller that was let in.
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

#include "approval/question.h"
#include "base/result.h"
#include "storage/database.h"
#include "storage/seal.h"

namespace belljar::approval {

// Milliseconds since 1970.
using Now = std::function<std::int64_t()>;
std::int64_t SystemNow();

// Whether somebody may approve what they have asked for themselves: the policy's word.
enum class OwnRequests { kRefused, kAllowed };

struct Approver {
  std::string name;
  OwnRequests own = OwnRequests::kRefused;
};

struct Grant {
  GrantKind kind = GrantKind::kOnce;
  std::chrono::milliseconds lasts{0};  // 0: kOnce and kDigest a day, kSession a week
};

struct Approval {
  Approver approver;
  Grant grant;
  std::string digest;  // the one that the approver was shown; empty: the question's, unseen
  std::string note;
};

// Whose questions are seen. To a caller those of others are not there.
struct Viewer {
  std::optional<std::string> only_of{};  // none: all, for who may approve

  static Viewer Owner(std::string caller) { return {std::move(caller)}; }
  static Viewer Everything() { return {}; }
};

struct Filter {
  std::string caller{};          // empty: all
  std::optional<State> state{};  // not kTampered: what a tampered row says is no guide to it
  std::size_t limit = 100;       // at most kMostListed
  std::string after{};           // the id of the last one of the page before
};

struct Asked {
  Question question;
  bool is_new = false;  // otherwise it was waiting already
};

class Approvals {
 public:
  static constexpr std::size_t kMostWaitingOfOne = 100;
  static constexpr std::size_t kMostWaiting = 10'000;
  static constexpr std::size_t kMostEndedOfOne = 1'000;
  static constexpr std::size_t kMostListed = 100;
  static constexpr std::chrono::milliseconds kKept = std::chrono::hours(30 * 24);
  static constexpr std::chrono::milliseconds kLongestGrant = std::chrono::hours(30 * 24);
  static constexpr std::chrono::milliseconds kPoll{500};  // for answers of other processes

  // Brings the schema up to date. `key_file` is STATE/approvals.key; processes and machines that
  // share a database need the same one.
  static Result<std::unique_ptr<Approvals>> Open(storage::Database& database,
                                                 const std::string& key_file, Now now = SystemNow);

  // The same caller, digest and session while one waits: that one. But when other risks, another
  // level or anything else but the reason is to be shown, the old one is cancelled for a new one.
  Result<Asked> Ask(const NewQuestion& asked);

  // Each gives the question as it is now, or says why not: kInvalid with what has become of it
  // when it does not wait any more, kDenied for one's own request and for a tampered one.
  Result<Question> Approve(const std::string& id, const Approval& approval);
  Result<Question> Deny(const std::string& id, const std::string& by, const std::string& note);
  Result<Question> Cancel(const std::string& id, const std::string& owner, const std::string& note);
  // Takes an approval back that has not been used up: it is denied from now on.
  Result<Question> Revoke(const std::string& id, const std::string& by, const std::string& note);

  // The approved question that lets `caller` run the request with this digest, if there is one. A
  // grant for one run is used up by it.
  Result<std::optional<Question>> Redeem(const std::string& caller, const std::string& digest,
                                         const std::string& session);

  Result<Question> Show(const std::string& id, const Viewer& viewer);
  // Newest first.
  Result<std::vector<Question>> List(const Filter& filter, const Viewer& viewer);
  // Returns when it waits no more, or as it is at `deadline` or when `stop` is requested. A
  // database that is out of reach for a while is waited for.
  Result<Question> Wait(const std::string& id, const Viewer& viewer,
                        std::chrono::steady_clock::time_point deadline,
                        const std::stop_token& stop);

  // Marks what is past its time, and forgets what ended long ago. Returns everything that this
  // object has ended of itself since the last call: expired questions and grants, and questions
  // that another one has replaced. To be called every few seconds.
  Result<std::vector<Question>> Expire();

 private:
  // Changes a question, or says why not.
  using Change = std::function<std::optional<Error>(Question&, std::int64_t now_ms)>;
  // What has become of one.
  struct Step {
    Question question;
    std::optional<Error> refusal;
    bool stored = false;
    bool ended = false;  // by itself
  };

  Approvals(storage::Database& database, storage::SealKey key, Now now);

  Result<std::vector<Question>> Select(std::string_view rest,
                                       std::span<const storage::Value> params) const;
  Result<std::optional<Question>> Find(const std::string& id) const;
  Result<> Insert(const Question& question);
  Result<> Replace(const Question& before, const Question& after);

  Result<Step> Apply(const std::string& id, const Change& change);  // within a transaction
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

  mutable std::mutex mutex_;  // for what follows
  std::condition_variable_any changed_;
  std::uint64_t changes_ = 0;
  std::vector<Question> ended_;  // of themselves, not yet told by Expire()
};

}  // namespace belljar::approval
