#include "service/callers/admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <memory>

namespace belljar::service::callers {
namespace {

constexpr std::chrono::seconds kSoonest{1}, kLatest{60};
constexpr std::chrono::seconds kSessionEstimate{30};  // sessions end whenever their owners decide
constexpr std::chrono::milliseconds kLook{100};  // how often a waiting thread checks its deadline
constexpr double kWeightOfNew = 0.125;
// A caller counts as active for this long after its last run.
constexpr std::chrono::seconds kAbout{1};

// Shared by a waiting thread and the thread that answers it, because either may finish first.
struct Reply {
  std::mutex mutex;
  std::condition_variable arrived;
  std::optional<Result<Admission::Ticket>> result;
};

template <class Answers>
void Tell(Answers& answers) {
  for (auto& [then, result] : answers) then(std::move(result));
}

}  // namespace

Admission::Admission(const Capacity& capacity, Now now)
    : capacity_(capacity), now_(std::move(now)) {}

Result<Admission::Ticket> Admission::Admit(const Caller& caller, std::uint64_t memory_bytes) {
  const auto reply = std::make_shared<Reply>();
  AdmitThen(caller, memory_bytes, [reply](Result<Ticket> result) {
    const std::lock_guard lock(reply->mutex);
    reply->result = std::move(result);
    reply->arrived.notify_one();
  });
  for (;;) {
    {
      std::unique_lock lock(reply->mutex);
      reply->arrived.wait_for(lock, kLook, [&] { return reply->result.has_value(); });
      if (reply->result) return *std::move(reply->result);
    }
    Expire();
  }
}

std::uint64_t Admission::AdmitThen(const Caller& caller, std::uint64_t memory_bytes, Then then) {
  Answers answers;
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    number = next_number_++;
    auto allowed = closed_ ? Result<>(Closing()) : CheckEver(caller, memory_bytes);
    if (allowed) allowed = CheckNow(caller, shares_[caller.name], memory_bytes);
    if (allowed) {
      Enqueue(caller, {number, caller.quotas, memory_bytes, now_(), std::move(then)}, answers);
    } else {
      answers.emplace_back(std::move(then), std::move(allowed).error());
    }
  }
  Tell(answers);
  return number;
}

Result<> Admission::CheckEver(const Caller& caller, std::uint64_t memory_bytes) const {
  const Quotas& quotas = caller.quotas;
  const auto denied = [&](std::string_view why) {
    return Error(Kind::kDenied, fmt::format("caller {} {}", caller.name, why));
  };
  if (quotas.concurrent_runs == 0 || quotas.runs_per_minute == 0) {
    return denied("has no quota for runs");
  }
  if (memory_bytes > quotas.memory_bytes) {
    return denied(fmt::format("may have {} bytes of memory in all, and asks for {}",
                              quotas.memory_bytes, memory_bytes));
  }
  if (memory_bytes > std::min(capacity_.memory_bytes, capacity_.memory_of_one)) {
    return denied(fmt::format("asks for {} bytes of memory, more than this machine gives to one",
                              memory_bytes));
  }
  return {};
}

Result<> Admission::CheckNow(const Caller& caller, Share& share, std::uint64_t memory_bytes) {
  const Quotas& quotas = caller.quotas;
  if (quotas.runs_per_minute != Quotas::kNoLimit) {
    const auto wait = share.rate.WaitFor(quotas.runs_per_minute, now_());
    if (wait.count() > 0) {
      return Error(Kind::kExhausted, fmt::format("caller {} has begun {} runs within a minute, "
                                                 "its quota; try again in {} s",
                                                 caller.name, quotas.runs_per_minute, wait.count()))
          .RetryAfter(wait);
    }
  }
  if (const auto runs = share.runs + share.aside; runs >= quotas.concurrent_runs) {
    return Full(fmt::format("caller {} has {} runs at once, its quota", caller.name, runs));
  }
  if (memory_bytes > quotas.memory_bytes - std::min(share.memory_bytes, quotas.memory_bytes)) {
    return Full(fmt::format("caller {} holds {} of its {} bytes of memory, too much for another {}",
                            caller.name, share.memory_bytes, quotas.memory_bytes, memory_bytes));
  }
  return {};
}

// The estimated wait: the queue moves on by `runs` places in the time of one usual run.
Error Admission::Full(std::string_view what) const {
  const double rounds = (static_cast<double>(waiting_.size()) + 1) / std::max(capacity_.runs, 1U);
  const auto estimate = std::chrono::seconds(std::llround(std::ceil(rounds * usual_run_.count())));
  const auto wait = std::clamp(estimate, kSoonest, kLatest);
  return Error(Kind::kExhausted, fmt::format("{}; try again in {} s", what, wait.count()))
      .RetryAfter(wait);
}

// Every request goes through the queue, even when there is room, so that none overtakes those that
// wait.
void Admission::Enqueue(const Caller& caller, Waiter waiter, Answers& answers) {
  const std::uint64_t number = waiter.number;
  Share& share = shares_[caller.name];
  if (share.waiting.empty()) line_.push_back(caller.name);
  share.rate.Count(waiter.since);
  share.waiting.push_back(std::move(waiter));
  waiting_.emplace(number, caller.name);
  Dispatch(answers);
  if (!waiting_.contains(number)) return;
  if (share.waiting.size() > capacity_.waiting_of_one) {
    answers.emplace_back(std::move(share.waiting.back().then),
                         Full(fmt::format("caller {} has {} runs in line, and no more may wait",
                                          caller.name, capacity_.waiting_of_one)));
    share.waiting.pop_back();
    waiting_.erase(number);
    if (share.waiting.empty()) LeaveLine(caller.name);
  } else if (waiting_.size() > capacity_.waiting) {
    EvictOne(caller.name, answers);
  }
}

// Removes the youngest request of the caller with the most in the queue; on a tie, the newcomer's
// own.
void Admission::EvictOne(const std::string& newcomer, Answers& answers) {
  std::string longest = newcomer;
  for (const std::string& caller : line_) {
    if (shares_[caller].waiting.size() > shares_[longest].waiting.size()) longest = caller;
  }
  Share& share = shares_[longest];
  answers.emplace_back(
      std::move(share.waiting.back().then),
      Full(fmt::format("{} runs are in line, and no more may wait", capacity_.waiting)));
  waiting_.erase(share.waiting.back().number);
  share.waiting.pop_back();
  if (share.waiting.empty()) LeaveLine(longest);
}

std::uint32_t Admission::PlacesOfOne() const {
  const Time now = now_();
  const auto about = std::count_if(shares_.begin(), shares_.end(), [&](const auto& entry) {
    const Share& share = entry.second;
    return share.runs + share.aside > 0 || !share.waiting.empty() || now - share.last_run < kAbout;
  });
  const std::uint32_t most = capacity_.runs_of_one;
  return about > 1 ? std::min(most, capacity_.runs_beside_others) : most;
}

bool Admission::FitsShare(const Share& share, const Waiter& waiter, std::uint32_t places) const {
  if (share.runs + share.aside >= waiter.quotas.concurrent_runs) return false;
  const auto memory = std::min(waiter.quotas.memory_bytes, capacity_.memory_of_one);
  return share.runs < places && share.memory_bytes <= memory &&
         waiter.memory_bytes <= memory - share.memory_bytes;
}

bool Admission::FitsMachine(const Waiter& waiter) const {
  return memory_bytes_ <= capacity_.memory_bytes &&
         waiter.memory_bytes <= capacity_.memory_bytes - memory_bytes_;
}

// The memory that each active caller would get if all had the same.
std::uint64_t Admission::EqualShareOfMemory() const {
  const auto active = std::count_if(shares_.begin(), shares_.end(), [](const auto& entry) {
    const Share& share = entry.second;
    return share.runs + share.aside > 0 || share.sessions > 0 || !share.waiting.empty();
  });
  return capacity_.memory_bytes / static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(active, 1));
}

// The index in `line_` of the next caller to serve: the first whose oldest request fits.
std::optional<std::size_t> Admission::NextInLine() {
  if (runs_ >= capacity_.runs) return std::nullopt;
  const std::uint32_t places = PlacesOfOne();
  std::vector<Waiter*> passed;
  // Set once a waiting run has been passed too often.
  std::optional<std::uint64_t> memory_of_passers;
  for (std::size_t place = 0; place < line_.size(); ++place) {
    Share& share = shares_[line_[place]];
    Waiter& first = share.waiting.front();
    if (!FitsShare(share, first, places)) continue;
    if (!FitsMachine(first)) {
      if (first.passed >= kMaxPassed) memory_of_passers = EqualShareOfMemory();
      passed.push_back(&first);
      continue;
    }
    if (share.memory_bytes + first.memory_bytes >
        memory_of_passers.value_or(Quotas::kNoLimitBytes)) {
      continue;
    }
    for (Waiter* const waiter : passed) ++waiter->passed;
    return place;
  }
  return std::nullopt;
}

void Admission::Dispatch(Answers& answers) {
  while (const auto place = NextInLine()) {
    const std::string caller = line_[*place];
    Share& share = shares_[caller];
    Waiter waiter = std::move(share.waiting.front());
    share.waiting.pop_front();
    waiting_.erase(waiter.number);
    LeaveLine(caller);
    if (!share.waiting.empty()) line_.push_back(caller);
    answers.emplace_back(std::move(waiter.then),
                         Take(caller, share, waiter.memory_bytes, Ticket::For::kRun));
  }
}

void Admission::LeaveLine(const std::string& caller) {
  line_.erase(std::find(line_.begin(), line_.end(), caller));
}

Admission::Ticket Admission::Take(const std::string& caller, Share& share,
                                  std::uint64_t memory_bytes, Ticket::For what) {
  const bool is_run = what == Ticket::For::kRun;
  ++(is_run ? runs_ : sessions_);
  ++(is_run ? share.runs : share.sessions);
  memory_bytes_ += memory_bytes;
  share.memory_bytes += memory_bytes;
  return Ticket(this, {caller, memory_bytes, what, share.runs, now_()});
}

void Admission::GiveBack(const Ticket::Held& held) {
  Answers answers;
  {
    const std::lock_guard lock(mutex_);
    Share& share = shares_[held.caller];
    const bool is_run = held.what == Ticket::For::kRun;
    --(is_run ? runs_ : sessions_);
    --(is_run ? share.runs : share.sessions);
    memory_bytes_ -= held.memory_bytes;
    share.memory_bytes -= held.memory_bytes;
    if (is_run) {
      share.last_run = now_();
      usual_run_ += kWeightOfNew * (share.last_run - held.since - usual_run_);
    }
    Dispatch(answers);
  }
  Tell(answers);
}

std::shared_ptr<void> Admission::Ticket::StandAside() {
  from_->StepAside(held_);
  return {nullptr, [this](void*) { from_->StepBack(held_); }};
}

void Admission::StepAside(Ticket::Held& held) {
  Answers answers;
  {
    const std::lock_guard lock(mutex_);
    if (held.aside++ > 0) return;
    Share& share = shares_[held.caller];
    --runs_, ++aside_;
    --share.runs, ++share.aside;
    Dispatch(answers);
  }
  Tell(answers);
}

void Admission::StepBack(Ticket::Held& held) {
  const std::lock_guard lock(mutex_);
  if (--held.aside > 0) return;
  Share& share = shares_[held.caller];
  ++runs_, --aside_;
  ++share.runs, --share.aside;
}

void Admission::Cancel(std::uint64_t number) {
  Waiter gone{};  // destroyed after the lock is released
  Answers answers;
  {
    const std::lock_guard lock(mutex_);
    const auto known = waiting_.find(number);
    if (known == waiting_.end()) return;
    auto& waiting = shares_[known->second].waiting;
    const auto waiter = std::find_if(waiting.begin(), waiting.end(),
                                     [&](const Waiter& w) { return w.number == number; });
    gone = std::move(*waiter);
    waiting.erase(waiter);
    if (waiting.empty()) LeaveLine(known->second);
    waiting_.erase(known);
    Dispatch(answers);  // requests behind it may fit now
  }
  Tell(answers);
}

void Admission::Expire() {
  Answers answers;
  {
    const std::lock_guard lock(mutex_);
    const Time now = now_();
    for (auto entry = shares_.begin(); entry != shares_.end();) {
      auto& [caller, share] = *entry;
      auto& waiting = share.waiting;
      while (!waiting.empty() && now - waiting.front().since >= capacity_.longest_wait) {
        answers.emplace_back(std::move(waiting.front().then),
                             Full("all places for runs were taken for too long"));
        waiting_.erase(waiting.front().number);
        waiting.pop_front();
        if (waiting.empty()) LeaveLine(caller);
      }
      const bool idle = waiting.empty() && share.runs + share.aside == 0 && share.sessions == 0;
      entry = idle && share.rate.IsEmpty(now) ? shares_.erase(entry) : std::next(entry);
    }
    Dispatch(answers);
  }
  Tell(answers);
}

Result<Admission::Ticket> Admission::AdmitSession(const Caller& caller,
                                                  std::uint64_t memory_bytes) {
  const std::lock_guard lock(mutex_);
  if (closed_) return Closing();
  if (caller.quotas.sessions == 0) {
    return Error(Kind::kDenied, fmt::format("caller {} has no quota for sessions", caller.name));
  }
  BJ_TRY(CheckEver(caller, memory_bytes));
  Share& share = shares_[caller.name];
  const auto memory = std::min(caller.quotas.memory_bytes, capacity_.memory_of_one);
  const auto full = [](std::string_view what) {
    return Error(Kind::kExhausted, fmt::format("{}; end a session, or try again later", what))
        .RetryAfter(kSessionEstimate);
  };
  if (share.sessions >= caller.quotas.sessions) {
    return full(fmt::format("caller {} has {} sessions, its quota", caller.name, share.sessions));
  }
  if (sessions_ >= capacity_.sessions) {
    return full(fmt::format("this machine has {} sessions, all it can", sessions_));
  }
  if (share.memory_bytes > memory || memory_bytes > memory - share.memory_bytes ||
      memory_bytes > capacity_.memory_bytes - std::min(memory_bytes_, capacity_.memory_bytes)) {
    return full(
        fmt::format("no {} bytes of memory are left for caller {}", memory_bytes, caller.name));
  }
  return Take(caller.name, share, memory_bytes, Ticket::For::kSession);
}

Error Admission::Closing() { return Error(Kind::kUnavailable, "the service is about to end"); }

void Admission::Close() {
  Answers answers;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    for (auto& [caller, share] : shares_) {
      for (Waiter& waiter : share.waiting) answers.emplace_back(std::move(waiter.then), Closing());
      share.waiting.clear();
    }
    line_.clear();
    waiting_.clear();
  }
  Tell(answers);
}

Admission::Load Admission::load() const {
  const std::lock_guard lock(mutex_);
  return {runs_ + aside_, sessions_, memory_bytes_, waiting_.size()};
}

}  // namespace belljar::service::callers
