#include "foundation/log/logger.h"

#include <fcntl.h>
#include <spdlog/async.h>
#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include <chrono>
#include <mutex>
#include <thread>

#include "foundation/base/fd.h"
#include "foundation/base/sys.h"

namespace belljar::log {
namespace {

constexpr std::size_t kMostWaiting = 8'192;  // in lines
// A pause of the writing thread once the queue is empty. Waking the thread costs more CPU time than
// writing a line; the pause lets lines of runs that end close together share one wake-up.
constexpr std::chrono::milliseconds kRest{2};

Result<Fd> OpenFile(const std::string& file) {
  return belljar::Open(file, O_WRONLY | O_APPEND | O_CREAT | O_NOCTTY, 0600).While("log file");
}

}  // namespace

// A sink that writes each line with one write(): a full disk cuts at most the line being written,
// and lines of several processes that append do not mix. spdlog's own file sinks buffer, and throw
// when the disk is full.
class LineSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit LineSink(Fd file) : file_(std::move(file)) {}

  // Sets the thread pool that calls this sink; called before the first line is logged.
  void RestWith(spdlog::details::thread_pool& pool) { pool_ = &pool; }

  void Exchange(Fd file) {
    const std::lock_guard lock(mutex_);
    file_ = std::move(file);
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    std::string line(message.payload.data(), message.payload.size());
    line += '\n';
    const int fd = file_ ? file_.get() : STDERR_FILENO;
    const ssize_t ignored = ::write(fd, line.data(), line.size());
    static_cast<void>(ignored);  // a failed write cannot be reported anywhere
    if (pool_ != nullptr && pool_->queue_size() == 0) std::this_thread::sleep_for(kRest);
  }
  void flush_() override {}

 private:
  Fd file_;                                       // empty: stderr
  spdlog::details::thread_pool* pool_ = nullptr;  // not owned
};

struct Journal::Parts {
  std::shared_ptr<LineSink> sink;
  std::shared_ptr<spdlog::details::thread_pool> pool;
  // A shared_ptr, because spdlog's async_logger requires one.
  std::shared_ptr<spdlog::async_logger> logger;
  std::size_t told_lost = 0;
  std::mutex mutex;  // guards told_lost
};

Journal::Journal(const Options& options, std::unique_ptr<Parts> parts)
    : file_(options.file),
      detail_(options.detail),
      format_(options.format),
      parts_(std::move(parts)) {}

Journal::~Journal() = default;  // the pool's thread writes the queued lines before it ends

Result<std::unique_ptr<Journal>> Journal::Open(const Options& options) {
  Fd file;
  if (!options.file.empty()) file = BJ_TRY(OpenFile(options.file));
  auto parts = std::make_unique<Parts>();
  parts->sink = std::make_shared<LineSink>(std::move(file));
  parts->pool = std::make_shared<spdlog::details::thread_pool>(kMostWaiting, 1);
  parts->sink->RestWith(*parts->pool);
  parts->logger = std::make_shared<spdlog::async_logger>(
      "belljar", parts->sink, parts->pool, spdlog::async_overflow_policy::overrun_oldest);
  parts->logger->set_error_handler([](const std::string&) {});
  return std::unique_ptr<Journal>(new Journal(options, std::move(parts)));
}

void Journal::Write(const Line& line) {
  if (!Wants(line.from)) return;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto time_ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  const Format format = format_.load(std::memory_order_relaxed);
  std::size_t lost = parts_->pool->overrun_counter();
  {
    const std::lock_guard lock(parts_->mutex);
    lost -= std::exchange(parts_->told_lost, lost);
  }
  if (lost > 0) {
    const Line gap{Level::kWarning, Detail::kMinimal, "lost", {}, {}, {}, {}, {{"lines", lost}}};
    parts_->logger->info(spdlog::string_view_t(Render(gap, time_ms, format)));
  }
  parts_->logger->info(spdlog::string_view_t(Render(line, time_ms, format)));
}

void Journal::Set(Detail detail, Format format) {
  detail_ = detail;
  format_ = format;
}

Result<> Journal::Reopen() {
  if (file_.empty()) return {};
  parts_->sink->Exchange(BJ_TRY(OpenFile(file_)));
  return {};
}

}  // namespace belljar::log
