#include "http/workers.h"

#include <algorithm>
#include <system_error>

#include "http/quiet_thread.h"

namespace belljar::http {

thread_local std::optional<Workers::Taken>* Workers::taking_ = nullptr;

Workers::Workers(const WorkerLimits& limits) : limits_(limits) {}
Workers::~Workers() { Stop(); }

bool Workers::Tend(Step step) {
  const Lock lock(mutex_);
  ++loops_;
  MakeThread();
  if (threads_.size() < loops_ + busy_) {
    --loops_;
    return false;
  }
  untended_.push_back(std::move(step));
  work_.notify_one();
  return true;
}

bool Workers::Submit(const std::string& caller, Span span, Job job) {
  Lock lock(mutex_);
  if (stopping_ || waiting_ >= limits_.queue) return false;
  const auto line = LineOf(caller);
  if (MayTake(*line, span)) {
    Begin({line, span});
    *taking_ = Taken{std::move(job), line, span};
    return true;
  }
  static_cast<void>(HasThreadFor(waiting_));
  // Where none can be made, those there are will do, if there are any for jobs at all.
  if (line->jobs(span).size() >= limits_.queue_per_caller || threads_.size() <= loops_) {
    ForgetIfEmpty(line);
    return false;
  }
  line->jobs(span).push_back(std::move(job));
  ++waiting_;
  lock.unlock();  // or the thread that wakes up would wait for it at once
  work_.notify_one();
  return true;
}

Workers::Lines::iterator Workers::LineOf(const std::string& caller) {
  const auto found = by_caller_.find(caller);
  if (found != by_caller_.end()) return found->second;
  lines_.push_back({caller, {}, {}, 0, 0});
  return by_caller_.emplace(caller, std::prev(lines_.end())).first->second;
}

// Whether the calling thread can leave its loop for a job at once.
bool Workers::MayTake(const Line& line, Span span) {
  if (taking_ == nullptr || taking_->has_value() || waiting_ > 0) return false;
  return MayRun(line, span) && HasThreadFor(0);
}

bool Workers::MayRun(const Line& line, Span span) const {
  if (line.running >= limits_.threads_per_caller) return false;
  return span == Span::kBrief ||
         (busy_long_ < limits_.long_threads && line.running_long < limits_.long_threads_per_caller);
}

bool Workers::HasThreadFor(std::size_t others) {
  const std::size_t wanted = loops_ + busy_ + others + 1;
  if (threads_.size() < wanted && threads_.size() < loops_ + limits_.threads) MakeThread();
  return threads_.size() >= wanted;
}

void Workers::MakeThread() {
  try {
    threads_.push_back(QuietThread([this] { Work(); }));
  } catch (const std::system_error&) {
    return;  // out of threads for now
  }
}

std::optional<Workers::Turn> Workers::Next() {
  if (threads_.size() <= loops_ + busy_) return std::nullopt;
  for (auto line = lines_.begin(); line != lines_.end(); ++line) {
    for (const Span span : {Span::kBrief, Span::kLong}) {
      if (!line->jobs(span).empty() && MayRun(*line, span)) return Turn{line, span};
    }
  }
  return std::nullopt;
}

void Workers::Begin(Turn turn) {
  const std::size_t lasting = turn.span == Span::kLong ? 1 : 0;
  ++busy_, ++turn.line->running;
  busy_long_ += lasting, turn.line->running_long += lasting;
}

void Workers::Finish(Turn turn) {
  const std::size_t lasting = turn.span == Span::kLong ? 1 : 0;
  --busy_, --turn.line->running;
  busy_long_ -= lasting, turn.line->running_long -= lasting;
  // A job that has waited for this end is taken by this thread, unless a loop needs it first.
  if (waiting_ > 0 && !untended_.empty()) work_.notify_one();
  ForgetIfEmpty(turn.line);
}

void Workers::ForgetIfEmpty(Lines::iterator line) {
  if (line->running > 0 || !line->brief.empty() || !line->lasting.empty()) return;
  by_caller_.erase(line->caller);
  lines_.erase(line);
}

void Workers::Work() {
  Lock lock(mutex_);
  for (;;) {
    auto turn = Next();
    while (!turn && untended_.empty() && (!stopping_ || loops_ > 0)) {
      work_.wait(lock);
      turn = Next();
    }
    if (!untended_.empty()) {
      TendOne(lock);
      continue;
    }
    if (!turn) return;
    auto& jobs = turn->line->jobs(turn->span);
    Job job = std::move(jobs.front());
    jobs.pop_front();
    --waiting_;
    Begin(*turn);
    lines_.splice(lines_.end(), lines_, turn->line);  // its next turn comes after everybody's
    lock.unlock();
    job();
    job = nullptr;  // what it owns ends outside the lock
    lock.lock();
    Finish(*turn);
  }
}

// Until the loop ends, or a job has been taken there and run.
void Workers::TendOne(Lock& lock) {
  std::list<Step> mine;
  mine.splice(mine.begin(), untended_, untended_.begin());
  lock.unlock();
  std::optional<Taken> taken;
  taking_ = &taken;
  bool more = true;
  while (more && !taken) more = mine.front()();
  taking_ = nullptr;
  lock.lock();
  if (more) {
    untended_.splice(untended_.end(), mine);
  } else {
    --loops_;
  }
  lock.unlock();
  more ? work_.notify_one() : work_.notify_all();  // all: they may have waited for the end
  if (taken) taken->job();
  const auto turn = taken ? std::optional(Turn{taken->line, taken->span}) : std::nullopt;
  taken.reset();  // what the job owns ends outside the lock
  lock.lock();
  if (turn) Finish(*turn);
}

void Workers::Stop() {
  std::vector<std::thread> threads;
  std::vector<Job> dropped;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    threads.swap(threads_);
    for (Line& line : lines_) {
      for (auto* const jobs : {&line.brief, &line.lasting}) {
        std::move(jobs->begin(), jobs->end(), std::back_inserter(dropped));
        jobs->clear();
      }
    }
    waiting_ = 0;
  }
  work_.notify_all();
  dropped.clear();
  for (std::thread& thread : threads) thread.join();
}

std::size_t Workers::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_;
}

}  // namespace belljar::http
