#include "foundation/http/server/workers.h"

#include <boost/asio/post.hpp>
#include <system_error>
#include <utility>

#include "foundation/http/server/quiet_thread.h"

namespace belljar::http::server {

Workers::Workers(const WorkerLimits& limits) : limits_(limits) {}
Workers::~Workers() { Stop(); }

bool Workers::Submit(const std::string& caller, Span span, Job job) {
  const std::lock_guard lock(mutex_);
  if (stopping_ || waiting_ >= limits_.queue) return false;
  EnsureThread();
  if (threads_.empty()) return false;
  const auto line = LineOf(caller);
  if (line->jobs(span).size() >= limits_.queue_per_caller) return false;
  line->jobs(span).push_back(std::move(job));
  ++waiting_;
  Dispatch();
  return true;
}

Workers::Lines::iterator Workers::LineOf(const std::string& caller) {
  const auto found = by_caller_.find(caller);
  if (found != by_caller_.end()) return found->second;
  lines_.push_back({caller, {}, {}, 0, 0});
  return by_caller_.emplace(caller, std::prev(lines_.end())).first->second;
}

void Workers::ForgetIfEmpty(Lines::iterator line) {
  if (line->running > 0 || !line->brief.empty() || !line->lasting.empty()) return;
  by_caller_.erase(line->caller);
  lines_.erase(line);
}

// Hands every job that may run now to the pool.
void Workers::Dispatch() {
  while (const auto turn = Next()) {
    auto& jobs = turn->line->jobs(turn->span);
    Job job = std::move(jobs.front());
    jobs.pop_front();
    --waiting_;
    Begin(*turn);
    lines_.splice(lines_.end(), lines_,
                  turn->line);  // the caller's next turn comes after all others
    boost::asio::post(
        pool_, [this, turn = *turn, job = std::move(job)]() mutable { Run(turn, std::move(job)); });
  }
}

std::optional<Workers::Turn> Workers::Next() {
  if (waiting_ == 0) return std::nullopt;
  EnsureThread();
  if (busy_ >= threads_.size()) return std::nullopt;
  for (auto line = lines_.begin(); line != lines_.end(); ++line) {
    for (const Span span : {Span::kBrief, Span::kLong}) {
      if (!line->jobs(span).empty() && MayRun(*line, span)) return Turn{line, span};
    }
  }
  return std::nullopt;
}

bool Workers::MayRun(const Line& line, Span span) const {
  if (line.running >= limits_.threads_per_caller) return false;
  return span == Span::kBrief ||
         (busy_long_ < limits_.long_threads && line.running_long < limits_.long_threads_per_caller);
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
  ForgetIfEmpty(turn.line);
}

// Adds a thread for one more job, unless one is free or the bound is reached.
void Workers::EnsureThread() {
  if (threads_.size() > busy_ || threads_.size() >= limits_.threads) return;
  try {
    threads_.push_back(QuietThread([this] { pool_.attach(); }));
  } catch (const std::system_error&) {
    return;  // out of threads for now
  }
}

void Workers::Run(Turn turn, Job job) {
  job();
  job = nullptr;  // destroys what the job owns outside of the lock
  const std::lock_guard lock(mutex_);
  Finish(turn);
  if (!stopping_) Dispatch();
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
  dropped.clear();  // destroys what the jobs own outside of the lock
  pool_.stop();
  for (std::thread& thread : threads) thread.join();
}

std::size_t Workers::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_;
}

}  // namespace belljar::http::server
