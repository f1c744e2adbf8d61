// Rules about git: what a command changes, and which branches a push may change.
#include <fmt/format.h>

#include "judgement/analysis/shell/judge.h"

namespace belljar::judgement::analysis::shell {
namespace {

bool IsProtected(std::string_view branch) {
  if (branch.starts_with('+')) branch.remove_prefix(1);
  if (branch.starts_with("refs/heads/")) branch.remove_prefix(11);
  if (IsListed("main master trunk production prod release releases stable develop default staging "
               "live gh-pages",
               branch)) {
    return true;
  }
  return branch.starts_with("release/") || branch.starts_with("release-") ||
         branch.starts_with("releases/");
}

void ReportPush(Context& context, const Call& call, std::string_view branch) {
  context.Find("sh-git-push-protected", call.place, branch,
               fmt::format("The push may change the branch \"{}\", which others rely on.", branch));
}

// The target of a refspec "source:target"; the whole refspec if it has no colon.
Word TargetOf(const Word& refspec) {
  Word target;
  for (const Piece& piece : refspec.pieces()) {
    const std::size_t colon =
        piece.kind == Piece::Kind::kText ? piece.text.rfind(':') : std::string::npos;
    if (colon == std::string::npos) {
      target.Add(piece);
    } else {
      target = Word::OfText(std::string_view(piece.text).substr(colon + 1));
    }
  }
  return target;
}

// A branch name that is not constant may be a protected branch, unless it has a prefix that no
// protected branch has: "feature/$X".
void CheckUnknownTarget(Context& context, const Call& call, const Word& refspec) {
  if (refspec.IsConstant()) return;
  const Word target = TargetOf(refspec);
  std::string lead = target.Lead();
  if (lead.starts_with('+')) lead.erase(0, 1);
  if (lead.starts_with("refs/heads/")) lead.erase(0, 11);
  if (lead.empty() || IsProtected(lead)) ReportPush(context, call, target.Shown());
}

void CheckPush(Context& context, const Call& call, const Arguments& arguments) {
  const auto& operands = arguments.operands();  // "push", the remote, the branches
  if (arguments.Has("--dry-run") || arguments.Has("-n")) return;
  if (arguments.Has("--all") || arguments.Has("--mirror"))
    return ReportPush(context, call, "(all)");
  const bool tags_only = arguments.Has("--tags") || arguments.Has("--follow-tags");
  if (operands.size() < 3 && !tags_only) return ReportPush(context, call, "(current)");
  for (std::size_t i = 2; i < operands.size(); ++i) {
    const std::string text = operands[i].Constant().value_or("");
    const std::string target =
        text.substr(text.find(':') == std::string::npos ? 0 : text.find(':') + 1);
    const bool current = target == "HEAD" || target == "@";
    if (IsProtected(target) || current) ReportPush(context, call, current ? "(current)" : target);
    CheckUnknownTarget(context, call, operands[i]);
  }
}

// The level of commands that read or write depending on their arguments.
Level MixedGitLevel(const Arguments& arguments, std::string_view command) {
  const auto& operands = arguments.operands();
  const bool lists = operands.size() < 2;
  if (command == "branch" || command == "tag" || command == "remote") {
    const bool asks = arguments.Has(
        "-l --list -a --all -r --remotes -v -vv --show-current --contains "
        "--merged --no-merged --points-at --sort --format -n");
    const bool changes = arguments.Has("-d -D -m -M --delete --move --set-upstream-to -u -f -c -C");
    if (command == "remote" && operands.size() > 1) {
      return IsListed("show get-url", operands[1].Lead()) ? Level::kReads : Level::kWrites;
    }
    return (lists || asks) && !changes ? Level::kReads : Level::kWrites;
  }
  if (command == "stash") {
    return IsListed("list show", arguments.Operand(1)) ? Level::kReads : Level::kWrites;
  }
  if (command == "config") {
    const bool asks = arguments.Has("--get --get-all --list -l --get-regexp --show-origin") ||
                      operands.size() == 2;
    return asks && !arguments.Has("--unset --add -e --edit") ? Level::kReads : Level::kWrites;
  }
  if (command == "worktree" || command == "notes" || command == "bundle" ||
      command == "submodule") {
    return IsListed("list show verify status", arguments.Operand(1)) ? Level::kReads
                                                                     : Level::kWrites;
  }
  return Level::kWrites;
}

Level GitLevel(const Arguments& arguments, std::string_view command) {
  if (IsListed(
          "status log diff show blame shortlog describe rev-parse rev-list ls-files ls-tree "
          "grep cat-file reflog whatchanged name-rev merge-base for-each-ref count-objects fsck "
          "help version var check-ignore check-attr show-ref symbolic-ref diff-tree diff-index "
          "cherry range-diff show-branch verify-commit verify-tag annotate "
          "hash-object get-tar-commit-id difftool merge-tree diff-files",
          command) ||
      command.empty()) {
    return Level::kReads;
  }
  if (IsListed("clone fetch pull push submodule ls-remote remote-update svn lfs filter-branch "
               "bisect send-email daemon instaweb gui",
               command)) {
    return Level::kRunsCode;
  }
  return MixedGitLevel(arguments, command);
}

// True for git push --help and git push -h. The option -h may mean something else in other
// positions.
bool OnlyHelps(const Arguments& outer, const Arguments& inner) {
  const auto& operands = outer.operands();
  return outer.Has("--help -h") || inner.Has("--help") ||
         (operands.size() == 2 && operands[1].Is("-h"));
}

}  // namespace

Level CheckGit(Context& context, const Call& call, const Arguments&) {
  // Options before the subcommand belong to git itself.
  const OptionSpec own{"Cc", "--git-dir --work-tree --namespace --exec-path"};
  const Arguments outer(call.arguments(), own, Arguments::Order::kOptionsFirst);
  std::string command = outer.Operand(0);
  for (const Option& option : outer.options()) {
    const std::string value = option.value.Lead();
    const std::string alias = "alias." + command + "=";
    if (option.name == "-c" && value.starts_with(alias)) command = value.substr(alias.size());
  }
  const std::string_view values =
      command == "push" ? "o"
                        : (command == "commit" ? "mFCct" : (command == "config" ? "f" : "mFbB"));
  const Arguments inner(
      outer.operands(),
      {values, "--message --format --repo --receive-pack --push-option --branch --depth --file"});
  RunByGit(context, call, outer, command);
  if (OnlyHelps(outer, inner)) return Level::kReads;
  if (command == "push") CheckPush(context, call, inner);
  if (command == "config") {
    if (const Option* file = inner.Find("-f --file"))
      CheckWritten(context, file->value, call.place, call.name);
    if (inner.Has("--system"))
      CheckWritten(context, Word::OfText("/etc/gitconfig"), call.place, call.name);
  }
  return GitLevel(inner, command);
}

}  // namespace belljar::judgement::analysis::shell
