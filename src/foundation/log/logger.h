// Journal: the daemon's log: one line per event, for people and for log tools.
//
// A line is one JSON object with `time`, `level` and `event`, with `id`, `correlation_id`,
// `trace_id`, `traceparent` and `caller` where there are any, and with a few more members by event.
// The other format shows the same members as plain text for a terminal. Lines go through spdlog's
// bounded queue to a thread that writes them and pauses for 2 ms whenever the queue is empty. If
// the disk or pipe stalls, the queue overflows and drops the oldest lines; a run never waits for
// the log. The next line that is written reports how many were lost.
//
// There are three levels of detail. minimal: the daemon's own lifecycle and its errors. standard:
// also requests, runs and sessions. verbose: also the first bytes of the code that ran and of its
// output; below verbose neither is ever passed to the journal.
//
// A line may contain text chosen by a caller or a guest, who may be hostile. Every text is cut at a
// fixed length, made valid UTF-8, and its control characters (C0 and C1) are escaped: no text can
// forge a second line or send escape sequences to a terminal.
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

#include "foundation/base/json.h"
#include "foundation/base/result.h"

namespace belljar::log {

enum class Detail { kMinimal, kStandard, kVerbose };
std::string_view DetailName(Detail detail);
std::optional<Detail> ParseDetail(std::string_view name);

enum class Format { kJson, kText };
std::string_view FormatName(Format format);
std::optional<Format> ParseFormat(std::string_view name);

enum class Level { kInfo, kWarning, kError };
std::string_view LevelName(Level level);

constexpr std::size_t kMaxTextBytes = 1'024;  // per text
constexpr std::size_t kMaxBodyBytes = 8'192;  // for code and output, at level verbose

struct Line {
  Level level = Level::kInfo;
  Detail from = Detail::kStandard;  // the line is written at this detail and above
  std::string_view event;
  std::string id, correlation_id, traceparent, caller;  // may be empty
  json::object more;                                    // flat: text and numbers only
};

// The formatted line without its newline; `time_ms` is milliseconds since 1970.
std::string Render(const Line& line, std::int64_t time_ms, Format format);

// `text` in double quotes, escaped, cut after `most` bytes.
std::string Quoted(std::string_view text, std::size_t most);

struct Options {
  std::string file;  // empty: stderr
  Detail detail = Detail::kStandard;
  Format format = Format::kJson;
};

class Journal {
 public:
  // Opens the log; fails when the file cannot be opened. The file is appended to, and created with
  // mode 0600.
  static Result<std::unique_ptr<Journal>> Open(const Options& options);
  ~Journal();  // writes the queued lines first

  bool Wants(Detail detail) const { return detail <= detail_.load(std::memory_order_relaxed); }
  void Write(const Line& line);

  void Set(Detail detail, Format format);
  // Opens the file anew after it has been moved away, for example by logrotate. On failure the
  // journal keeps writing to the old file.
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

}  // namespace belljar::log
