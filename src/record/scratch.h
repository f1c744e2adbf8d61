// Scratch: a state directory for one test, and helpers to make logs in it.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "record/log.h"
#include "record/verify.h"

namespace belljar::record {

class Scratch {
 public:
  // In memory where possible: a disk would only make the tests slower.
  Scratch() {
    const bool memory = ::access("/dev/shm", W_OK) == 0;
    dir_ = (memory ? "/dev/shm" : testing::TempDir()) + "/audit.XXXXXX";
    EXPECT_NE(::mkdtemp(dir_.data()), nullptr);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(dir_, ignored);
  }

  const std::string& dir() const { return dir_; }
  std::string path(const std::string& relative) const { return dir_ + "/" + relative; }
  std::string Read(const std::string& relative) const {
    std::ifstream in(path(relative), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void Write(const std::string& relative, std::string_view bytes) const {
    std::ofstream(path(relative), std::ios::binary | std::ios::trunc) << bytes;
  }

 private:
  std::string dir_;
};

// Opens a log in `dir` that folds only when asked to, or when a pending file is full.
inline Result<std::unique_ptr<Log>> OpenQuiet(const std::string& dir,
                                              const LogFiles* files = nullptr) {
  Log::Options options;
  options.dir = dir;
  options.fold_after = std::chrono::hours(1);
  options.files = files;
  return Log::Open(std::move(options));
}

inline Entry SomeRun(int number) {
  Entry entry;
  entry.event = Event::kRun;
  entry.caller = number % 2 == 0 ? "alice" : "bob";
  entry.run_id = "r" + std::to_string(number);
  entry.outcome = "ok";
  entry.detail = {{"code", "sha256:" + std::string(64, 'a')}, {"wall_ms", number}};
  return entry;
}

// Appends `count` run records.
inline void AppendRuns(Log& log, int count) {
  for (int i = 0; i < count; ++i) {
    const auto at = log.Append(SomeRun(i));
    ASSERT_TRUE(at) << at.error().message();
  }
}

inline void ExpectWhole(const std::string& dir, std::uint64_t records) {
  const auto report = Verify(dir, "");
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_FALSE(report->first_bad) << report->first_bad->what;
  EXPECT_EQ(report->records, records);
}

// The verifier's first finding; an empty message if the log is intact.
inline Finding FirstBad(const std::string& dir) {
  const auto report = Verify(dir, "");
  if (!report) return {{}, "(no report) " + report.error().message()};
  return report->first_bad ? *report->first_bad : Finding{{}, ""};
}

// Makes a log of `records` records and seals it.
inline void MakeSealed(const Scratch& scratch, int records) {
  const auto log = OpenQuiet(scratch.dir());
  ASSERT_TRUE(log) << log.error().message();
  AppendRuns(**log, records);
  ASSERT_TRUE((*log)->Seal());
}

}  // namespace belljar::record
