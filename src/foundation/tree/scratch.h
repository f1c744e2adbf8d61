// Scratch: a temporary directory for one test. It also holds a secret outside of the tree, which no
// walk, copy or archive may ever show.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "foundation/base/sys.h"
#include "foundation/tree/remove.h"

namespace belljar::tree {

namespace fs = std::filesystem;

inline constexpr const char* kSecret = "the host's own";

class Scratch {
 public:
  Scratch() {
    // In memory if possible, because some of the trees are large.
    const bool in_memory = ::access("/dev/shm", W_OK | X_OK) == 0;
    const fs::path above = in_memory ? fs::path("/dev/shm") : fs::temp_directory_path();
    std::string pattern = (above / "belljar-tree-XXXXXX").native();
    top_ = ::mkdtemp(pattern.data());
    fs::create_directory(top_ / "tree");
    fs::create_directory(top_ / "outside");
    std::ofstream(top_ / "outside/file") << kSecret;
    root_ = OpenDir("tree");
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  // Removes trees of any depth, and directories without permissions.
  ~Scratch() {
    const auto parent = Open(top_.parent_path().native(), O_RDONLY | O_DIRECTORY);
    EXPECT_TRUE(parent);
    const auto removed = RemoveWhole(*parent, top_.filename().native(), "scratch");
    EXPECT_TRUE(removed) << removed.error().message();
  }

  fs::path operator/(const std::string& name) const { return top_ / "tree" / name; }
  fs::path outside() const { return top_ / "outside"; }
  fs::path beside(const std::string& name) const { return top_ / name; }
  const Fd& root() const { return root_; }
  Fd OpenDir(const std::string& name) const {
    auto opened = Open((top_ / name).native(), O_RDONLY | O_DIRECTORY);
    EXPECT_TRUE(opened);
    return *std::move(opened);
  }
  Fd MakeDir(const std::string& name) const {
    fs::create_directory(top_ / name);
    return OpenDir(name);
  }
  void Write(const std::string& name, const std::string& text = "text") const {
    fs::create_directories((*this / name).parent_path());
    std::ofstream(*this / name, std::ios::binary) << text;
  }

 private:
  fs::path top_;
  Fd root_;
};

inline std::string TextOf(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// The content of all files below a directory; links are shown as links.
inline std::string AllTextsOf(const fs::path& root) {
  std::string all;
  for (const auto& each : fs::recursive_directory_iterator(root)) {
    if (each.is_regular_file() && !each.is_symlink()) all += TextOf(each.path()) + "\n";
  }
  return all;
}

}  // namespace belljar::tree
