// Workers: the thread pool on which handlers run, apart from the event loops, because handlers
// block.
//
// Jobs run on a boost::asio::thread_pool. In front of it each caller has a queue of its own, and
// the queues are served round-robin. Each caller gets only a part of the threads and of the queue
// places, so that a flood from one caller leaves room for the requests of others and does not delay
// them. The order of runs is decided later, by the admission of callers; this is only about
// threads, and about requests that start no run.
//
// Long jobs (they wait for a run's turn and its end) may occupy only a part of the threads, and
// have separate queues: however many there are, short jobs such as an interrupt are still served.
// Each queue of a caller is FIFO.
//
// The queues are bounded. A job for a full queue is refused at once, which costs the caller less
// than waiting in vain.
//
// Threads are added to the pool on demand, up to a bound, and stay: an idle server has few. They
// are not made by the pool's constructor, because that makes all at once, and if one cannot be made
// it never returns (thread_group joins the others). Here, if no thread can be made, a job waits for
// an existing thread, or is refused if there is none.
//
// Thread-safe. The destructor drops waiting jobs and joins running ones.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "foundation/http/server/limits.h"

namespace belljar::http::server {

// kBrief: a moment. kLong: as long as a program runs or a client sends.
enum class Span { kBrief, kLong };

class Workers {
 public:
  using Job = std::move_only_function<void()>;

  explicit Workers(const WorkerLimits& limits);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // False if the queue is full, if the workers are stopping, or if there is no thread and none can
  // be made. The job must not throw.
  [[nodiscard]] bool Submit(const std::string& caller, Span span, Job job);

  // Drops the waiting jobs, and returns when the running ones have ended.
  void Stop();

  std::size_t waiting() const;

 private:
  struct Line {
    std::string caller;
    std::deque<Job> brief, lasting;  // waiting jobs
    std::size_t running = 0;
    std::size_t running_long = 0;  // included in `running`

    std::deque<Job>& jobs(Span span) { return span == Span::kLong ? lasting : brief; }
  };
  using Lines = std::list<Line>;
  struct Turn {
    Lines::iterator line;
    Span span;
  };

  // All of these except Run() are called with the lock held.
  Lines::iterator LineOf(const std::string& caller);
  void ForgetIfEmpty(Lines::iterator line);
  void Dispatch();
  std::optional<Turn> Next();
  bool MayRun(const Line& line, Span span) const;
  void Begin(Turn turn);
  void Finish(Turn turn);
  void EnsureThread();
  void Run(Turn turn, Job job);

  const WorkerLimits limits_;
  mutable std::mutex mutex_;
  Lines lines_;  // in the order of turns; a caller without jobs has no entry
  std::map<std::string, Lines::iterator> by_caller_;
  std::size_t busy_ = 0;       // jobs that were handed to the pool
  std::size_t busy_long_ = 0;  // included in `busy_`
  std::size_t waiting_ = 0;
  bool stopping_ = false;
  boost::asio::thread_pool pool_{0};
  std::vector<std::thread> threads_;  // attached to the pool; at least `busy_`
};

}  // namespace belljar::http::server
