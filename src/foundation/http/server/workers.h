// Workers: the threads on which handlers run, apart from the event loops, because handlers block.
//
// Jobs run on a boost::asio::thread_pool. In front of it each caller has a line of its own: callers
// take turns, and each has only a part of the threads and of the places to wait, so that a flood
// from one leaves room for another's request and does not stand before it. Which run may begin, and
// in which order, is decided later, by the admission of callers; here it is only about threads and
// about requests that start no run.
//
// Jobs that last (they wait for a run's turn and end) have only a part of the threads in the same
// way, and a line of their own: however many there are, brief jobs are done, and a run can be
// interrupted. Each line of a caller is first in, first out.
//
// The lines are bounded. A job that finds them full is refused at once, which costs the caller less
// than to wait in vain.
//
// Threads join the pool when there are more jobs than threads, up to a bound, and stay: a quiet
// server has few. Those that the pool would make by itself come all at its construction, which
// never returns when one of them cannot be made (thread_group joins the others). Here such a job
// waits for a thread that is there, or is refused if there is none.
//
// Thread-safe. The destructor drops the jobs that wait and joins those that run.
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

// How long a job takes: a moment, or as long as a program runs or a client sends.
enum class Span { kBrief, kLong };

class Workers {
 public:
  using Job = std::move_only_function<void()>;

  explicit Workers(const WorkerLimits& limits);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // False when the line is full, when the workers are stopping, or when there is no thread and none
  // can be made. The job must not throw.
  [[nodiscard]] bool Submit(const std::string& caller, Span span, Job job);

  // Drops the jobs that wait and returns when those that run have ended.
  void Stop();

  std::size_t waiting() const;

 private:
  struct Line {
    std::string caller;
    std::deque<Job> brief, lasting;  // that wait
    std::size_t running = 0;
    std::size_t running_long = 0;  // included in `running`

    std::deque<Job>& jobs(Span span) { return span == Span::kLong ? lasting : brief; }
  };
  using Lines = std::list<Line>;
  struct Turn {
    Lines::iterator line;
    Span span;
  };

  // All but Run() with the lock held.
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
  Lines lines_;  // in the order of turns; a caller without jobs has none
  std::map<std::string, Lines::iterator> by_caller_;
  std::size_t busy_ = 0;       // jobs that the pool has
  std::size_t busy_long_ = 0;  // included in `busy_`
  std::size_t waiting_ = 0;
  bool stopping_ = false;
  boost::asio::thread_pool pool_{0};
  std::vector<std::thread> threads_;  // attached to the pool; at least `busy_`
};

}  // namespace belljar::http::server
