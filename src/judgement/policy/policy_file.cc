// Parses policies from TOML: each table is a list of keys with their readers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "foundation/base/fingerprint.h"
#include "foundation/base/quote.h"
#include "foundation/base/sys.h"
#include "judgement/policy/embedded.h"
#include "judgement/policy/policy.h"
#include "judgement/policy/policy_file_network.h"
#include "judgement/policy/policy_file_tools.h"
#include "judgement/policy/toml_keys.h"

namespace belljar::judgement::policy {
namespace {

constexpr std::size_t kMaxPolicyBytes = 1 << 20;
constexpr std::size_t kMaxExamples = 10'000;

Result<Action> ActionOf(const toml::node& node) {
  const std::string text = BJ_TRY(TextOf(node));
  for (const Action action : {Action::kAllow, Action::kWarn, Action::kReview, Action::kBlock}) {
    if (ActionName(action) == text) return action;
  }
  return Invalid("takes allow, warn, review or block, not {}", Quote(text));
}

Result<Imports> ImportsOf(const toml::node& node) {
  const std::string text = BJ_TRY(TextOf(node));
  for (const Imports imports : {Imports::kAny, Imports::kUnforbidden, Imports::kListed}) {
    if (ImportsName(imports) == text) return imports;
  }
  return Invalid("takes any, unforbidden or listed, not {}", Quote(text));
}

std::vector<KeyOf> ClassKeys(Policy& policy) {
  std::vector<KeyOf> keys;
  for (std::size_t i = 0; i < kClassCount; ++i) {
    keys.push_back(
        {analysis::ClassName(static_cast<analysis::Class>(i)), Into(policy.classes[i], ActionOf)});
  }
  return keys;
}

std::vector<KeyOf> SeverityKeys(Policy& policy) {
  std::vector<KeyOf> keys;
  for (std::size_t i = 0; i < policy.severities.size(); ++i) {
    keys.push_back({analysis::SeverityName(static_cast<analysis::Severity>(i)),
                    Into(policy.severities[i], ActionOf)});
  }
  return keys;
}

std::vector<KeyOf> RuleKeys(Policy& policy) {
  std::vector<KeyOf> keys;
  for (const auto rules :
       {analysis::PythonRules(), analysis::JavaScriptRules(), analysis::ShellRules()}) {
    for (const analysis::Rule& rule : rules) {
      keys.push_back({rule.id, [&policy, id = rule.id](const toml::node& node) -> Result<> {
                        policy.rules[std::string(id)] = BJ_TRY(ActionOf(node));
                        return {};
                      }});
    }
  }
  return keys;
}

std::vector<KeyOf> LanguageKeys(LanguageTerms& terms) {
  return {{"imports", Into(terms.imports, ImportsOf)},
          {"forbidden", Into(terms.forbidden, TextsOf)},
          {"allowed", Into(terms.allowed, TextsOf)},
          {"members", Into(terms.members, TextsOf)}};
}

std::vector<KeyOf> PythonKeys(LanguageTerms& terms) {
  std::vector<KeyOf> keys = LanguageKeys(terms);
  keys.push_back({"guard", Into(terms.guard, FlagOf)});
  return keys;
}

Result<bool> OwnOf(const toml::node& node) {
  const std::string text = BJ_TRY(TextOf(node));
  if (text != "allow" && text != "deny") return Invalid("takes allow or deny, not {}", Quote(text));
  return text == "allow";
}

// Parses { files = false, network = false, memory = true, note = "…" }. All four are required, so
// that none is forgotten.
Result<ModuleRisk> RiskOf(const toml::node& node) {
  const auto* table = node.as_table();
  if (table == nullptr) return Invalid("takes a table with files, network, memory and note");
  ModuleRisk risk;
  BJ_TRY(ReadTable(*table, "",
                   {{"files", Into(risk.files, FlagOf)},
                    {"network", Into(risk.network, FlagOf)},
                    {"memory", Into(risk.memory, FlagOf)},
                    {"note", Into(risk.note, TextOf)}}));
  if (table->size() != 4) return Invalid("needs files, network, memory and note");
  if (risk.note.empty()) return Invalid("needs a note that says what the module brings");
  return risk;
}

Result<> ReadRisks(const toml::node& node, std::map<std::string, ModuleRisk>& risks) {
  const auto* table = node.as_table();
  if (table == nullptr) return Invalid("is a table of modules");
  for (const auto& [key, value] : *table) {
    const std::string name(key.str());
    risks[name] = BJ_TRY(RiskOf(value).While(Quote(name)));
  }
  return {};
}

std::vector<KeyOf> ModuleKeys(Policy& policy) {
  return {{"python", [&](const toml::node& node) { return ReadRisks(node, policy.python.risks); }},
          {"javascript",
           [&](const toml::node& node) { return ReadRisks(node, policy.javascript.risks); }}};
}

Result<std::vector<std::string>> OutcomesOf(const toml::node& node) {
  auto names = BJ_TRY(TextsOf(node));
  for (const std::string& name : names) {
    if (std::ranges::find(kRecoverable, name) != kRecoverable.end()) continue;
    return Invalid("takes outcomes, of {}; not {}", fmt::join(kRecoverable, ", "), Quote(name));
  }
  return names;
}

Result<std::vector<std::string>> ArtefactsOf(const toml::node& node) {
  auto patterns = BJ_TRY(TextsOf(node));
  for (const std::string& pattern : patterns) BJ_TRY(request::ValidateArtefactPattern(pattern));
  return patterns;
}

Result<std::vector<std::string>> AlertsOf(const toml::node& node) {
  constexpr std::size_t kMostPlaces = 8;
  std::vector<std::string> places = BJ_TRY(TextsOf(node));
  if (places.size() > kMostPlaces) return Invalid("takes at most {} places", kMostPlaces);
  for (const std::string& place : places) {
    if (place == "log" || place.starts_with("http://") || place.starts_with("https://")) continue;
    return Invalid("takes \"log\" and addresses that begin with http:// or https://, not {}",
                   Quote(place));
  }
  return places;
}

std::vector<KeyOf> RecoveryKeys(RecoveryTerms& terms) {
  return {{"on", Into(terms.on, OutcomesOf)},
          {"fallback", Into(terms.fallback, FlagOf)},
          {"review", Into(terms.review, FlagOf)},
          {"rollback", Into(terms.rollback, FlagOf)},
          {"alert", Into(terms.alert, AlertsOf)}};
}

// Parses [callers.NAME.recovery].
Result<> ReadCallers(const toml::node& node, Policy& policy) {
  constexpr std::size_t kMostCallers = 1'000;
  const auto* table = node.as_table();
  if (table == nullptr || table->size() > kMostCallers) {
    return Invalid("is a table of at most {} callers: [callers.NAME.recovery]", kMostCallers);
  }
  for (const auto& [key, value] : *table) {
    const std::string name(key.str());
    RecoveryTerms terms;
    const auto read =
        Below("callers." + name,
              {{"recovery", Below("callers." + name + ".recovery", RecoveryKeys(terms))}});
    BJ_TRY(read(value));
    policy.recovery_of[name] = std::move(terms);
  }
  return {};
}

Result<> ReadExample(const toml::node& node, Policy& policy) {
  const auto* table = node.as_table();
  if (table == nullptr) return Invalid("takes tables: [[examples]]");
  Example example;
  std::optional<Action> expect;
  const auto read_expect = [&](const toml::node& given) -> Result<> {
    expect = BJ_TRY(ActionOf(given));
    return {};
  };
  BJ_TRY(ReadTable(*table, "examples",
                   {{"says", Into(example.says, TextOf)},
                    {"lang", ParsedInto(example.lang, request::ParseLang)},
                    {"code", Into(example.code, TextOf)},
                    {"command", Into(example.command, TextsOf)},
                    {"expect", read_expect}}));
  if (!expect || example.says.empty()) return Invalid("needs \"says\" and \"expect\"");
  example.expect = *expect;
  policy.own_examples.push_back(std::move(example));
  return {};
}

Result<> ReadExamples(const toml::node& node, Policy& policy) {
  const auto* array = node.as_array();
  if (array == nullptr || array->size() > kMaxExamples) {
    return Invalid("takes tables: [[examples]], at most {}", kMaxExamples);
  }
  for (const toml::node& element : *array) BJ_TRY(ReadExample(element, policy));
  return {};
}

std::vector<KeyOf> TopKeys(Policy& policy) {
  const auto ignored = [](const toml::node&) -> Result<> { return {}; };
  return {
      {"extends", ignored},  // already applied by BaseOf
      {"description", Into(policy.description, TextOf)},
      {"backend", ParsedInto(policy.backend, request::ParseBackend)},
      {"strict_gvisor", Into(policy.strict_gvisor, FlagOf)},
      {"classes", Below("classes", ClassKeys(policy))},
      {"severities", Below("severities", SeverityKeys(policy))},
      {"rules", Below("rules", RuleKeys(policy))},
      {"python", Below("python", PythonKeys(policy.python))},
      {"javascript", Below("javascript", LanguageKeys(policy.javascript))},
      {"ask", Below("ask", {{"timeout", QuantityInto(policy.ask.timeout, request::ParseDuration)},
                            {"memory", QuantityInto(policy.ask.memory_bytes, request::ParseSize)},
                            {"vault-writes", Into(policy.ask.vault_writes, ActionOf)},
                            {"loaders", Into(policy.ask.loaders, ActionOf)}})},
      {"approval", Below("approval", {{"own", Into(policy.approval.own_allowed, OwnOf)},
                                      {"expires", QuantityInto(policy.approval.expires,
                                                               request::ParseDuration)}})},
      {"redact", Below("redact", {{"credentials", Into(policy.redact.credentials, FlagOf)},
                                  {"personal", Into(policy.redact.personal, FlagOf)},
                                  {"machines", Into(policy.redact.machines, FlagOf)}})},
      {"recovery", Below("recovery", RecoveryKeys(policy.recovery))},
      {"network", Below("network", NetworkKeys(policy.network))},
      {"artefacts", Below("artefacts", {{"allow", Into(policy.artefacts, ArtefactsOf)}})},
      {"secrets", [&](const toml::node& node) { return ReadSecrets(node, policy.network); }},
      {"callers", [&](const toml::node& node) { return ReadCallers(node, policy); }},
      {"modules", Below("modules", ModuleKeys(policy))},
      {"tools", [&](const toml::node& node) { return ReadTools(node, policy); }},
      {"databases", [&](const toml::node& node) { return ReadDatabases(node, policy); }},
      {"examples", [&](const toml::node& node) { return ReadExamples(node, policy); }},
  };
}

Result<> CheckNotes(const LanguageTerms& terms, std::string_view language) {
  for (const std::string& module : terms.allowed) {
    if (terms.risks.contains(module)) continue;
    return Invalid(
        "[{0}]: {1} is allowed without a note of what it brings; add to [modules.{0}]: "
        "{1} = {{ files = …, network = …, memory = …, note = \"…\" }}",
        language, Quote(module));
  }
  return {};
}

Result<toml::table> ParseTable(std::string_view text) {
  toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    return Invalid("line {}: {}", parsed.error().source().begin.line,
                   std::string(parsed.error().description()));
  }
  return std::move(parsed).table();
}

// The policy that a file starts from: the preset it extends; without one, an empty policy with the
// built-in descriptions of modules.
Result<Policy> BaseOf(const toml::table& table) {
  if (const toml::node* extends = table.get("extends")) {
    const std::string name = BJ_TRY(TextOf(*extends).While("\"extends\""));
    const Policy* base = BJ_TRY(Preset(name).While("\"extends\""));
    Policy policy = *base;
    policy.own_examples.clear();
    return policy;
  }
  Policy policy;
  const toml::table modules = BJ_TRY(ParseTable(ModulesToml()));
  BJ_TRY(ReadTable(modules, "modules", ModuleKeys(policy)).While("modules.toml"));
  return policy;
}

}  // namespace

Result<Policy> ParsePolicy(std::string_view toml_text, const std::string& name) {
  const auto read = [&]() -> Result<Policy> {
    const toml::table table = BJ_TRY(ParseTable(toml_text));
    Policy policy = BJ_TRY(BaseOf(table));
    BJ_TRY(ReadTable(table, "", TopKeys(policy)));
    AllowToolsModule(policy);
    BJ_TRY(CheckNotes(policy.python, "python"));
    BJ_TRY(CheckNotes(policy.javascript, "javascript"));
    policy.name = name;
    Fingerprint content;
    content.Add(policy.content);  // the content of the preset it extends
    content.Add(toml_text);
    policy.content = content.Text();
    policy.text = toml_text;
    return policy;
  };
  return read().While(fmt::format("policy {}", name));
}

Result<Policy> ReadPolicyFile(const std::string& path) {
  const std::string text = BJ_TRY(ReadFile(path, kMaxPolicyBytes));
  return ParsePolicy(text, path);
}

}  // namespace belljar::judgement::policy
