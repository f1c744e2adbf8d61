// Lines: one JSON line in, one JSON line out, several at a time.
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
  // One line, whole and at once, whoever else is answering.
  void Write(const json::object& object);
  void WriteError(const json::value& id, const Error& error);
  // The first failure to write, if there was one. A reader that has gone wanted no more, and is
  // none.
  Result<> Written();

 private:
  std::mutex mutex_;
  Fd out_;
  bool gone_ = false;
  Result<> written_;
};

using AnswerLine = std::function<void(const std::string& line, Answers& answers)>;

// Reads standard input to its end, or until `cancel` is readable, with `jobs` lines at once in
// `answer`. A line that is too long, and an exception, are answered as errors. Fails, and reads no
// further, when answers cannot be written; fails when lines cannot be read, after those that could.
Result<> AnswerLines(std::size_t jobs, int cancel, const AnswerLine& answer);

}  // namespace belljar::door::cli
