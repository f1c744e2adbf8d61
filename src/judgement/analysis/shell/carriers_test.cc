// Tests of commands in the options, settings and variables of other programs.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "judgement/analysis/analyse.h"
#include "judgement/analysis/rule.h"

namespace belljar::judgement::analysis {
namespace {

bool CarriesRule(std::string_view script, std::string_view id) {
  for (const Finding& finding : AnalyseShell(script).findings) {
    if (finding.rule->id == id) return true;
  }
  return false;
}

void ExpectRemoval(const std::vector<std::string_view>& scripts) {
  for (const std::string_view script : scripts) {
    EXPECT_TRUE(CarriesRule(script, "sh-rm-root")) << script;
  }
}

void ExpectNothing(Level level, const std::vector<std::string_view>& scripts) {
  for (const std::string_view script : scripts) {
    const Analysis analysis = AnalyseShell(script);
    EXPECT_TRUE(analysis.findings.empty()) << script;
    EXPECT_EQ(analysis.level, level) << script;
  }
}

TEST(ShellCarriers, OptionsOfProgramsAreCommands) {
  ExpectRemoval({"man -P 'rm -rf /' ls", "man --pager='rm -rf /' ls", "zip -T -TT 'rm -rf /' x f",
                 "ssh -o ProxyCommand='rm -rf /' host", "ssh -oproxycommand='rm -rf /' host",
                 "ssh -o 'ProxyCommand rm -rf /' host",
                 "scp -o LocalCommand='rm -rf /' f host:", "rsync -e 'rm -rf / #' a h:b",
                 "mapfile -C 'rm -rf / #' -c 1 a < f", "readarray -C 'rm -rf / #' -c 1 a < f",
                 "complete -C 'rm -rf /' x", "compgen -C 'rm -rf /'", "tar -I 'rm -rf /' -cf x y",
                 "tar cf x y --checkpoint=1 --checkpoint-action=exec='rm -rf /'",
                 "split --filter='rm -rf /' f", "sort --compress-program='rm -rf /' f",
                 "rg --pre 'rm -rf /' x"});
}

TEST(ShellCarriers, LinesForAShellWithinOtherLanguagesAreCommands) {
  ExpectRemoval({"gdb -batch -ex 'shell rm -rf /'", "gdb -ex \"shell rm -rf /$X\"",
                 "gdb -ex '!rm -rf /'", "psql -c '\\! rm -rf /'", "sqlite3 x.db '.shell rm -rf /'",
                 "less '+!rm -rf /' f", "vim '+!rm -rf /' f", "vim -c ':!rm -rf /' f",
                 "vim -c '%!rm -rf /' f"});
}

TEST(ShellCarriers, ProgramsThatAreTooLongToReadAreUnclear) {
  const std::string padding(70'000, '#');
  for (const std::string_view program : {"sed", "awk", "make --eval", "gdb -ex"}) {
    const std::string script = std::string(program) + " 'x" + padding + "\ne rm -rf /' f";
    EXPECT_TRUE(CarriesRule(script, "sh-unclear")) << program;
  }
  EXPECT_FALSE(CarriesRule("echo '" + padding + "'", "sh-unclear"));
}

TEST(ShellCarriers, PlainOptionsAreNone) {
  ExpectNothing(Level::kReads, {"man -P cat ls", "man 3 printf", "less +G f", "hash -r",
                                "enable -n test", "bind -p", "complete -W 'a b' x", "sort -k 2 f",
                                "env FOO=1 ls", "env PAGER=cat ls"});
  ExpectNothing(Level::kWrites, {"tar -I zstd -cf x.tar.zst y", "zip -T x.zip f"});
  ExpectNothing(Level::kRunsCode, {"ssh -o StrictHostKeyChecking=no host uptime",
                                   "ssh -o ProxyCommand='ssh -W %h:%p jump' host uptime",
                                   "gdb -ex run ./a.out", "psql -c 'SELECT 1'"});
}

TEST(ShellCarriers, VariablesThatProgramsRunAreCommands) {
  ExpectRemoval({"LESSOPEN='|rm -rf / #%s' less f", "env LESSOPEN='||-rm -rf /' less f",
                 "export GIT_SSH_COMMAND='rm -rf /'", "PAGER='rm -rf /' man ls",
                 "GIT_SEQUENCE_EDITOR='rm -rf /' git rebase -i x", "sudo EDITOR='rm -rf /' visudo",
                 "echo 'rm -rf /' > e; BASH_ENV=e bash x.sh"});
  ExpectNothing(Level::kReads, {"EDITOR=vim", "export PAGER=less", "ENV=production; ls",
                                "GIT_PAGER=cat git log", "HISTSIZE=1000"});
  EXPECT_EQ(AnalyseShell("LD_PRELOAD=./x.so ls").level, Level::kRunsCode);
  EXPECT_EQ(AnalyseShell("PAGER=./x man ls").level, Level::kRunsCode);
}

TEST(ShellCarriers, GitRunsWhatItsSettingsSay) {
  ExpectRemoval({"git -c core.pager='rm -rf /' log", "git -c alias.x='!rm -rf /' x",
                 "git -c Core.SSHCommand='rm -rf /' fetch", "git -c diff.external='rm -rf /' diff",
                 "git -c filter.x.smudge='rm -rf /' checkout .", "git config alias.x '!rm -rf /'",
                 "git config --global credential.helper '!rm -rf /'",
                 "git clone -c core.fsmonitor='rm -rf /' x y"});
  ExpectNothing(Level::kReads, {"git -c core.pager=cat log", "git -c color.ui=never diff"});
  ExpectNothing(Level::kWrites, {"git config core.editor vim", "git config alias.co checkout",
                                 "git config credential.helper store"});
}

TEST(ShellCarriers, GitRunsWhatItsOptionsSay) {
  ExpectRemoval({"git rebase --exec 'rm -rf /' main", "git rebase -i -x 'rm -rf /' main",
                 "git filter-branch --tree-filter 'rm -rf /' HEAD",
                 "git filter-branch -f --msg-filter 'rm -rf /' HEAD",
                 "git difftool -x 'rm -rf /' HEAD", "git grep -O'rm -rf /' x",
                 "git clone -u 'rm -rf /' x y", "git fetch --upload-pack='rm -rf /' x",
                 "git clone 'ext::rm -rf /' y", "git bisect run rm -rf /"});
  ExpectNothing(Level::kReads, {"git grep -O x", "git difftool HEAD"});
}

TEST(ShellCarriers, SedScriptsRunCommands) {
  ExpectRemoval({"sed '1e rm -rf /' f", "sed -n 'p;1e rm -rf /' f", "sed '/a/e rm -rf /' f",
                 "sed '/a/{s/x/y/;e rm -rf /\n}' f", "sed 's/.*/rm -rf ~/e' f",
                 "sed 's|x|rm -rf /|ge' f", "echo 'rm -rf /' | sed e",
                 "sed -e p -e '$e rm -rf /' f", "echo 'e rm -rf /' > s; sed -f s f"});
  EXPECT_TRUE(CarriesRule("sed e f", "sh-unclear"));
  EXPECT_TRUE(CarriesRule("sed \"s/x/$Y/e\" f", "sh-unclear"));
  EXPECT_TRUE(CarriesRule("sed \"s/$X/rm -rf ~/e\" f", "sh-rm-root"));
  EXPECT_TRUE(CarriesRule("sed 's/a/b/e' f", "sh-dynamic-code"));
  EXPECT_TRUE(CarriesRule("sed -n '/a/w /etc/x' f", "sh-system-write"));
  ExpectNothing(
      Level::kReads,
      {"sed 's/e/d/' f", "sed -n '/rm -rf/p' f", "sed 's/a/e rm -rf \\//g' f", "sed 'y/abe/xyz/' f",
       "sed '$!d;s/x/e/' f", "sed 'a e rm -rf /' f", "sed ':e;N;be;s/\\n/ /g' f"});
}

TEST(ShellCarriers, MakeRunsWhatItIsGiven) {
  ExpectRemoval({"make SHELL='/bin/rm -rf /'", "make --eval='x:;rm -rf /' x",
                 "make --eval='$(shell rm -rf /)'", "printf 'x:; rm -rf /\\n' > Makefile; make x"});
  EXPECT_TRUE(CarriesRule("make --eval=\"$X\"", "sh-dynamic-code"));
  ExpectNothing(Level::kRunsCode, {"make SHELL=/bin/bash all", "make --eval='X=1' all"});
}

TEST(ShellCarriers, BuiltinsRunWhatTheyKeep) {
  ExpectRemoval({"hash -p /bin/rm ls; ls -rf /", "bind -x '\"a\": rm -rf /'"});
  EXPECT_TRUE(CarriesRule("enable -f ./x.so x", "sh-unclear"));
  EXPECT_EQ(AnalyseShell("enable -f ./x.so x").level, Level::kRunsCode);
}

TEST(ShellCarriers, WrappersWithPairsAndSeveralTexts) {
  ExpectRemoval({"bwrap --ro-bind / / --dev /dev rm -rf /", "bwrap --setenv A b rm -rf /",
                 "bwrap --unshare-all --symlink a b sh -c 'rm -rf /'", "hyperfine true 'rm -rf /'",
                 "hyperfine -L x 1,2 'rm -rf /'", "hyperfine -p true -c 'rm -rf /' ls",
                 "ls | entr rm -rf /"});
}

TEST(ShellCarriers, InterpretersTakeProgramsAsArguments) {
  ExpectRemoval({"bun -e 'require(\"child_process\").execSync(\"rm -rf /\")'",
                 "deno eval 'require(\"child_process\").execSync(\"rm -rf /\")'",
                 "tclsh <<< 'exec rm -rf /'", "expect -c 'spawn rm -rf /'",
                 "expect -c 'puts [exec rm -rf /]'",
                 "emacs --batch --eval '(shell-command \"rm -rf /\")'",
                 "emacs -batch -eval '(call-process \"rm\" nil nil nil \"-rf\" \"/\")'"});
  ExpectNothing(Level::kRunsCode, {"bun -e 'console.log(1)'", "deno eval 'console.log(1)'",
                                   "expect -c 'puts 1'", "tclsh x.tcl", "emacs notes.txt"});
}

}  // namespace
}  // namespace belljar::judgement::analysis
