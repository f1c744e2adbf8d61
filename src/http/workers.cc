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
  MakeThread();
  if (threads_.size() <= loops_ + busy_) return false;
  ++loops_;
  all_loops_.push_back({std::move(step)});
  work_.notify_one();
  return true;
}

bool Workers::Submit(const std::string& caller, Span span, Job job, const void* source) {
  Lock lock(mutex_);
  if (stopping_ || waiting_ >= limits_.queue) return false;
  const auto line = LineOf(caller);
  if (MayTake(*line, span)) {
    Begin({line, span}, source);
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

void Workers::Begin(Turn turn, const void* source) {
  const std::size_t lasting = turn.span == Span::kLong ? 1 : 0;
  one_by_one_ = source != nullptr && source == source_ ? one_by_one_ + 1 : 0;
  source_ = source;
  ++busy_, ++turn.line->running;
  busy_long_ += lasting, turn.line->running_long += lasting;
}

void Workers::Finish(Turn turn) {
  const std::size_t lasting = turn.span == Span::kLong ? 1 : 0;
  --busy_, --turn.line->running;
  busy_long_ -= lasting, turn.line->running_long -= lasting;
  // A job that has waited for this end is taken by this thread, unless a loop needs it first.
  if (waiting_ > 0 && FreeLoop() != nullptr) work_.notify_one();
  ForgetIfEmpty(turn.line);
}

void Workers::ForgetIfEmpty(Lines::iterator line) {
  if (line->running > 0 || !line->brief.empty() || !line->lasting.empty()) return;
  by_caller_.erase(line->caller);
  lines_.erase(line);
}

Workers::Loop* Workers::FreeLoop() {
  const auto now = Clock::now();
  for (Loop& loop : all_loops_) {
    if (!loop.tended && !loop.ended && loop.free_from <= now) return &loop;
  }
  return nullptr;
}

// Whether one waits for the thread that has left it.
bool Workers::IsLeft(Clock::time_point now) const {
  return std::ranges::any_of(all_loops_, [now](const Loop& loop) {
    return !loop.tended && !loop.ended && loop.free_from > now;
  });
}

bool Workers::IsOneByOne(Clock::time_point now) const {
  return one_by_one_ >= kOneByOne && now - left_ <= kLately;
}

void Workers::Wait(Lock& lock) {
  const auto now = Clock::now();
  if (standing_by_ || !(IsLeft(now) || IsOneByOne(now))) return work_.wait(lock);
  standing_by_ = true;
  work_.wait_for(lock, kMoment);
  standing_by_ = false;
}

void Workers::Work() {
  Lock lock(mutex_);
  for (;;) {
    auto turn = Next();
    Loop* loop = FreeLoop();
    while (!turn && loop == nullptr && (!stopping_ || loops_ > 0)) {
      Wait(lock);
      turn = Next();
      loop = FreeLoop();
    }
    // It may have stood by: then another has to.
    if (!standing_by_ && IsLeft(Clock::now())) work_.notify_one();
    if (loop != nullptr) {
      TendOne(lock, *loop);
      continue;
    }
    if (!turn) return;
    auto& jobs = turn->line->jobs(turn->span);
    Job job = std::move(jobs.front());
    jobs.pop_front();
    --waiting_;
    Begin(*turn, nullptr);
    lines_.splice(lines_.end(), lines_, turn->line);  // its next turn comes after everybody's
    lock.unlock();
    job();
    job = nullptr;  // what it owns ends outside the lock
    lock.lock();
    Finish(*turn);
  }
}

// Until the loop ends, or another has taken it while this thread ran a job.
void Workers::TendOne(Lock& lock, Loop& loop) {
  while (!loop.tended && !loop.ended) {
    loop.tended = true;
    lock.unlock();
    std::optional<Taken> taken;
    taking_ = &taken;
    bool more = true;
    while (more && !taken) more = loop.step();
    taking_ = nullptr;
    lock.lock();
    Leave(loop, more);
    lock.unlock();
    if (taken) taken->job();
    const auto turn = taken ? std::optional(Turn{taken->line, taken->span}) : std::nullopt;
    taken.reset();  // what the job owns ends outside the lock
    lock.lock();
    if (turn) Finish(*turn);
  }
}

void Workers::Leave(Loop& loop, bool more) {
  loop.tended = false;
  if (!more) {
    loop.ended = true;
    --loops_;
    work_.notify_all();  // they may have waited for the end
    return;
  }
  left_ = Clock::now();
  const bool briefly = standing_by_ && one_by_one_ >= kOneByOne;
  loop.free_from = briefly ? left_ + kMoment : left_;
  if (!briefly) work_.notify_one();
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
