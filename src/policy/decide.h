// Decide: findings, policy and wishes in, a decision out. A pure function: the same three always
// give the same decision, and a finding more never makes it milder.
#pragma once

#include <string>
#include <vector>

#include "analysis/finding.h"
#include "policy/policy.h"
#include "policy/request.h"

namespace belljar::policy {

// A finding that the policy has something to say about.
struct Judged {
  analysis::Finding finding;
  Action action = Action::kAllow;
};

struct Decision {
  Action action = Action::kAllow;
  analysis::Level level = analysis::Level::kRunsCode;    // L4 until a person has said yes
  analysis::Level runs_at = analysis::Level::kRunsCode;  // after that
  std::vector<std::string> reasons;  // which rules led there, the strictest first
  std::vector<Judged> findings;      // in the order of their places
  std::vector<std::string> wishes;   // that need a person: "120 s of time"
};

// The wishes of a request that a policy has terms for.
struct Wishes {
  std::chrono::milliseconds timeout{0};
  std::uint64_t memory_bytes = 0;
  std::vector<std::string> written_vaults;
  std::vector<std::string> loaders;  // variables by which interpreters load other code
  std::vector<std::string> hosts;    // that it wants to reach
  std::vector<Artefact> artefacts;   // that it wants to read
};
Wishes WishesOf(const Request& request);

// What a policy says to findings of a rule, before its lists of modules and members.
Action ActionFor(const analysis::Rule& rule, const Policy& policy);

Decision Decide(const analysis::Analysis& analysis, const Policy& policy, const Wishes& wishes);

}  // namespace belljar::policy
