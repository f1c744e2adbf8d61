// Tests of permission changes, of reads of credentials, and of names that are constant though they
// look computed.
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "judgement/analysis/analyse.h"
#include "judgement/analysis/rule.h"

namespace belljar::judgement::analysis {
namespace {

void ExpectRule(std::string_view id, const std::vector<std::string_view>& scripts) {
  for (const std::string_view script : scripts) {
    bool found = false;
    for (const Finding& finding : AnalyseShell(script).findings) found |= finding.rule->id == id;
    EXPECT_TRUE(found) << script;
  }
}

void ExpectNoRule(const std::vector<std::string_view>& scripts) {
  for (const std::string_view script : scripts) {
    const Analysis analysis = AnalyseShell(script);
    EXPECT_TRUE(analysis.findings.empty()) << script << ": " << analysis.findings[0].message;
  }
}

TEST(ShellRights, EveryoneMayWriteInOtherSpellings) {
  ExpectRule("sh-chmod-777", {"chmod +777 x", "chmod =0777 x", "umask 000", "umask 0",
                              "umask a=rwx", "setfacl -m o::rwx x", "setfacl -m u:a:r,o:rw x"});
  ExpectNoRule({"umask 022", "umask 077; mkdir private", "umask", "umask -S",
                "setfacl -m u:alice:rwx x", "chmod +x a.sh"});
}

TEST(ShellRights, OwnersAndNamespacesAreSomebodyElses) {
  ExpectRule("sh-sudo", {"chown root:root x", "chown -R 0 x", "chgrp root x", "unshare -r sh"});
  ExpectNoRule({"chown -R \"$USER:$USER\" .", "chown alice x", "chown $(id -u):$(id -g) out"});
}

TEST(ShellRights, CredentialsAreNotShown) {
  ExpectRule("sh-secret-read",
             {"cat ~/.ssh/id_rsa", "cp ~/.aws/credentials .", "grep -r x /etc/shadow",
              "base64 \"$HOME/.netrc\"", "tar czf k.tgz ~/.ssh", "cat /proc/1/environ",
              "dd if=/root/.ssh/id_ed25519", "awk 1 ~/.kube/config"});
  ExpectNoRule({"cat ~/.ssh/id_rsa.pub", "ls -la ~/.ssh", "grep -rn '/etc/shadow' docs",
                "cat ~/.ssh/config", "cat shadow", "sed -n '/~\\/.aws\\/credentials/p' doc.md"});
}

TEST(ShellRights, LibrariesThatEveryProgramLoadsAreUnclear) {
  ExpectRule("sh-unclear", {"export LD_PRELOAD=./x.so; ls", "LD_PRELOAD=./x.so ls"});
  ExpectNoRule({"unset LD_PRELOAD", "export LD_LIBRARY_PATH=$PWD/lib"});
}

TEST(ShellRights, HomesHaveMoreThanOneName) {
  ExpectRule("sh-rm-root", {"rm -rf ~/Documents", "rm -rf ~/.ssh", "rm -rf \"$HOME\"/Desktop/*",
                            "yes / | xargs rm -rf"});
  ExpectNoRule({"rm -rf ~/.cache/pip", "rm -rf ~/Documents/project/build"});
}

TEST(ShellRights, ToolsThatMayBeChosenAreWhatTheyAreByDefault) {
  ExpectNoRule({"CC=${CC:-gcc}\n$CC -c a.c", "set -u; CC=${CC:-gcc}; \"$CC\" a.c",
                ": \"${PYTHON:=python3}\"\n\"$PYTHON\" -m unittest", "\"${MAKE:-make}\" all",
                "EDITOR=${EDITOR:-vi}; $EDITOR notes.txt"});
  ExpectRule("sh-rm-root", {"RM=${RM:-rm}; $RM -rf /", "\"${RM:-rm}\" -rf ~"});
  ExpectRule("sh-unclear", {"X=${X:-gcc}; $X a.c", "$CC a.c"});
}

TEST(ShellRights, OneOfTheScriptsOwnFunctionsIsKnown) {
  ExpectNoRule({"cmd_list() { ls; }\n\"cmd_$1\" \"$@\""});
  ExpectRule("sh-rm-root", {"cmd_all() { rm -rf /; }\n\"cmd_$1\""});
  ExpectRule("sh-unclear", {"cmd_list() { ls; }\n\"do_$1\""});
}

TEST(ShellRights, BackquotesInADefaultRun) {
  ExpectRule("sh-rm-root", {"echo ${x:-`rm -rf /`}", "echo \"${x:=`rm -rf /`}\""});
  ExpectNoRule({"echo ${x:-`date`}", "echo ${x:-a b}"});
}

// The grammar counts the blank before the second expansion as part of that expansion.
TEST(ShellRights, BlanksBetweenExpansionsInQuotesStay) {
  ExpectRule("sh-rm-root",
             {"a=rm; b=-rf; eval \"$a $b /\"", "a=rm; b=-rf; c=/; eval \"${a} ${b} ${c}\"",
              "a=rm; b='-rf /'; x=\"$a $b\"; $x", "a=rm; bash -c \"$a $(echo -rf) /\"",
              "a=rm; b='-rf /'; bash <<E\n$a $b\nE", "rm -rf \"$(realpath ~)\""});
  ExpectNoRule({"a=x; b=y; echo \"$a $b\"", "a=x; b=y; mkdir \"$a $b\""});
}

TEST(ShellRights, LoopsWithoutEndHaveSeveralSpellings) {
  ExpectRule("sh-fork-bomb", {"for ((;;)); do bash \"$0\" & done", "while [[ 1 ]]; do x & done",
                              "while (( 1 )); do ./x & done"});
  ExpectNoRule({"for ((i=0;i<3;i++)); do sleep 1 & done; wait"});
}

TEST(ShellRights, CopiesOfADownloadAreDownloads) {
  ExpectRule("sh-download-run", {"curl -o a http://x; install -m755 a ./b; ./b"});
  ExpectRule("sh-decoded-run", {"c=$(awk 'BEGIN{printf \"%c%c\",114,109}'); $c -rf x"});
  ExpectNoRule({"r=$(git rev-parse --show-toplevel); rm -rf \"$r/node_modules\""});
}

}  // namespace
}  // namespace belljar::judgement::analysis
