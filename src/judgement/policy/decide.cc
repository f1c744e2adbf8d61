#include "judgement/policy/decide.h"

#include <fmt/format.h>

#include <algorithm>

#include "request/host_pattern.h"
#include "request/limit_fields.h"

namespace belljar::judgement::policy {
namespace {

using analysis::Class;
using analysis::Finding;
using analysis::Language;
using analysis::Level;

constexpr std::size_t kMaxReasons = 20;

const LanguageTerms& TermsFor(const Policy& policy, Language language) {
  return language == Language::kPython ? policy.python : policy.javascript;
}

bool MayImport(const LanguageTerms& terms, std::string_view module) {
  switch (terms.imports) {
    case Imports::kAny:
      return true;
    case Imports::kUnforbidden:
      // The longer match decides: urllib is forbidden, urllib.parse is not.
      return Covers(terms.allowed, module) >= Covers(terms.forbidden, module);
    case Imports::kListed:
      return Covers(terms.allowed, module) > 0;
  }
  return false;
}

bool MayUseMember(const LanguageTerms& terms, std::string_view member) {
  if (terms.imports == Imports::kAny) return true;
  // The longer match decides here too: sys.path may be read, sys.path.insert is forbidden.
  const std::size_t harmless = Covers(terms.members, member);
  return harmless > 0 && Covers(terms.forbidden, member) <= harmless;
}

// Environment variables that make interpreters or the C library load or run other code.
constexpr std::string_view kLoaders[] = {"PYTHONPATH",
                                         "PYTHONSTARTUP",
                                         "PYTHONHOME",
                                         "PYTHONUSERBASE",
                                         "PYTHONBREAKPOINT",
                                         "PYTHONINSPECT",
                                         "PYTHONWARNINGS",
                                         "BASH_ENV",
                                         "ENV",
                                         "SHELLOPTS",
                                         "BASHOPTS",
                                         "PS4",
                                         "PROMPT_COMMAND",
                                         "NODE_OPTIONS",
                                         "NODE_PATH",
                                         "NODE_EXTRA_CA_CERTS",
                                         "PERL5OPT",
                                         "PERL5LIB",
                                         "RUBYOPT",
                                         "PATH",
                                         "GCONV_PATH",
                                         "LOCPATH",
                                         "GLIBC_TUNABLES",
                                         "OPENSSL_CONF",
                                         "OPENSSL_MODULES",
                                         "GIT_SSH",
                                         "GIT_SSH_COMMAND",
                                         "GIT_PAGER",
                                         "GIT_EDITOR",
                                         "GIT_EXTERNAL_DIFF",
                                         "PAGER",
                                         "MANPAGER",
                                         "LESSOPEN",
                                         "EDITOR",
                                         "VISUAL"};

bool IsLoader(std::string_view variable) {
  return variable.starts_with("LD_") || variable.starts_with("BASH_FUNC_") ||
         std::ranges::find(kLoaders, variable) != std::end(kLoaders);
}

// Whether the lists of the policy allow the finding's module or member, so that it needs no action.
bool IsListedHarmless(const Finding& finding, const Policy& policy) {
  const LanguageTerms& terms = TermsFor(policy, finding.rule->language);
  if (finding.rule->rule_class == Class::kImport) return MayImport(terms, finding.subject);
  if (finding.rule->rule_class == Class::kMember) return MayUseMember(terms, finding.subject);
  return false;
}

std::string ReasonFor(const Judged& judged, const Policy& policy) {
  const Finding& finding = judged.finding;
  return fmt::format("{} (line {}): {}; {} says {}", finding.rule->id, finding.place.line,
                     finding.message, policy.name, ActionName(judged.action));
}

void AddWish(Decision& decision, Action action, const Policy& policy, std::string wish) {
  if (action == Action::kAllow) return;
  // Keeps the reasons in order: a stricter reason goes before the milder ones.
  const bool leads = action > decision.action;
  decision.action = std::max(decision.action, action);
  std::string reason = fmt::format("{}; {} says {}", wish, policy.name, ActionName(action));
  decision.reasons.insert(leads ? decision.reasons.begin() : decision.reasons.end(),
                          std::move(reason));
  decision.wishes.push_back(std::move(wish));
}

// Whether the policy opens this host to every request.
bool IsOpen(const std::string& host, const Policy& policy) {
  const auto wanted = request::ParseHostPattern(host);
  if (!wanted) return false;
  return std::ranges::any_of(policy.network.hosts, [&](const std::string& text) {
    const auto open = request::ParseHostPattern(text);
    return open && request::IsWithin(*wanted, *open);
  });
}

// A run that is given hosts may also use the network modules.
bool IsForNetwork(const Finding& finding) {
  if (finding.rule->rule_class == Class::kNetwork) return true;
  return finding.rule->rule_class == Class::kImport &&
         Covers(NetworkModules(finding.rule->language), finding.subject) > 0;
}

void JudgeWishes(const Wishes& wishes, const Policy& policy, Decision& decision) {
  const AskTerms& ask = policy.ask;
  if (wishes.timeout > ask.timeout) {
    AddWish(decision, Action::kReview, policy,
            fmt::format("it asks for {} of time, more than {}",
                        request::ShowLimit(request::Unit::kDuration,
                                           static_cast<std::uint64_t>(wishes.timeout.count())),
                        request::ShowLimit(request::Unit::kDuration,
                                           static_cast<std::uint64_t>(ask.timeout.count()))));
  }
  if (wishes.memory_bytes > ask.memory_bytes) {
    AddWish(decision, Action::kReview, policy,
            fmt::format("it asks for {} of memory, more than {}",
                        request::ShowLimit(request::Unit::kSize, wishes.memory_bytes),
                        request::ShowLimit(request::Unit::kSize, ask.memory_bytes)));
  }
  for (const std::string& name : wishes.loaders) {
    AddWish(decision, ask.loaders, policy, fmt::format("it sets {}, which loads other code", name));
  }
  for (const std::string& vault : wishes.written_vaults) {
    AddWish(decision, ask.vault_writes, policy, fmt::format("it asks to write to {}", vault));
  }
  for (const std::string& host : wishes.hosts) {
    if (IsOpen(host, policy)) continue;
    AddWish(decision, Action::kReview, policy, fmt::format("it asks to reach {}", host));
  }
  for (const request::Artefact& artefact : wishes.artefacts) {
    if (request::IsArtefactOpen(policy.artefacts, artefact)) continue;
    AddWish(decision, Action::kReview, policy,
            fmt::format("it asks for the artefact {}", request::ArtefactText(artefact)));
  }
}

}  // namespace

Action ActionFor(const analysis::Rule& rule, const Policy& policy) {
  const auto severity = static_cast<std::size_t>(rule.severity);
  const auto own = policy.rules.find(rule.id);
  if (own != policy.rules.end()) return own->second;
  return std::max(policy.classes[static_cast<std::size_t>(rule.rule_class)],
                  policy.severities[severity]);
}

Wishes WishesOf(const request::Request& request) {
  Wishes wishes;
  wishes.timeout = request.limits.wall;
  wishes.memory_bytes = request.limits.memory_bytes;
  for (const request::Vault& vault : request.vaults) {
    if (vault.mode == request::VaultMode::kReadWrite) wishes.written_vaults.push_back(vault.host);
  }
  wishes.hosts = request.allow_hosts;
  wishes.artefacts = request.artefacts;
  for (const auto& [name, value] : request.env) {
    if (IsLoader(name)) wishes.loaders.push_back(name);
  }
  return wishes;
}

Decision Decide(const analysis::Analysis& analysis, const Policy& policy, const Wishes& wishes) {
  Decision decision;
  decision.runs_at = std::min(analysis.level, Level::kRunsCode);
  for (const Finding& finding : analysis.findings) {
    if (IsListedHarmless(finding, policy)) continue;
    if (!wishes.hosts.empty() && IsForNetwork(finding)) continue;
    Judged judged{finding, ActionFor(*finding.rule, policy)};
    decision.action = std::max(decision.action, judged.action);
    decision.findings.push_back(std::move(judged));
  }
  std::vector<const Judged*> by_weight;
  for (const Judged& judged : decision.findings) {
    if (judged.action != Action::kAllow) by_weight.push_back(&judged);
  }
  std::ranges::stable_sort(by_weight, std::greater<>(),
                           [](const Judged* judged) { return judged->action; });
  if (by_weight.size() > kMaxReasons) by_weight.resize(kMaxReasons);
  for (const Judged* judged : by_weight) decision.reasons.push_back(ReasonFor(*judged, policy));
  JudgeWishes(wishes, policy, decision);
  decision.level = decision.action >= Action::kReview ? Level::kAsksFirst : decision.runs_at;
  return decision;
}

}  // namespace belljar::judgement::policy
