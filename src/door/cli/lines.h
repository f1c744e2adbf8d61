// Lines: reads JSON lines and answers each with one, several at a time.
#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "foundation/base/fd.h"
#include "foundation/base/json.h"
#include "foundation/base/result.h"

namespace belljar::door::cli {

class Answers {
 public:
  Answers();
  // Writes one line atomically; thread-safe.
  void Write(const json::object& object);
  void WriteError(const json::value& id, const Error& error);
  // The first write error, if any. EPIPE does not count: a reader that has closed the pipe wanted
  // no more.
  Result<> Written();

 private:
  std::mutex mutex_;
  Fd out_;
  bool gone_ = false;
  Result<> written_;
};

using AnswerLine = std::function<void(const std::string& line, Answers& answers)>;

// Reads standard input to its end, or until `cancel` is readable, and calls `answer` for up to
// `jobs` lines concurrently. Lines that are too long, and exceptions, are answered as errors. Stops
// with an error when answers cannot be written; a read error is returned after the lines read
// before it were answered.
Result<> AnswerLines(std::size_t jobs, int cancel, const AnswerLine& answer);

}  // namespace belljar::door::cli
