// Journal: what happens in the daemon, one line each, for people and for their tools.
//
// A line is one JSON object with `time`, `level` and `event`, with `id`, `correlation_id`,
// `trace_id`, `traceparent` and `caller` where there are any, and with a few more members by event.
// The other format is the same as words for a terminal. By spdlog, with a thread that writes and a
// bounded queue before it, which rests for 2 ms when it has written all there is: a disk or a pipe
// that stalls costs lines, the oldest first, and never holds up a run. How many were lost is told
// by the next line that gets through.
//
// Three levels of detail. minimal: the daemon's own life and its troubles. standard: requests, runs
// and sessions as well. verbose: also the code that ran and what it printed, the first bytes of
// each; without it neither ever gets here.
//
// Whatever a caller or a guest chose may be in a line. Every text is cut at a stated length, is
// made valid UTF-8, and has its control characters escaped, those above 127 too: no line can
// pretend to be two, or speak to a terminal.
//
// This is not the audit log: nothing here is proof of anything.
//
// Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace belljar::journal {

enum class Detail { kMinimal, kStandard, kVerbose };
std::string_view DetailName(Detail detail);
std::optional<Detail> ParseDetail(std::string_view name);

enum class Format { kJson, kText };
std::string_view FormatName(Format format);
std::optional<Format> ParseFormat(std::string_view name);

enum class Level { kInfo, kWarning, kError };
std::string_view LevelName(Level level);

constexpr std::size_t kMaxTextBytes = 1'024;  // of one text
constexpr std::size_t kMaxBodyBytes = 8'192;  // of code and output, when verbose

struct Line {
  Level level = Level::kInfo;
  Detail from = Detail::kStandard;  // written at this detail and above
  std::string_view event;
  std::string id, correlation_id, traceparent, caller;  // may be empty
  json::object more;                                    // texts, numbers, flat
};

// The line without its end; `time_ms` is since 1970.
std::string Render(const Line& line, std::int64_t time_ms, Format format);

// `text` in double quotes, escaped, at most `most` bytes of it.
std::string Quoted(std::string_view text, std::size_t most);

struct Options {
  std::string file;  // empty: stderr
  Detail detail = Detail::kStandard;
  Format format = Format::kJson;
};

class Journal {
 public:
  // Fails when the file cannot be opened. It is appended to, made with mode 0600.
  static Result<std::unique_ptr<Journal>> Open(const Options& options);
  ~Journal();  // writes what waits

  bool Wants(Detail detail) const { return detail <= detail_.load(std::memory_order_relaxed); }
  void Write(const Line& line);

  void Set(Detail detail, Format format);
  // After the file has been moved away, by logrotate perhaps. An error keeps the old one.
  Result<> Reopen();

 private:
  struct Parts;
  Journal(const Options& options, std::unique_ptr<Parts> parts);

  const std::string file_;
  std::atomic<Detail> detail_;
  std::atomic<Format> format_;
  std::unique_ptr<Parts> parts_;
};

// The trace id in a W3C traceparent, or "".
std::string TraceId(std::string_view traceparent);

}  // namespace belljar::journal
