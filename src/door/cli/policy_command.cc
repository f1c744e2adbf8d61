#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "door/cli/command.h"
#include "foundation/base/quote.h"
#include "judgement/policy/policy_text.h"
#include "run/assessment.h"

namespace belljar::door::cli {
namespace {

struct PolicyArguments {
  std::string which{request::kDefaultLevel};
  std::string subject;
};

// Loads a preset by its name, anything else as a file path.
Result<judgement::policy::Policy> Named(const std::string& which) {
  if (!judgement::policy::PresetText(which).empty())
    return *BJ_TRY(judgement::policy::Preset(which));
  return judgement::policy::ReadPolicyFile(which);
}

Result<int> Show(const PolicyArguments& arguments) {
  const judgement::policy::Policy policy = BJ_TRY(Named(arguments.which));
  fmt::print("# {}\n{}", policy.name, judgement::policy::PolicyText(policy));
  return 0;
}

void ExplainRule(const judgement::policy::Policy& policy, const judgement::analysis::Rule& rule) {
  const auto own = policy.rules.find(rule.id);
  const judgement::policy::Action action =
      own != policy.rules.end()
          ? own->second
          : std::max(policy.classes[static_cast<std::size_t>(rule.rule_class)],
                     policy.severities[static_cast<std::size_t>(rule.severity)]);
  fmt::print("{}: {}\n  {}\n  {}\n  class {}, severity {}\n  {} says {}\n", rule.id, rule.title,
             rule.why, rule.advice, judgement::analysis::ClassName(rule.rule_class),
             judgement::analysis::SeverityName(rule.severity), policy.name,
             judgement::policy::ActionName(action));
}

void ExplainModule(const judgement::policy::Policy& policy, std::string_view language,
                   const judgement::policy::LanguageTerms& terms, const std::string& module) {
  judgement::analysis::Analysis one;
  const bool python = language == "python";
  // os.system is not a module: members of os and sys are judged individually.
  const bool member = python && (module.starts_with("os.") || module.starts_with("sys."));
  const std::string_view rule = member ? "py-member" : python ? "py-import" : "js-import";
  one.findings.push_back({&judgement::analysis::RuleNamed(rule), {}, module, "it is imported"});
  const judgement::policy::Decision decision = judgement::policy::Decide(one, policy, {});
  fmt::print("{} in {}: {}\n", module, language, judgement::policy::ActionName(decision.action));
  const auto risk = terms.risks.find(module);
  if (risk == terms.risks.end()) return;
  fmt::print("  files: {}, network: {}, memory: {}; {}\n", risk->second.files ? "yes" : "no",
             risk->second.network ? "yes" : "no", risk->second.memory ? "yes" : "no",
             risk->second.note);
}

Result<int> Explain(const PolicyArguments& arguments) {
  const judgement::policy::Policy policy = BJ_TRY(Named(arguments.which));
  if (const judgement::analysis::Rule* rule = judgement::analysis::FindRule(arguments.subject)) {
    ExplainRule(policy, *rule);
    return 0;
  }
  if (judgement::analysis::LooksLikeRule(arguments.subject)) {
    const std::string_view nearest = judgement::analysis::NearestRule(arguments.subject);
    return Error(
        Kind::kNotFound,
        fmt::format("there is no rule {}{}", Quote(arguments.subject),
                    nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest)));
  }
  ExplainModule(policy, "python", policy.python, arguments.subject);
  ExplainModule(policy, "javascript", policy.javascript, arguments.subject);
  return 0;
}

Result<int> Test(const PolicyArguments& arguments) {
  const judgement::policy::Policy policy = BJ_TRY(Named(arguments.which));
  const auto examples = policy.own_examples;
  run::Terms terms;
  terms.own = policy;
  run::Assessment assessment(std::move(terms));
  std::size_t failed = 0;
  for (const judgement::policy::Example& example : examples) {
    request::Request request;
    request.lang = example.lang;
    request.code = example.code;
    request.command = example.command;
    const judgement::policy::Decision decision = BJ_TRY(assessment.Decide(request));
    if (decision.action == example.expect) continue;
    ++failed;
    fmt::print("failed: {}: expected {}, got {}{}\n", example.says,
               judgement::policy::ActionName(example.expect),
               judgement::policy::ActionName(decision.action),
               decision.reasons.empty() ? "" : " (" + decision.reasons.front() + ")");
  }
  fmt::print("{} passed, {} failed\n", examples.size() - failed, failed);
  return failed == 0 ? 0 : 1;
}

void AddOne(CLI::App& group, const std::shared_ptr<PolicyArguments>& arguments, int& status,
            const std::string& name, const std::string& does,
            Result<int> (*act)(const PolicyArguments&)) {
  CLI::App* const command = group.add_subcommand(name, does);
  if (name == "explain") {
    command->add_option("SUBJECT", arguments->subject, "a rule or a module")->required();
  }
  command->add_option("POLICY", arguments->which,
                      "strict, standard, relaxed, or a file (standard)");
  command->callback([arguments, act, &status] {
    const auto done = act(*arguments);
    status = done ? *done : Fail(done.error());
  });
}

}  // namespace

void AddPolicyCommand(CLI::App& app, int& status) {
  const auto arguments = std::make_shared<PolicyArguments>();
  CLI::App* const group = app.add_subcommand("policy", "what may run, and under which terms");
  group->require_subcommand(1);
  AddOne(*group, arguments, status, "show", "all of its terms, with those it extends", Show);
  AddOne(*group, arguments, status, "explain", "what it says of a rule or a module", Explain);
  AddOne(*group, arguments, status, "test", "run the examples that it carries", Test);
}

}  // namespace belljar::door::cli
