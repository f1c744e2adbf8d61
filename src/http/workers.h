// Workers: the threads of a server. They tend its event loops, and run the handlers, which block.
//
// A loop is tended by one thread at a time. A job that is submitted from there is run by that same
// thread, which leaves the loop to another: it is awake, and to wake another would cost more than
// many a job does. There always are threads that run no job, as many as there are loops; where it
// would be one too few, and where others wait, the job waits in a line.
//
// Where jobs of one source, of which there is never more than one, have come one after the other,
// the loop is left to nobody for a moment: most jobs are over by then, and their thread finds the
// next request where all that it has just used is in its CPU's caches. One of the others stands by,
// and looks after the loop if the job lasts longer.
//
// Threads are made when a job finds none free, up to a bound, and stay. The line is bounded, too:
// a job that finds it full is refused at once, which costs the caller less than waiting in vain.
//
// Jobs carry the name of the caller they are for. Callers take turns, each has only a part of the
// line and of the threads, and so a flood from one leaves room for another's request and does not
// stand before it. Jobs that last (they wait for a run's turn and end) have only a part of the
// threads in the same way, and a line of their own: however many there are, what takes a moment is
// done in one, and a run can be interrupted. In each line of a caller the order is kept.
//
// Thread-safe. The destructor drops the jobs that wait and joins those that run; loops must have
// been told to end before.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace belljar::http {

struct WorkerLimits {
  std::size_t threads = 80;  // for jobs; each loop has one more
  std::size_t threads_per_caller = 60;
  std::size_t queue = 1024;
  std::size_t queue_per_caller = 768;  // of each span
  std::size_t long_threads = 64;       // of `threads`
  std::size_t long_threads_per_caller = 48;
};

// How long a job takes: a moment, or as long as a program runs or a client sends.
enum class Span { kBrief, kLong };

class Workers {
 public:
  using Job = std::move_only_function<void()>;
  // One step of an event loop, which may wait. False when there is never another.
  using Step = std::function<bool()>;

  explicit Workers(const WorkerLimits& limits);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Makes a loop's steps from now on. Fails when no thread can be made.
  [[nodiscard]] bool Tend(Step step);

  // False when the line is full, when the workers are stopping, or when no thread can be made.
  // The job must not throw. Of the same `source` the next one comes when this one has been
  // answered.
  [[nodiscard]] bool Submit(const std::string& caller, Span span, Job job,
                            const void* source = nullptr);

  // Drops the jobs that wait and returns when those that run, and the loops, have ended.
  void Stop();

  std::size_t waiting() const;

 private:
  struct Line {
    std::string caller;
    std::deque<Job> brief, lasting;  // that wait
    std::size_t running = 0;
    std::size_t running_long = 0;  // of those

    std::deque<Job>& jobs(Span span) { return span == Span::kLong ? lasting : brief; }
  };
  using Lines = std::list<Line>;
  using Clock = std::chrono::steady_clock;
  struct Loop {
    Step step;
    bool tended = false;
    bool ended = false;
    Clock::time_point free_from{};  // for threads other than the one that has left it
  };
  using Loops = std::list<Loop>;
  using Lock = std::unique_lock<std::mutex>;
  // A job that this thread will run when it has left its loop.
  struct Taken {
    Job job;
    Lines::iterator line;
    Span span;
  };
  struct Turn {
    Lines::iterator line;
    Span span;
  };

  // How long a loop is its thread's alone, and how often somebody looks: others wait for both at
  // most.
  static constexpr std::chrono::milliseconds kMoment{2};
  static constexpr std::chrono::milliseconds kLately{50};
  static constexpr std::size_t kOneByOne = 4;

  void Work();
  void Wait(Lock& lock);
  Loop* FreeLoop();
  bool IsLeft(Clock::time_point now) const;
  bool IsOneByOne(Clock::time_point now) const;
  void TendOne(Lock& lock, Loop& loop);
  void Leave(Loop& loop, bool more);
  Lines::iterator LineOf(const std::string& caller);
  bool MayTake(const Line& line, Span span);
  bool MayRun(const Line& line, Span span) const;
  std::optional<Turn> Next();  // whose turn it is, and for which of its jobs
  void Begin(Turn turn, const void* source);
  void Finish(Turn turn);
  void ForgetIfEmpty(Lines::iterator line);
  // Whether a thread can be spared for one more job, besides `others`; makes one where it can.
  bool HasThreadFor(std::size_t others);
  void MakeThread();

  // Set while this thread tends a loop of these workers.
  static thread_local std::optional<Taken>* taking_;

  const WorkerLimits limits_;
  mutable std::mutex mutex_;
  std::condition_variable work_;
  Lines lines_;  // in the order of turns; a caller without jobs has none
  std::map<std::string, Lines::iterator> by_caller_;
  Loops all_loops_;
  std::size_t loops_ = 0;         // that have not ended
  const void* source_ = nullptr;  // of the last job
  std::size_t one_by_one_ = 0;    // jobs of it, one after the other
  bool standing_by_ = false;      // somebody looks after loops that are left
  Clock::time_point left_{};      // when one was, last
  std::vector<std::thread> threads_;
  std::size_t busy_ = 0;       // threads with a job
  std::size_t busy_long_ = 0;  // of those, with one that lasts
  std::size_t waiting_ = 0;
  bool stopping_ = false;
};

}  // namespace belljar::http
