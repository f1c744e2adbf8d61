// The two readers of programs, on many programs: those of this tree, and what the host has of
// Python's library.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "analysis/analyse.h"
#include "analysis/javascript_grammar.h"
#include "analysis/lr_compare.h"
#include "analysis/python_tree.h"
#include "analysis/shell_context.h"

namespace belljar::analysis {
namespace {

namespace fs = std::filesystem;

constexpr int kMostFiles = 400;  // of a folder: for the time it takes

const Grammar* GrammarFor(const fs::path& file) {
  const std::string ending = file.extension();
  if (ending == ".py") return &python::PythonGrammar();
  if (ending == ".js" || ending == ".mjs" || ending == ".cjs") {
    return &javascript::GrammarOf(Language::kJavaScript);
  }
  if (ending == ".ts") return &javascript::GrammarOf(Language::kTypeScript);
  return ending == ".sh" ? &shell::ShellGrammar() : nullptr;
}

struct Counts {
  int same = 0;
  int freely = 0;  // the driver gave up without an error
};

Counts CompareAll(const fs::path& folder) {
  Counts counts;
  std::error_code problem;
  for (const auto& entry : fs::recursive_directory_iterator(folder, problem)) {
    const Grammar* grammar = GrammarFor(entry.path());
    if (grammar == nullptr || !entry.is_regular_file(problem)) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const Compared compared = CompareReaders(*grammar, text);
    EXPECT_NE(compared, Compared::kDifferent) << entry.path();
    if (compared == Compared::kSame) ++counts.same;
    if (compared == Compared::kGaveUpFreely) ++counts.freely;
    if (counts.same >= kMostFiles) break;
  }
  return counts;
}

// What is well formed is read by the driver, or it would be slow and nobody would notice.
TEST(LrCorpus, IsReadByTheDriverAsByTheRuntime) {
  for (const char* folder : {"tests/corpus", "tests", "tools"}) {
    const Counts counts = CompareAll(fs::path(BELLJAR_SOURCE_DIR) / folder);
    EXPECT_GT(counts.same, 10) << folder;
    EXPECT_LE(counts.freely * 50, counts.same) << folder;
  }
}

TEST(LrCorpus, OfPythonsLibraryIsReadByTheDriverAsByTheRuntime) {
  for (const char* folder : {"/usr/lib/python3.11", "/usr/lib/python3"}) {
    const Counts counts = CompareAll(folder);
    EXPECT_LE(counts.freely * 100, counts.same) << folder;
  }
}

}  // namespace
}  // namespace belljar::analysis
