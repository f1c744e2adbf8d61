// SQLite on a full disk and on a read-only disk. The disk is a small tmpfs in a mount namespace of
// a child process; for an ordinary user the child is in a user namespace too.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "foundation/storage/database.h"
#include "foundation/storage/scratch.h"

namespace belljar::storage {
namespace {

// A test body that runs in the child: returns a description of the failure, or an empty string.
using Story = std::string (*)(const std::string& disk);

// Enters a user namespace as its root: an ordinary user may mount only there.
bool BecomeRootInside() {
  const auto write = [](const char* file, const std::string& text) {
    std::ofstream out(file);
    out << text << std::flush;  // a single write(), as the kernel requires
    return out.good();
  };
  const std::string uid = std::to_string(::geteuid()), gid = std::to_string(::getegid());
  return ::unshare(CLONE_NEWUSER) == 0 && write("/proc/self/setgroups", "deny") &&
         write("/proc/self/uid_map", "0 " + uid + " 1") &&
         write("/proc/self/gid_map", "0 " + gid + " 1");
}

bool MountSmallDisk(const std::string& at) {
  return (::geteuid() == 0 || BecomeRootInside()) && ::unshare(CLONE_NEWNS) == 0 &&
         ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("tmpfs", at.c_str(), "tmpfs", 0, "size=1m") == 0;
}

void ExpectOnSmallDisk(Story story) {
  const ScratchDir scratch;
  const std::string disk = scratch.path("disk");
  ASSERT_TRUE(std::filesystem::create_directory(disk));
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const std::string wrong = MountSmallDisk(disk) ? story(disk) : "no mount namespace";
    std::fprintf(stderr, "%s", wrong.c_str());
    ::_exit(wrong.empty() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

std::string FillUpAndFreeAgain(const std::string& disk) {
  auto opened = Database::Open("sqlite:" + disk + "/x.db");
  if (!opened) return opened.error().message();
  Database& db = **opened;
  if (!db.Execute("CREATE TABLE t (body BLOB)", {})) return "no table";
  int kept = 0;
  const std::vector<Value> body = {Blob{std::string(20'000, 'x')}};
  auto last = db.Execute("INSERT INTO t VALUES ($1)", body);
  for (; last && kept < 100; ++kept) last = db.Execute("INSERT INTO t VALUES ($1)", body);
  if (last) return "the disk was never full";
  if (last.error().kind() != Kind::kExhausted) return last.error().message();
  const auto failed = db.Transaction([&]() -> Result<> {
    BJ_TRY(db.Execute("INSERT INTO t VALUES ($1)", body));
    return {};
  });
  if (failed || failed.error().kind() != Kind::kExhausted) return "a transaction did not fail";
  const auto rows = db.Query("SELECT count(*), min(length(body)) FROM t", {});
  if (!rows) return rows.error().message();
  if ((*rows)[0] != Row{std::int64_t{kept}, std::int64_t{20'000}}) return "rows were lost";
  if (::mount(nullptr, disk.c_str(), nullptr, MS_REMOUNT, "size=4m") != 0) return "no remount";
  const auto again = db.Execute("INSERT INTO t VALUES ($1)", body);
  return again ? "" : again.error().message();
}

std::string OpenReadOnly(const std::string& disk) {
  if (!Database::Open("sqlite:" + disk + "/x.db")) return "it cannot be made";
  if (::mount(nullptr, disk.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) != 0) {
    return "no remount";
  }
  for (const char* name : {"/x.db", "/new.db"}) {
    const auto opened = Database::Open("sqlite:" + disk + name);
    if (opened) return std::string(name) + " could be opened";
    if (opened.error().kind() != Kind::kUnavailable) return opened.error().message();
  }
  if (::mount(nullptr, disk.c_str(), nullptr, MS_REMOUNT, nullptr) != 0) return "no remount";
  return Database::Open("sqlite:" + disk + "/x.db") ? "" : "it cannot be opened again";
}

TEST(SqliteOnAFullDisk, KeepsWhatItHasAndGoesOnWhenThereIsSpace) {
  ExpectOnSmallDisk(FillUpAndFreeAgain);
}

TEST(SqliteOnAReadOnlyDisk, IsUnavailableUntilItCanBeWritten) { ExpectOnSmallDisk(OpenReadOnly); }

}  // namespace
}  // namespace belljar::storage
