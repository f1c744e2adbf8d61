#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "door/cli/command.h"
#include "door/cli/ending.h"
#include "door/cli/questions.h"
#include "judgement/approval/describe.h"
#include "judgement/policy/policy.h"
#include "run/asking.h"

namespace belljar::door::cli {
namespace {

struct ApprovalsArguments {
  std::string id, state, note, grant = "once", lasts, which;
  bool json = false;
  bool yes = false;
};

Result<int> List(const ApprovalsArguments& arguments) {
  const auto opened = BJ_TRY(OpenQuestions(arguments.state));
  judgement::approval::Filter filter;
  if (!arguments.which.empty()) {
    filter.state = judgement::approval::ParseState(arguments.which);
    if (!filter.state) {
      return Error(Kind::kInvalid, fmt::format("--only {}: it takes waiting, approved, denied, "
                                               "expired, cancelled or used",
                                               arguments.which));
    }
  }
  const auto questions =
      BJ_TRY(opened.approvals->List(filter, judgement::approval::Viewer::Everything()));
  json::array all;
  for (const auto& question : questions) {
    if (arguments.json) {
      all.push_back(judgement::approval::ToJson(question));
    } else {
      fmt::print("{}\n", judgement::approval::Summarize(question));
    }
  }
  if (arguments.json) PrintObject({{"approvals", std::move(all)}});
  return 0;
}

Result<int> Show(const ApprovalsArguments& arguments) {
  const auto opened = BJ_TRY(OpenQuestions(arguments.state));
  const auto question =
      BJ_TRY(opened.approvals->Show(arguments.id, judgement::approval::Viewer::Everything()));
  if (arguments.json) {
    PrintObject(judgement::approval::ToJson(question));
  } else {
    fmt::print("{}", judgement::approval::Describe(question));
  }
  return 0;
}

Result<judgement::approval::Grant> GrantOf(const ApprovalsArguments& arguments) {
  judgement::approval::Grant grant;
  const auto kind = judgement::approval::ParseGrant(arguments.grant);
  if (!kind) {
    return Error(Kind::kInvalid,
                 fmt::format("--grant {}: it takes once, session or digest", arguments.grant));
  }
  grant.kind = *kind;
  if (!arguments.lasts.empty()) {
    grant.lasts = BJ_TRY(request::ParseDuration(arguments.lasts).While("--for"));
  }
  return grant;
}

int Tell(const ApprovalsArguments& arguments, const judgement::approval::Question& question) {
  if (arguments.json) {
    PrintObject(judgement::approval::ToJson(question));
  } else {
    fmt::print("{}: {}\n", question.id, judgement::approval::WhyOf(question));
  }
  return 0;
}

Result<int> Approve(const ApprovalsArguments& arguments) {
  const auto opened = BJ_TRY(OpenQuestions(arguments.state));
  const auto question =
      BJ_TRY(opened.approvals->Show(arguments.id, judgement::approval::Viewer::Everything()));
  judgement::approval::Approval approval;
  approval.approver = {MyName(), run::Asking::OwnOf(question)};
  approval.grant = BJ_TRY(GrantOf(arguments));
  approval.digest = question.digest;  // approves exactly what was shown
  approval.note = arguments.note;
  if (!arguments.yes && !AtTerminal()) {
    return Error(Kind::kDenied, "not approved: there is no terminal to ask at; --yes says yes");
  }
  if (!arguments.yes && !AgreesAtTerminal(question)) {
    return Error(Kind::kDenied, "not approved: only the full word yes is taken for one");
  }
  return Tell(arguments, BJ_TRY(opened.approvals->Approve(arguments.id, approval)));
}

Result<int> Deny(const ApprovalsArguments& arguments) {
  const auto opened = BJ_TRY(OpenQuestions(arguments.state));
  return Tell(arguments, BJ_TRY(opened.approvals->Deny(arguments.id, MyName(), arguments.note)));
}

Result<int> Revoke(const ApprovalsArguments& arguments) {
  const auto opened = BJ_TRY(OpenQuestions(arguments.state));
  return Tell(arguments, BJ_TRY(opened.approvals->Revoke(arguments.id, MyName(), arguments.note)));
}

using Act = Result<int> (*)(const ApprovalsArguments&);

CLI::App* AddOne(CLI::App& group, const std::shared_ptr<ApprovalsArguments>& arguments, int& status,
                 const std::string& name, const std::string& does, Act act) {
  CLI::App* const command = group.add_subcommand(name, does);
  command->add_option("--state", arguments->state, "the directory that holds the questions");
  command->add_flag("--json", arguments->json, "print JSON");
  command->callback([arguments, act, &status] {
    const auto done = act(*arguments);
    status = done ? *done : Fail(done.error());
  });
  return command;
}

}  // namespace

void AddApprovalsCommand(CLI::App& app, int& status) {
  const auto arguments = std::make_shared<ApprovalsArguments>();
  CLI::App* const group = app.add_subcommand("approvals", "questions that wait for a person");
  group->require_subcommand(1);
  CLI::App* const list = AddOne(*group, arguments, status, "list", "newest first", List);
  list->add_option("--only", arguments->which, "those in that state, such as waiting");
  for (const auto& [name, does, act] :
       {std::tuple{"show", "what is asked, by whom and why", &Show},
        std::tuple{"approve", "say yes", &Approve}, std::tuple{"deny", "say no", &Deny},
        std::tuple{"revoke", "take a yes back that has not been used", &Revoke}}) {
    CLI::App* const one = AddOne(*group, arguments, status, name, does, act);
    one->add_option("ID", arguments->id, "the question")->required();
    if (act == &Show) continue;
    one->add_option("--note", arguments->note, "why");
    if (act != &Approve) continue;
    one->add_option("--grant", arguments->grant,
                    "once, session (again in that session) or digest (again for a time)");
    one->add_option("--for", arguments->lasts, "how long it holds, such as 1h");
    one->add_flag("--yes", arguments->yes, "do not ask at the terminal");
  }
}

}  // namespace belljar::door::cli
