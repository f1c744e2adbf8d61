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

bool Workers::Submit(const std::string& caller, Job job) {
  Lock lock(mutex_);
  if (stopping_ || waiting_ >= limits_.queue) return false;
  const auto line = LineOf(caller);
  if (MayTake(*line)) {
    ++line->running;
    ++busy_;
    *taking_ = Taken{std::move(job), line};
    return true;
  }
  static_cast<void>(HasThreadFor(waiting_));
  // Where none can be made, those there are will do, if there are any for jobs at all.
  if (line->jobs.size() >= limits_.queue_per_caller || threads_.size() <= loops_) {
    ForgetIfEmpty(line);
    return false;
  }
  line->jobs.push_back(std::move(job));
  ++waiting_;
  lock.unlock();  // or the thread that wakes up would wait for it at once
  work_.notify_one();
  return true;
}

Workers::Lines::iterator Workers::LineOf(const std::string& caller) {
  const auto found = by_caller_.find(caller);
  if (found != by_caller_.end()) return found->second;
  lines_.push_back({caller, {}, 0});
  return by_caller_.emplace(caller, std::prev(lines_.end())).first->second;
}

// Whether the calling thread can leave its loop for a job at once.
bool Workers::MayTake(const Line& line) {
  if (taking_ == nullptr || taking_->has_value() || waiting_ > 0) return false;
  return line.running < limits_.threads_per_caller && HasThreadFor(0);
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

Workers::Lines::iterator Workers::Next() {
  if (threads_.size() <= loops_ + busy_) return lines_.end();
  return std::find_if(lines_.begin(), lines_.end(), [&](const Line& line) {
    return !line.jobs.empty() && line.running < limits_.threads_per_caller;
  });
}

void Workers::Finish(Lines::iterator line) {
  --busy_;
  --line->running;
  // A job that has waited for this end is taken by this thread, unless a loop needs it first.
  if (waiting_ > 0 && !untended_.empty()) work_.notify_one();
  ForgetIfEmpty(line);
}

void Workers::ForgetIfEmpty(Lines::iterator line) {
  if (line->running > 0 || !line->jobs.empty()) return;
  by_caller_.erase(line->caller);
  lines_.erase(line);
}

void Workers::Work() {
  Lock lock(mutex_);
  for (;;) {
    auto line = Next();
    while (line == lines_.end() && untended_.empty() && (!stopping_ || loops_ > 0)) {
      work_.wait(lock);
      line = Next();
    }
    if (!untended_.empty()) {
      TendOne(lock);
      continue;
    }
    if (line == lines_.end()) return;
    Job job = std::move(line->jobs.front());
    line->jobs.pop_front();
    --waiting_;
    ++busy_;
    ++line->running;
    lines_.splice(lines_.end(), lines_, line);  // its next turn comes after everybody's
    lock.unlock();
    job();
    job = nullptr;  // what it owns ends outside the lock
    lock.lock();
    Finish(line);
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
  const auto line = taken ? std::optional(taken->line) : std::nullopt;
  taken.reset();  // what the job owns ends outside the lock
  lock.lock();
  if (line) Finish(*line);
}

void Workers::Stop() {
  std::vector<std::thread> threads;
  std::vector<Job> dropped;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    threads.swap(threads_);
    for (Line& line : lines_) {
      std::move(line.jobs.begin(), line.jobs.end(), std::back_inserter(dropped));
      line.jobs.clear();
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
