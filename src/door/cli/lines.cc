#include "door/cli/lines.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "foundation/base/sys.h"
#include "request/request.h"

namespace belljar::door::cli {
namespace {

// Reads lines of a descriptor; one that is too long is answered as an error and skipped.
class LineReader {
 public:
  // Reading ends when `cancel` is readable.
  explicit LineReader(int cancel) : cancel_(cancel) {}

  struct Line {
    std::string text;  // if too long: its beginning
    bool too_long = false;
  };

  // The error that ended reading early, if any.
  const Result<>& Read() const { return read_; }

  // The next line without its newline, or nullopt at the end.
  std::optional<Line> Next() {
    Line line;
    for (;;) {
      const std::size_t newline = buffer_.find('\n', scanned_);
      if (newline != std::string::npos) {
        if (!line.too_long) line.text = buffer_.substr(0, newline);
        buffer_.erase(0, newline + 1);
        scanned_ = 0;
        return line;
      }
      scanned_ = buffer_.size();
      if (buffer_.size() > request::kMaxLineBytes) {
        if (!line.too_long) line.text = buffer_.substr(0, kBeginning);
        line.too_long = true;
        buffer_.clear();
        scanned_ = 0;
      }
      if (!Fill()) break;
    }
    if (buffer_.empty() && !line.too_long) return std::nullopt;
    if (!line.too_long) line.text = buffer_;
    buffer_.clear();
    scanned_ = 0;
    return line;
  }

 private:
  static constexpr std::size_t kBeginning = 65536;  // enough to find the line's id

  bool Fill() {
    if (ended_) return false;  // a terminal would continue after EOF
    std::array<pollfd, 2> waited{{{0, POLLIN, 0}, {cancel_, POLLIN, 0}}};
    while (::poll(waited.data(), waited.size(), -1) < 0 && errno == EINTR) {
    }
    std::array<char, 65536> chunk;
    long n = 0;
    if (waited[1].revents == 0) {
      auto done =
          Check("read", "standard input", [&] { return ::read(0, chunk.data(), chunk.size()); });
      if (done) {
        n = *done;
      } else {
        read_ = std::move(done).error();
      }
    }
    ended_ = n == 0;
    buffer_.append(chunk.data(), static_cast<std::size_t>(n));
    return n > 0;
  }

  int cancel_;
  Result<> read_;
  std::string buffer_;
  std::size_t scanned_ = 0;
  bool ended_ = false;
};

// Threads that take turns reading: a free worker reads the next line and then answers it itself.
// Reading stops while all workers are busy.
class Workers {
 public:
  Workers(const AnswerLine& answer, Answers& answers, int cancel)
      : answer_(answer), answers_(answers), reader_(cancel) {}

  // After all workers have ended: the read error, if any.
  const Result<>& Read() const { return reader_.Read(); }

  void Work() {
    while (auto line = Next()) {
      if (line->too_long) {
        answers_.WriteError(
            request::SalvageIdJson(line->text),
            Error(Kind::kInvalid,
                  "a line is longer than " + std::to_string(request::kMaxLineBytes) + " bytes"));
      } else if (line->text.find_first_not_of(" \t\r") != std::string::npos) {
        Answer(line->text);
      }
    }
  }

 private:
  std::optional<LineReader::Line> Next() {
    const std::lock_guard lock(mutex_);
    if (!answers_.Written()) return std::nullopt;
    return reader_.Next();
  }

  void Answer(const std::string& line) {
    try {
      answer_(line, answers_);
    } catch (const std::exception& error) {
      answers_.WriteError(request::SalvageIdJson(line), Error(Kind::kInternal, error.what()));
    }
  }

  const AnswerLine& answer_;
  Answers& answers_;
  std::mutex mutex_;
  LineReader reader_;
};

}  // namespace

Answers::Answers() : out_(::fcntl(1, F_DUPFD_CLOEXEC, 3)) {}

void Answers::Write(const json::object& object) {
  const std::string text = json::serialize(object) + "\n";
  const std::lock_guard lock(mutex_);
  if (gone_) return;
  auto done = WriteAll(out_, text, "standard output");
  if (done) return;
  gone_ = true;
  if (done.error().sys() != EPIPE) written_ = std::move(done);
}

Result<> Answers::Written() {
  const std::lock_guard lock(mutex_);
  return written_;
}

void Answers::WriteError(const json::value& id, const Error& error) {
  Write({{"id", id}, {"error", {{"kind", KindName(error.kind())}, {"message", error.message()}}}});
}

Result<> AnswerLines(std::size_t jobs, int cancel, const AnswerLine& answer) {
  Answers answers;
  Workers workers(answer, answers, cancel);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < jobs; ++i) threads.emplace_back([&] { workers.Work(); });
  }
  BJ_TRY(answers.Written());
  return workers.Read();
}

}  // namespace belljar::door::cli
