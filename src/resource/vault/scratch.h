// ScratchDirs: for one test, a host directory, a copy and a directory for journals, removed at its
// end. In memory if possible: every commit waits for the disk, and a suite makes hundreds.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "foundation/base/sys.h"
#include "resource/vault/commit.h"

namespace belljar::resource::vault {

namespace fs = std::filesystem;

class ScratchDirs {
 public:
  ScratchDirs() {
    const bool in_memory = ::access("/dev/shm", W_OK | X_OK) == 0;
    std::string path = fs::canonical(in_memory ? "/dev/shm" : testing::TempDir()) / "vault.XXXXXX";
    EXPECT_NE(::mkdtemp(path.data()), nullptr);
    dir_ = path;
    for (const char* name : {"host", "copy", "state"}) fs::create_directory(dir_ / name);
  }
  ScratchDirs(const ScratchDirs&) = delete;
  ScratchDirs& operator=(const ScratchDirs&) = delete;
  ~ScratchDirs() {
    std::error_code ignored;
    fs::remove_all(dir_, ignored);
  }

  fs::path host(const std::string& below = "") const { return dir_ / "host" / below; }
  fs::path copy(const std::string& below = "") const { return dir_ / "copy" / below; }
  std::string state() const { return dir_ / "state"; }
  std::string journals() const { return dir_ / "state" / "vaults"; }
  fs::path other(const std::string& name) const { return dir_ / name; }

  static void Write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  static std::string Read(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static Fd OpenDir(const fs::path& path) {
    auto fd = Open(path.native(), O_RDONLY | O_DIRECTORY);
    EXPECT_TRUE(fd);
    return *std::move(fd);
  }

  // Lists everything below a directory, a line per entry: "d/", "d/f=text", "l->target".
  static std::vector<std::string> Show(const fs::path& root) {
    std::vector<std::string> lines;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      std::string line = entry.path().lexically_relative(root).native();
      if (entry.is_symlink()) {
        line += "->" + fs::read_symlink(entry.path()).native();
      } else {
        line += entry.is_directory() ? "/" : "=" + Read(entry.path());
      }
      lines.push_back(line);
    }
    std::ranges::sort(lines);
    return lines;
  }
  std::vector<std::string> ShowHost() const { return Show(host()); }
  bool HasJournals() const { return fs::exists(journals()) && !fs::is_empty(journals()); }

  Result<std::vector<Staged>> Stage(
      request::VaultMode mode = request::VaultMode::kReadWrite) const {
    const Fd at = OpenDir(copy());
    return StageVaults({{host().parent_path().native(), mode}}, {&at}, state());
  }

 private:
  fs::path dir_;
};

}  // namespace belljar::resource::vault
