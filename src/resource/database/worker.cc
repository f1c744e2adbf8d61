#include "resource/database/worker.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "foundation/base/sys.h"
#include "resource/database/transaction.h"

namespace belljar::resource::database {
namespace {

constexpr std::size_t kMostInput = 4U << 20;
constexpr std::uint64_t kOwnMemory = 128U << 20;
constexpr std::uint64_t kMemoryOfAByte = 32;  // per byte of the answer, while it is built

// Reads the parent's lines on a thread of its own; cancels the statement and ends the process at
// end of file.
class Control {
 public:
  Control() : thread_([this] { Listen(); }) { thread_.detach(); }

  std::string WaitForLine() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return held_.find('\n') != std::string::npos; });
    const std::size_t end = held_.find('\n');
    std::string line = held_.substr(0, end);
    held_.erase(0, end + 1);
    return line;
  }
  // Registers the transaction to interrupt when the parent has gone.
  class Watched {
   public:
    Watched(Control& control, Transaction& transaction) : control_(control) { Set(&transaction); }
    ~Watched() { Set(nullptr); }
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;

   private:
    void Set(Transaction* transaction) {
      const std::lock_guard lock(control_.mutex_);
      control_.watched_ = transaction;
    }
    Control& control_;
  };

 private:
  void Listen() {
    std::array<char, 16 << 10> chunk;
    for (;;) {
      const ssize_t n = ::read(STDIN_FILENO, chunk.data(), chunk.size());
      if (n < 0 && errno == EINTR) continue;
      const std::lock_guard lock(mutex_);
      if (n > 0 && held_.size() < kMostInput) {
        held_.append(chunk.data(), static_cast<std::size_t>(n));
        changed_.notify_all();
        continue;
      }
      if (watched_ != nullptr) watched_->Interrupt();
      ::_exit(1);
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string held_;
  Transaction* watched_ = nullptr;
  std::thread thread_;  // runs until the process ends
};

void Say(const json::object& words) {
  const Fd out(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  static_cast<void>(WriteAll(out, json::serialize(words) + "\n", "the answer"));
}

int SayError(const Error& error) {
  Say({{"error", {{"kind", KindName(error.kind())}, {"message", error.message()}}}});
  return 1;
}

// Resource limits: bounds the process's memory and disables core dumps, which would contain data.
Result<> Confine(const Bounds& bounds) {
  const std::uint64_t memory = kOwnMemory + kMemoryOfAByte * bounds.max_bytes;
  const rlimit data{memory, memory}, none{0, 0};
  BJ_TRY(Check("setrlimit", "data", [&] { return ::setrlimit(RLIMIT_DATA, &data); }));
  BJ_TRY(Check("setrlimit", "core", [&] { return ::setrlimit(RLIMIT_CORE, &none); }));
  BJ_TRY(Check("prctl", "dumpable", [] { return ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }));
  ::sqlite3_hard_heap_limit64(static_cast<sqlite3_int64>(memory / 2));
  return {};
}

Result<> Serve(Control& control) {
  const auto told = BJ_TRY(ParseJson(control.WaitForLine()));
  if (!told.is_object()) return Error(Kind::kInvalid, "a job is an object");
  const Job job = BJ_TRY(JobFromJson(told.get_object()));
  BJ_TRY(Confine(job.bounds));
  const auto transaction = BJ_TRY(Begin(job));
  const Control::Watched watched(control, *transaction);
  const Answer answer = BJ_TRY(transaction->Run(job));
  Say({{"answer", ToJson(answer)}});
  if (job.task != Task::kWrite || control.WaitForLine() != "commit") return {};
  BJ_TRY(transaction->Commit());
  Say({{"answer", json::object()}});
  return {};
}

}  // namespace

int ServeJob() {
  ::signal(SIGPIPE, SIG_IGN);
  Control& control = *new Control();  // leaked on purpose: its thread runs until the process ends
  try {
    const auto served = Serve(control);
    return served ? 0 : SayError(served.error());
  } catch (const std::bad_alloc&) {
    return SayError(Error(Kind::kExhausted, "the answer takes too much memory"));
  } catch (const std::exception& error) {
    return SayError(Error(Kind::kInternal, error.what()));
  }
}

}  // namespace belljar::resource::database
