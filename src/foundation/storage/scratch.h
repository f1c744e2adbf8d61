// ScratchDir: a directory for one test, removed when the object is destroyed. It is on a tmpfs
// where possible: every commit waits for the disk, and a suite has hundreds of commits.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace belljar::storage {

class ScratchDir {
 public:
  ScratchDir() {
    const bool in_memory = ::access("/dev/shm", W_OK | X_OK) == 0;
    const std::string place = in_memory ? "/dev/shm" : testing::TempDir();
    std::string path = std::filesystem::canonical(place) / "storage.XXXXXX";
    EXPECT_NE(::mkdtemp(path.data()), nullptr);
    dir_ = path;
  }
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;
  ~ScratchDir() {
    std::error_code ignored;
    std::filesystem::remove_all(dir_, ignored);
  }
  std::string path(const std::string& name) const { return (dir_ / name).native(); }

 private:
  std::filesystem::path dir_;
};

}  // namespace belljar::storage
