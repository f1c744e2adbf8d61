// Network: the egress access of one run's or session's cell, and the record of its network calls.
//
// Opened for the hosts of a judged request once its cell has been placed. Ends with the run or the
// session; by then every call is in the log. Calls are recorded as they end, and each is attributed
// to the run in progress at that moment.
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

  // The environment variables that point ordinary HTTP clients at the proxy, and placeholders for
  // secrets.
  const std::map<std::string, std::string>& env() const { return env_; }

  // Attributes calls to that run from now on.
  void BeginRun(const Origin& origin, const std::string& correlation_id);
  // For a session, which has further runs: the run's id no longer identifies this network.
  void EndRun();
  // The number of calls since BeginRun(); calls that are over have been recorded.
  std::uint64_t CallsOfRun() const;
  bool IsOf(const std::string& run_id, const std::optional<std::string>& caller) const;
  // Revokes access that the current policy no longer allows. Hosts that a person has approved
  // beyond the policy stay.
  void Recheck(const Assessment& assessment);
  // The same for a session, where no approvals exist: hosts that its policy does not list are
  // revoked.
  void KeepToPolicy(const Assessment& assessment);
  // Closes every connection and admits no new one. On an error the revocation is in force but was
  // not recorded.
  Result<> Revoke();
  bool revoked() const { return revoked_; }
  // Shuts the listener down for good; when it returns, all calls have been recorded.
  void Close() { listener_->Close(); }

 private:
  explicit Network(record::Log* log) : log_(log) {}
  Result<> Record(std::span<const resource::egress::Call> calls);
  record::Entry EntryFor(json::object detail) const;

  record::Log* log_;
  std::map<std::string, std::string> env_;
  std::string level_;
  std::map<std::string, judgement::policy::Secret> secrets_;  // as they were at Open()
  std::atomic<bool> revoked_{false};
  mutable std::mutex mutex_;  // guards the members below
  bool running_ = false;
  Origin origin_;                    // of the current or the last run
  std::vector<std::string> agreed_;  // hosts approved by a person
  std::uint64_t calls_before_ = 0;
  std::unique_ptr<resource::egress::EgressListener>
      listener_;  // last: its destructor still records calls with the members above
};

// The networks of all current runs and sessions. They share one proxy, which is created when the
// first network is opened.
class Networks {
 public:
  // `log` may be null; assessment and log must outlive this.
  Networks(const Assessment& assessment, const resource::TestSwitches& left_out, record::Log* log)
      : assessment_(assessment), left_out_(left_out), log_(log) {}

  // Opens a network for the hosts of a request. It is rechecked whenever a policy is loaded later.
  Result<std::shared_ptr<Network>> Open(const request::Request& request,
                                        const judgement::policy::NetworkTerms& terms,
                                        const cell::Cell& cell);
  // Checks all open networks against the changed policy.
  void Recheck();
  // Revokes the network of a run in progress. Callers choose run ids and may reuse one: with
  // `caller` set only that caller's runs are affected, otherwise all runs with the id.
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

// The placeholder that the guest sees for a secret. It is the same in every cell, because a
// session's memory may be restored in another cell.
std::string PlaceholderOf(const std::string& secret);

}  // namespace belljar::run
