// Reads our files with an independent reader written from the specifications
// (tests/audit/read_tlog.py) and compares what it finds.
#include <gtest/gtest.h>

#include <cstdio>
#include <thread>

#include "record/log.h"
#include "record/scratch.h"

namespace belljar::record {
namespace {

// Runs that reader and returns its exit status and output.
std::pair<std::string, int> ReadByOthers(const std::string& arguments) {
  const std::string command =
      "/usr/bin/python3 " BELLJAR_SOURCE_DIR "/tests/audit/read_tlog.py " + arguments + " 2>&1";
  FILE* const pipe = ::popen(command.c_str(), "re");
  std::string said;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) said += static_cast<char>(c);
  return {said, ::pclose(pipe)};
}

TEST(StandardTools, ReadOurLogsAndProofsAtEverySize) {
  const Scratch scratch;
  int size = 0;
  for (const int next : {1, 2, 255, 256, 257, 600}) {
    const auto log = OpenQuiet(scratch.dir());
    ASSERT_TRUE(log) << log.error().message();
    AppendRuns(**log, next - size);
    size = next;
    std::string proofs;
    for (const int index : {0, next / 2, next - 1}) {
      const std::string name = "proof-" + std::to_string(index);
      scratch.Write(name, *(*log)->Proof(static_cast<std::uint64_t>(index)));
      proofs += " " + scratch.path(name);
    }
    ASSERT_TRUE((*log)->Seal());
    const auto [said, status] = ReadByOthers(scratch.path("audit") + proofs);
    EXPECT_EQ(status, 0) << said;
    EXPECT_TRUE(said.starts_with(std::to_string(next) + " entries, root ")) << said;
  }
}

// Retries until the search copy has caught up: on a busy machine so many records take longer than
// one Find() waits.
void AwaitCopy(Log& log) {
  for (int attempt = 0; attempt < 20 && !log.Find(Filter{}); ++attempt) {
  }
}

TEST(StandardTools, ReadALogOfThreeLevels) {
  const Scratch scratch;
  constexpr int kSize = 66'000;
  const auto log = OpenQuiet(scratch.dir());
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 10; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < kSize / 10; ++i) {
          if (!(*log)->Append(SomeRun(i))) return;
        }
      });
    }
  }
  ASSERT_EQ((*log)->size(), static_cast<std::uint64_t>(kSize));
  scratch.Write("proof", *(*log)->Proof(65'999));
  AwaitCopy(**log);
  ASSERT_TRUE((*log)->Seal());
  const auto [said, status] = ReadByOthers(scratch.path("audit") + " " + scratch.path("proof"));
  EXPECT_EQ(status, 0) << said;
  EXPECT_TRUE(said.starts_with("66000 entries")) << said;
  ExpectWhole(scratch.dir(), kSize);
}

}  // namespace
}  // namespace belljar::record
