// Workers: threads for handlers that block, and the line in which requests wait for one.
//
// Threads are made when a job finds none free, up to a bound, and stay. The line is bounded, too:
// a job that finds it full is refused at once, which costs the caller less than waiting in vain.
//
// Jobs carry the name of the caller they are for. Callers take turns, each has only a part of the
// line and of the threads, and so a flood from one leaves room for another's request and does not
// stand before it. Within one caller's jobs the order is kept.
//
// Thread-safe. The destructor drops the jobs that wait and joins those that run.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace belljar::http {

struct WorkerLimits {
  std::size_t threads = 64;
  std::size_t threads_per_caller = 48;
  std::size_t queue = 1024;
  std::size_t queue_per_caller = 768;
};

class Workers {
 public:
  using Job = std::move_only_function<void()>;

  explicit Workers(const WorkerLimits& limits);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // False when the line is full, when the workers are stopping, or when no thread can be made.
  // The job must not throw.
  [[nodiscard]] bool Submit(const std::string& caller, Job job);

  // Drops the jobs that wait and returns when those that run have ended.
  void Stop();

  std::size_t waiting() const;

 private:
  struct Line {
    std::string caller;
    std::deque<Job> jobs;
    std::size_t running = 0;
  };
  using Lines = std::list<Line>;

  void Work();
  Lines::iterator Next();  // the line whose turn it is, or end
  void Finish(Lines::iterator line);
  [[nodiscard]] bool MakeThread();

  const WorkerLimits limits_;
  mutable std::mutex mutex_;
  std::condition_variable work_;
  Lines lines_;  // in the order of turns; a caller without jobs has none
  std::map<std::string, Lines::iterator> by_caller_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  std::size_t waiting_ = 0;
  bool stopping_ = false;
};

}  // namespace belljar::http
