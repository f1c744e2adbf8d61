// Rules about package managers.
#include <fmt/format.h>

#include <algorithm>

#include "judgement/analysis/shell/judge.h"

namespace belljar::judgement::analysis::shell {
namespace {

// The subcommands and flags by which each tool changes what is installed.
struct PackageTool {
  std::string_view names;
  std::string_view verbs;
  std::string_view flags;
};
constexpr PackageTool kTools[] = {
    {"apt apt-get aptitude dnf dnf5 yum microdnf zypper tdnf",
     "install reinstall remove purge upgrade dist-upgrade full-upgrade autoremove update in rm up "
     "groupinstall localinstall build-dep downgrade erase module dup patch refresh satisfy "
     "safe-upgrade",
     ""},
    {"brew port snap flatpak eopkg mas",
     "install reinstall uninstall upgrade update remove tap refresh rm cask", ""},
    {"apk pkg pkgin", "add del upgrade update fix install delete remove", ""},
    {"opkg ipkg nala apt-fast pkcon pisi tazpkg equo kiss yast pkgman cards",
     "install reinstall remove purge upgrade update full-upgrade autoremove refresh download "
     "get-install -i b i",
     ""},
    {"pixi spack pear pecl bower ghcup pyenv rbenv nodenv fnm sdk proto cave raco",
     "install add remove uninstall upgrade update pkg resolve", ""},
    {"tce-load sbopkg", "", "-i -w"},
    {"pip pip2 pip3 pipx conda mamba micromamba",
     "install uninstall upgrade update remove inject create add", ""},
    {"poetry pipenv pdm rye hatch", "install add remove update sync", ""},
    {"uv", "add sync remove install", ""},
    {"npm cnpm",
     "install i ci add in ins isntall uninstall remove rm un update up upgrade link clean-install "
     "it install-test",
     ""},
    {"yarn", "add install remove upgrade up global import link dlx", ""},
    {"pnpm bun", "add install i remove rm update up link dlx", ""},
    {"gem", "install uninstall update", ""},
    {"bundle bundler", "install update add", ""},
    {"cargo", "install uninstall add", ""},
    {"go", "install get", ""},
    {"composer", "install require update remove global create-project", ""},
    {"luarocks opam cabal stack choco scoop winget nuget tlmgr vcpkg conan asdf mise volta nvm "
     "rebar3 xbps-install swupd",
     "install add remove uninstall upgrade update", ""},
    {"rustup", "install update default toolchain component target self", ""},
    {"helm", "install upgrade uninstall delete rollback repo", ""},
    {"dotnet", "add tool workload", ""},
    {"mix", "deps.get archive.install local.hex", ""},
    {"nix", "profile", ""},
    {"guix rpm-ostree slackpkg", "install package upgrade remove", ""},
    {"nix-env", "", "-i -u -e --install --upgrade --uninstall"},
    {"rpm", "", "-i -U -F -e --install --upgrade --erase --import --freshen"},
    {"dpkg", "", "-i -r -P --install --remove --purge --configure --unpack"},
    {"softwareupdate", "", "-i --install"},
    {"corepack", "enable prepare install", ""},
};

void ReportInstall(Context& context, const Call& call, std::string_view verb) {
  context.Find("sh-package-install", call.place, call.name,
               fmt::format("\"{} {}\" changes what is installed.", call.name, verb));
}

// Tools that install their operands without a subcommand.
bool InstallsAnyway(std::string_view name) {
  return IsListed(
      "cpan cpanm easy_install emerge pkg_add installpkg gdebi urpmi yay paru xbps-remove sorcery",
      name);
}

// True for commands that download and run whatever package currently has the name: npx -y x, npm
// create x, pipx run x. Without -y, npx usually runs an installed package.
bool FetchesToRun(std::string_view name, std::string_view verb, const Arguments& arguments) {
  if (verb.empty()) return false;
  if (name == "uvx" || name == "bunx") return true;
  if (name == "pipx") return verb == "run";
  if (name == "npm") return IsListed("create init exec x", verb) && !arguments.Operand(1).empty();
  if (name == "yarn" || name == "bun") return verb == "create" || verb == "x";
  if (name == "uv") return verb == "tool" && arguments.Operand(1) == "run";
  const bool named = verb.starts_with("create-") || verb.find('@', 1) != verb.npos;
  return name == "npx" && (named || arguments.Has("-y --yes -p --package"));
}

// Queries about installed packages that need no registry.
struct Question {
  std::string_view names;
  std::string_view verbs;
  std::string_view except = "";  // options that make it query a registry
};
constexpr Question kQuestions[] = {
    {"apt", "list show search policy depends rdepends"},
    {"pip pip2 pip3", "list show freeze check inspect", "-o --outdated -u --uptodate"},
    {"pipx", "list"},
    {"conda mamba micromamba", "list info"},
    {"npm pnpm cnpm", "ls list ll la root prefix"},
    {"yarn", "list why"},
    {"gem", "list contents environment which", "-r --remote -b --both -a --all"},
    {"bundle bundler", "list show"},
    {"composer", "show licenses", "-o --outdated -l --latest -a --all"},
    {"poetry", "show", "-o --outdated -l --latest"},
    {"brew", "list ls leaves deps"},
    {"snap flatpak", "list"},
    {"apk", "info list policy"},
    {"opkg ipkg", "list-installed files status info"},
    {"rustup", "show which"},
    {"luarocks opam", "list show"},
};

bool OnlyLists(std::string_view name, std::string_view verb, const Arguments& arguments) {
  if (name == "dpkg") return arguments.Has("-l -L -s -S -p --list --listfiles --status --search");
  if (name == "rpm") return arguments.Has("-q --query");
  if (verb.empty()) return arguments.Has("--version");
  if (name == "uv" && verb == "pip") {
    return IsListed("list show freeze check", arguments.Operand(1));
  }
  for (const Question& question : kQuestions) {
    if (!IsListed(question.names, name) || !IsListed(question.verbs, verb)) continue;
    return question.except.empty() || !arguments.Has(question.except);
  }
  return false;
}

// npx -c 'text' and npm exec --call='text' pass the text to a shell.
void RunCallOption(Context& context, const Call& call, std::string_view verb) {
  if (call.name != "npx" && (call.name != "npm" || !IsListed("exec x", verb))) return;
  const Arguments own(call.arguments(), {"cpw", "--call --package --workspace"});
  const Option* text = own.Find("-c --call");
  if (text != nullptr) RunText(context, text->value, call.place, call.in);
}

// bun -e 'code', deno eval 'code'. False if the arguments contain no code.
bool RunInline(Context& context, const Call& call) {
  if (call.name == "bun") {
    const Arguments own(call.arguments(), {"epr", "--eval --print --preload --require"},
                        Arguments::Order::kOptionsFirst);
    const Option* code = own.Find("-e --eval -p --print");
    if (code != nullptr) CheckProgramText(context, call, code->value, Code::kJavaScript);
    return code != nullptr;
  }
  if (call.name != "deno") return false;
  const Arguments own(call.arguments(), {"", "--ext --env-file"});
  if (own.Operand(0) != "eval" || own.operands().size() < 2) return false;
  CheckProgramText(context, call, own.operands()[1], Code::kJavaScript);
  return true;
}

}  // namespace

Level CheckPackages(Context& context, const Call& call, const Arguments& arguments) {
  std::string verb = arguments.Operand(0);
  if (RunInline(context, call)) return Level::kRunsCode;
  RunCallOption(context, call, verb);
  CheckChangesOutside(context, call, arguments);
  if (InstallsAnyway(call.name) && !arguments.operands().empty()) {
    ReportInstall(context, call, verb);
    return Level::kRunsCode;
  }
  if (call.name == "deno" || call.name == "npx" || call.name == "bun") {
    for (const Word& operand : arguments.operands()) {
      const bool remote = operand.StartsWith("http://") || operand.StartsWith("https://");
      if (remote) CheckRun(context, call.place, call.name, kDownloaded);
      if (operand.Is("-") && call.in.fed) CheckRun(context, call.place, call.name, call.in.origins);
    }
    if (call.name == "deno" && verb == "install") ReportInstall(context, call, verb);
  }
  if (FetchesToRun(call.name, verb, arguments)) ReportInstall(context, call, verb);
  if (OnlyLists(call.name, verb, arguments)) return Level::kReads;
  // The real subcommand is the second word: uv pip install, stack exec
  const bool nested = (call.name == "uv" && (verb == "pip" || verb == "tool")) ||
                      (call.name == "stack" && verb == "exec");
  if (nested) verb = arguments.Operand(1);
  const bool dry = arguments.Has("--dry-run --simulate --just-print") ||
                   (call.name.starts_with("apt") && arguments.Has("-s"));
  if (dry || arguments.Has("--help")) return Level::kRunsCode;
  for (const PackageTool& tool : kTools) {
    if (!IsListed(tool.names, call.name)) continue;
    if (IsListed(tool.verbs, verb)) ReportInstall(context, call, verb);
    for (const std::string_view flag : SplitAt(tool.flags, " ")) {
      if (arguments.Has(flag)) ReportInstall(context, call, flag);
    }
    if (call.name == "yarn" && verb.empty() && arguments.options().empty()) {
      ReportInstall(context, call, "install");
    }
  }
  return Level::kRunsCode;
}

Level CheckPacman(Context& context, const Call& call, const Arguments& arguments) {
  const bool changes = arguments.Has("-S --sync -U --upgrade -R --remove");
  const bool asks = arguments.Has("-s --search -i --info -Q") && !arguments.Has("-U -R");
  if (changes && !asks) ReportInstall(context, call, "-S");
  return Level::kRunsCode;
}

}  // namespace belljar::judgement::analysis::shell
