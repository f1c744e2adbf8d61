// Tests of commands with far-reaching effects, and of similar harmless ones: deletions, pushes,
// permissions, containers, queries.
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "judgement/analysis/analyse.h"
#include "judgement/analysis/rule.h"

namespace belljar::judgement::analysis {
namespace {

void ExpectFound(std::string_view id, const std::vector<std::string_view>& scripts) {
  for (const std::string_view script : scripts) {
    bool found = false;
    for (const Finding& finding : AnalyseShell(script).findings) found |= finding.rule->id == id;
    EXPECT_TRUE(found) << script;
  }
}

void ExpectClean(Level level, const std::vector<std::string_view>& scripts) {
  for (const std::string_view script : scripts) {
    const Analysis analysis = AnalyseShell(script);
    EXPECT_TRUE(analysis.findings.empty()) << script;
    EXPECT_EQ(analysis.level, level) << script;
  }
}

TEST(ShellReach, DeletionsByOtherNamesAreDeletions) {
  ExpectFound("sh-rm-root",
              {"shred -u ~/*", "shred -u /etc/*", "shred -fuz *", "rsync -a --delete empty/ /",
               "rsync -a --delete empty/ ~/", "rsync -a --delete-after empty/ /home/alice",
               "rsync -a --remove-source-files ~/ /mnt/x/", "tar --remove-files -cf x.tar ~",
               "tar czf x.tgz --remove-files /home/alice", "zip -rm x.zip ~"});
  ExpectClean(Level::kWrites, {"shred -u notes.txt", "rsync -a --delete src/ build/",
                               "rsync -a src/ ~/", "rsync -an --delete empty/ ~/",
                               "tar --remove-files -cf x.tar logs", "zip -rm x.zip logs"});
}

TEST(ShellReach, PushesToUnknownBranchesMayReachAnyBranch) {
  ExpectFound(
      "sh-git-push-protected",
      {"git push origin \"$(cat b)\"", "git push origin \"$BRANCH\"", "git push origin HEAD:\"$B\"",
       "git push origin \"x:refs/heads/$B\"", "git push origin \"release/$V\""});
  ExpectClean(
      Level::kRunsCode,
      {"git push origin \"feature/$X\"", "git push origin \"HEAD:wip-$X\"",
       "B=feature/x; git push origin \"$B\"", "git push --dry-run", "git push -n origin main"});
  ExpectClean(Level::kReads, {"git push --help", "git push -h", "git --help push"});
}

TEST(ShellReach, RightsOfOthersAreAskedFor) {
  ExpectFound("sh-sudo", {"chmod u+s x", "chmod 4755 x", "chmod 02755 x", "chmod g+s d",
                          "chmod u=rwxs x", "install -m 4755 a b", "setcap cap_net_raw+ep x",
                          "setpriv --reuid=0 ls", "setpriv --reuid 0 --clear-groups ls"});
  ExpectClean(Level::kWrites, {"chmod 0755 x", "chmod 1755 d", "chmod +x s", "chmod u-s x"});
  ExpectClean(Level::kReads, {"setpriv --no-new-privs ls", "getcap x"});
}

TEST(ShellReach, ContainersThatAreStoppedServeSomebody) {
  ExpectFound("sh-service", {"docker stop web", "docker rm -f web", "docker kill web",
                             "docker compose down", "docker-compose down", "docker volume rm x"});
  ExpectFound("sh-system-write",
              {"docker run --privileged alpine ls", "docker container run --privileged alpine ls"});
  ExpectClean(Level::kReads, {"docker ps", "docker ps -a", "docker images", "docker logs web",
                              "docker container ls", "docker --version"});
}

TEST(ShellReach, TheHistoryIsKept) {
  ExpectFound("sh-history", {"unset HISTFILE", "HISTFILE=/dev/null",
                             "export HISTFILE=", "HISTSIZE=0", "set +o history"});
  ExpectClean(Level::kReads, {"unset X", "HISTSIZE=5000", "set -o pipefail"});
}

TEST(ShellReach, ArchivesAndDumpsAreFilesThatLeave) {
  ExpectFound("sh-upload", {"tar cz d | ssh host 'cat > x'", "tar -czf - d | ssh host tar xzf -",
                            "pg_dump db | ssh host psql"});
  ExpectClean(Level::kRunsCode, {"ssh host tar cz d", "echo x | ssh host cat"});
}

TEST(ShellReach, PackagesOfEveryKindAreInstalled) {
  ExpectFound("sh-package-install", {"opkg install x", "nala install x", "pixi add x",
                                     "xbps-remove x", "pecl install x", "tce-load -wi x"});
}

TEST(ShellReach, QuestionsOnlyRead) {
  ExpectClean(Level::kReads,
              {"pip list", "pip show x", "pip3 freeze", "npm ls", "npm list -g",
               "apt list --installed", "gem list", "brew list", "conda list", "cargo --version",
               "opkg list-installed", "uv pip list", "systemctl status nginx"});
  ExpectClean(Level::kRunsCode, {"pip list --outdated", "npm test"});
}

TEST(ShellReach, FileSystemsInPlainFilesAreFiles) {
  ExpectClean(Level::kWrites, {"mkfs.ext4 disk.img", "mkfs.ext4 -F /tmp/disk.img",
                               "mkfs -t ext4 disk.img", "e2fsck -f disk.img"});
  ExpectFound("sh-disk", {"mkfs.ext4 /dev/sda1", "mkfs.ext4 \"$DISK\"", "cd /dev; mkfs.ext4 sda1",
                          "ln -s /dev/sda d; mkfs.ext4 d", "e2fsck LABEL=root", "mkfs.ext4"});
}

TEST(ShellReach, AFixedPartOfANameIsNothingAtTheRoot) {
  ExpectClean(Level::kWrites, {"rm -rf \"$TMPDIR/build-$$\"", "rm -rf \"${X}/tmp_$(date +%s)/y\""});
  ExpectFound("sh-rm-root", {"rm -rf \"$X/build\"", "rm -rf \"$X/$Y\"", "rm -rf \"$X/lib$Y\"",
                             "rm -rf \"$X/a-\"*"});
}

}  // namespace
}  // namespace belljar::judgement::analysis
