// Scratch: a state directory and workspaces for one test, in memory, and an independent description
// of a workspace's content.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "foundation/base/sys.h"
#include "run/snapshot/store.h"

namespace belljar::run::snapshot {

inline std::string DescribeAttributes(const std::string& path) {
  std::string text;
  char names[4096];
  const ssize_t listed = ::llistxattr(path.c_str(), names, sizeof(names));
  for (ssize_t at = 0; at < listed;) {
    const std::string name(names + at);
    at += static_cast<ssize_t>(name.size()) + 1;
    char value[4096];
    const ssize_t n = ::lgetxattr(path.c_str(), name.c_str(), value, sizeof(value));
    text +=
        " " + name + "=" + std::string(value, static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  }
  return text;
}

// Everything that a snapshot preserves of a tree, one line per name. It uses plain paths and shares
// no code with the code under test.
inline std::vector<std::string> Describe(const std::string& root) {
  std::vector<std::string> lines;
  std::map<ino_t, std::string> first_names;
  std::vector<std::string> paths = {root};
  for (const auto& each : std::filesystem::recursive_directory_iterator(root)) {
    paths.push_back(each.path().string());
  }
  std::ranges::sort(paths);
  for (const std::string& path : paths) {
    struct stat about {};
    EXPECT_EQ(::lstat(path.c_str(), &about), 0) << path;
    std::string line =
        path.substr(root.size()) + " mode " + std::to_string(about.st_mode) + " owner " +
        std::to_string(about.st_uid) + ":" + std::to_string(about.st_gid) + " time " +
        std::to_string(about.st_mtim.tv_sec) + "." + std::to_string(about.st_mtim.tv_nsec);
    if (!S_ISDIR(about.st_mode)) {
      line += " first " + first_names.emplace(about.st_ino, path.substr(root.size())).first->second;
    }
    if (S_ISLNK(about.st_mode)) line += " to " + std::filesystem::read_symlink(path).string();
    if (S_ISREG(about.st_mode)) {
      line += " size " + std::to_string(about.st_size) + " blocks " +
              std::to_string(about.st_blocks) + " ";
      std::ifstream in(path, std::ios::binary);
      // Of huge sparse files only the first MiB is compared.
      std::string content(static_cast<std::size_t>(std::min<off_t>(about.st_size, 1 << 20)), '\0');
      in.read(content.data(), static_cast<std::streamsize>(content.size()));
      line += content;
    }
    lines.push_back(line + DescribeAttributes(path));
  }
  return lines;
}

class SnapshotStoreTest : public testing::Test {
 protected:
  SnapshotStoreTest() {
    dir_ = "/dev/shm/snapshot.XXXXXX";
    EXPECT_NE(::mkdtemp(dir_.data()), nullptr) << "/dev/shm must be writable";
    std::filesystem::create_directory(path());
    std::filesystem::create_directory(dir_ + "/state");
    OpenStore({});
    workspace_ = OpenWorkspace(path());
  }
  ~SnapshotStoreTest() override {
    store_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(dir_, ignored);
  }

  void OpenStore(const Bounds& bounds) {
    auto opened = Store::Open(dir_ + "/state", bounds);
    ASSERT_TRUE(opened) << opened.error().message();
    store_ = *std::move(opened);
  }
  static Fd OpenWorkspace(const std::string& path) {
    auto opened = Open(path, O_PATH | O_DIRECTORY);
    EXPECT_TRUE(opened);
    return *std::move(opened);
  }

  std::string path(const std::string& name = "") const {
    return dir_ + "/work" + (name.empty() ? "" : "/" + name);
  }
  void Write(const std::string& name, std::string_view bytes) const {
    std::ofstream(path(name), std::ios::binary | std::ios::trunc) << bytes;
  }
  std::string Read(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void SetTime(const std::string& name, time_t seconds, long nanoseconds) const {
    const timespec times[] = {{0, UTIME_OMIT}, {seconds, nanoseconds}};
    EXPECT_EQ(::utimensat(AT_FDCWD, path(name).c_str(), times, AT_SYMLINK_NOFOLLOW), 0);
  }

  Result<Snapshot> Take() { return store_->Take(workspace_, memory_); }
  std::string TakeId() {
    const auto taken = Take();
    EXPECT_TRUE(taken) << taken.error().message();
    return taken ? taken->id : "";
  }
  Result<> Restore(const std::string& id) {
    return store_->Restore(id, workspace_, memory_, Owner{::geteuid(), ::getegid()});
  }
  // The store's segment files; each snapshot adds one.
  std::vector<std::string> Segments() const {
    std::vector<std::string> names;
    for (const auto& each : std::filesystem::directory_iterator(StorePath())) {
      names.push_back(each.path().string());
    }
    return names;
  }
  // Replaces bytes in the store's files on disk.
  void Damage(const std::string& bytes, const std::string& other) const {
    for (const std::string& segment : Segments()) {
      std::fstream file(segment, std::ios::binary | std::ios::in | std::ios::out);
      const std::string all{std::istreambuf_iterator<char>(file), {}};
      const std::size_t at = all.find(bytes);
      if (at == std::string::npos) continue;
      file.clear();
      file.seekp(static_cast<std::streamoff>(at)) << other;
      return;
    }
    FAIL() << bytes << " is not in the store";
  }
  std::string StorePath() const { return dir_ + "/state/checkpoints"; }

  std::string dir_;
  std::unique_ptr<Store> store_;
  Fd workspace_;
  Memory memory_;
};

}  // namespace belljar::run::snapshot
