// Decide: computes the decision from the findings, the policy and the wishes. A pure function. It
// is monotone: an additional finding never makes the decision milder.
#pragma once

#include <string>
#include <vector>

#include "judgement/analysis/finding.h"
#include "judgement/policy/policy.h"
#include "request/request.h"

namespace belljar::judgement::policy {

// A finding to which the policy assigns an action.
struct Judged {
  analysis::Finding finding;
  Action action = Action::kAllow;
};

struct Decision {
  Action action = Action::kAllow;
  analysis::Level level = analysis::Level::kRunsCode;    // kAsksFirst (L4) until a person approves
  analysis::Level runs_at = analysis::Level::kRunsCode;  // the level after approval
  std::vector<std::string> reasons;  // the rules that led to the action, strictest first
  std::vector<Judged> findings;      // in order of their position in the code
  std::vector<std::string> wishes;   // those that need approval: "120 s of time"
};

// What a request asks for beyond running code, and a policy can restrict.
struct Wishes {
  std::chrono::milliseconds timeout{0};
  std::uint64_t memory_bytes = 0;
  std::vector<std::string> written_vaults;
  std::vector<std::string> loaders;  // environment variables that make interpreters load other code
  std::vector<std::string> hosts;    // hosts to reach
  std::vector<request::Artefact> artefacts;  // artefacts to read
};
Wishes WishesOf(const request::Request& request);

// The policy's action for findings of a rule, before its lists of modules and members are applied.
Action ActionFor(const analysis::Rule& rule, const Policy& policy);

Decision Decide(const analysis::Analysis& analysis, const Policy& policy, const Wishes& wishes);

}  // namespace belljar::judgement::policy
