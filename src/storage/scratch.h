// ScratchDir: a directory for one test, gone afterwards.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

namespace belljar::storage {

class ScratchDir {
 public:
  ScratchDir() : dir_(std::filesystem::canonical(testing::TempDir()) / "storage.XXXXXX") {
    std::string path = dir_.native();
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
