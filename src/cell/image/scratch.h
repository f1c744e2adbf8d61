// Scratch: a temporary directory for one test, filled by relative paths and removed at its end.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace belljar::cell::image {

class Scratch {
 public:
  Scratch() : dir_(std::filesystem::canonical(testing::TempDir()) / "image.XXXXXX") {
    std::string path = dir_.native();
    EXPECT_NE(::mkdtemp(path.data()), nullptr);
    dir_ = path;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(dir_, ignored);
  }

  std::string path(const std::string& relative = "") const {
    return relative.empty() ? dir_.native() : (dir_ / relative).native();
  }
  std::string MakeDir(const std::string& relative) const {
    std::filesystem::create_directories(dir_ / relative);
    return path(relative);
  }
  std::string Write(const std::string& relative, const std::string& text,
                    mode_t mode = 0644) const {
    std::filesystem::create_directories((dir_ / relative).parent_path());
    std::ofstream(dir_ / relative, std::ios::binary) << text;
    EXPECT_EQ(::chmod(path(relative).c_str(), mode), 0);
    return path(relative);
  }
  void MakeLink(const std::string& relative, const std::string& target) const {
    std::filesystem::create_directories((dir_ / relative).parent_path());
    std::filesystem::create_symlink(target, dir_ / relative);
  }
  std::string Read(const std::string& relative) const {
    std::ifstream in(dir_ / relative, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  struct stat Stat(const std::string& relative) const {
    struct stat info {};
    EXPECT_EQ(::lstat(path(relative).c_str(), &info), 0) << relative;
    return info;
  }

 private:
  std::filesystem::path dir_;
};

}  // namespace belljar::cell::image
