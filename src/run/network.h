// Network: what the cell of one run or session may reach, and the record of what it did there.
//
// Opened for the hosts of a request that has been judged, when its cell has been placed; ends with
// the run or the session, and then every call is in the log. Calls are recorded as they end, each
// as part of the run that goes on at that moment.
//
// Thread-safe.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "cell/backend.h"
#include "record/log.h"
#include "resource/egress/egress.h"
#include "run/assessment.h"
#include "run/options.h"

namespace belljar::run {

class Network {
 public:
  // `log` may be null; both must outlive the network.
  static Result<std::shared_ptr<Network>> Open(resource::egress::Egress& egress,
                                               const cell::Cell& cell,
                                               const request::Request& request,
                                               const judgement::policy::NetworkTerms& terms,
                                               record::Log* log);

  // The variables by which ordinary clients find the proxy, and placeholders of secrets.
  const std::map<std::string, std::string>& env() const { return env_; }

  // From now on calls belong to that run.
  void BeginRun(const Origin& origin, const std::string& correlation_id);
  // Of a session, which has others: from now on the run's id does not stand for it.
  void EndRun();
  // The calls since then; those that are over have been recorded.
  std::uint64_t CallsOfRun() const;
  bool IsOf(const std::string& run_id, const std::optional<std::string>& caller) const;
  // Takes away what the policy does not give any more, as it is now. What a person has agreed to
  // beyond the policy stays.
  void Recheck(const Assessment& assessment);
  // The same for a session, of which nobody was asked: what its policy does not list goes.
  void KeepToPolicy(const Assessment& assessment);
  // Every connection ends, and no new one is let through. An error: it is done, and not recorded.
  Result<> Revoke();
  bool revoked() const { return revoked_; }
  // The same for good; when it returns all calls have been recorded.
  void Close() { listener_->Close(); }

 private:
  explicit Network(record::Log* log) : log_(log) {}
  Result<> Record(std::span<const resource::egress::Call> calls);
  record::Entry EntryFor(json::object detail) const;

  record::Log* log_;
  std::map<std::string, std::string> env_;
  std::string level_;
  std::map<std::string, judgement::policy::Secret> secrets_;  // as they were when it was opened
  std::atomic<bool> revoked_{false};
  mutable std::mutex mutex_;  // guards what follows
  bool running_ = false;
  Origin origin_;                    // of the run that goes on, or was the last
  std::vector<std::string> agreed_;  // hosts that a person has agreed to
  std::uint64_t calls_before_ = 0;
  std::unique_ptr<resource::egress::EgressListener>
      listener_;  // last: its calls are recorded by the rest
};

// The networks of what goes on: of runs, and of sessions. The proxy that they share is made when
// the first of them is opened.
class Networks {
 public:
  // `log` may be null; assessment and log must outlive it.
  Networks(const Assessment& assessment, const resource::TestSwitches& left_out, record::Log* log)
      : assessment_(assessment), left_out_(left_out), log_(log) {}

  // For the hosts of a request. It is held against every policy that is read from then on.
  Result<std::shared_ptr<Network>> Open(const request::Request& request,
                                        const judgement::policy::NetworkTerms& terms,
                                        const cell::Cell& cell);
  // After a change of policy.
  void Recheck();
  // Takes the network of a run away while it goes on. Callers choose ids, and may choose one
  // twice: those of that caller, or of all.
  Result<> Revoke(const std::string& run_id, const std::optional<std::string>& caller);

 private:
  std::vector<std::shared_ptr<Network>> Living();

  const Assessment& assessment_;
  const resource::TestSwitches left_out_;
  record::Log* const log_;
  std::mutex mutex_;
  std::unique_ptr<resource::egress::Egress> egress_;
  std::vector<std::weak_ptr<Network>> following_;
};

// What a placeholder looks like to the guest. The same in every cell: a session's memory may go on
// in another one.
std::string PlaceholderOf(const std::string& secret);

}  // namespace belljar::run
