#include "http/workers.h"

#include <algorithm>
#include <system_error>

#include "http/quiet_thread.h"

namespace belljar::http {

Workers::Workers(const WorkerLimits& limits) : limits_(limits) {}
Workers::~Workers() { Stop(); }

bool Workers::Submit(const std::string& caller, Job job) {
  std::unique_lock lock(mutex_);
  if (stopping_ || waiting_ >= limits_.queue) return false;
  auto found = by_caller_.find(caller);
  if (found != by_caller_.end() && found->second->jobs.size() >= limits_.queue_per_caller) {
    return false;
  }
  if (idle_ <= waiting_ && !MakeThread()) return false;
  if (found == by_caller_.end()) {
    lines_.push_back({caller, {}, 0});
    found = by_caller_.emplace(caller, std::prev(lines_.end())).first;
  }
  found->second->jobs.push_back(std::move(job));
  ++waiting_;
  lock.unlock();  // or the thread that wakes up would wait for it at once
  work_.notify_one();
  return true;
}

// True when there is a thread that will come to the job: a new one, or any at all.
bool Workers::MakeThread() {
  if (threads_.size() >= limits_.threads) return true;
  try {
    threads_.push_back(QuietThread([this] { Work(); }));
  } catch (const std::system_error&) {  // out of threads for now; those there are will do
    return !threads_.empty();
  }
  return true;
}

Workers::Lines::iterator Workers::Next() {
  return std::find_if(lines_.begin(), lines_.end(), [&](const Line& line) {
    return !line.jobs.empty() && line.running < limits_.threads_per_caller;
  });
}

void Workers::Finish(Lines::iterator line) {
  --line->running;
  if (line->running == 0 && line->jobs.empty()) {
    by_caller_.erase(line->caller);
    lines_.erase(line);
  } else if (!line->jobs.empty()) {
    work_.notify_one();  // it may have waited for one of its own to end
  }
}

void Workers::Work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    auto line = Next();
    while (line == lines_.end() && !stopping_) {
      ++idle_;
      work_.wait(lock);
      --idle_;
      line = Next();
    }
    if (stopping_) return;
    Job job = std::move(line->jobs.front());
    line->jobs.pop_front();
    --waiting_;
    ++line->running;
    lines_.splice(lines_.end(), lines_, line);  // its next turn comes after everybody's
    lock.unlock();
    job();
    job = nullptr;  // what it owns ends outside the lock
    lock.lock();
    Finish(line);
  }
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
