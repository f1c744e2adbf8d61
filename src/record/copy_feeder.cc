#include "record/copy_feeder.h"

#include <fmt/format.h>

#include "record/log_view.h"
#include "record/recovery.h"

namespace belljar::record {
namespace {

constexpr std::size_t kRecordsAtOnce = 1024;
// Records are collected for this long: a transaction for many records costs hardly more than one
// for a single record.
constexpr auto kBetweenSteps = std::chrono::milliseconds(20);
constexpr auto kAfterFailure = std::chrono::milliseconds(500);

}  // namespace

CopyFeeder::CopyFeeder(Writer& writer, std::string dir, SearchCopy& copy)
    : writer_(writer),
      dir_(std::move(dir)),
      copy_(copy),
      indexed_(writer.size()),
      thread_([this](const std::stop_token& stop) { Feed(stop); }) {}

CopyFeeder::~CopyFeeder() {
  {
    const std::lock_guard guard(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  thread_.request_stop();
}

void CopyFeeder::Pause(std::chrono::milliseconds pause) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, pause, [&] { return hurry_ || stopped_; });
}

void CopyFeeder::Feed(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    if (writer_.size() == indexed_) {
      writer_.WaitForMore(indexed_, stop);
      continue;
    }
    const Result<> fed = FeedSome();
    {
      const std::lock_guard guard(mutex_);
      error_ = fed ? std::nullopt : std::optional(fed.error());
      if (!fed) hurry_ = false;
      changed_.notify_all();
    }
    Pause(fed ? kBetweenSteps : kAfterFailure);
  }
}

Result<> CopyFeeder::FeedSome() {
  const std::uint64_t first = indexed_;
  const auto entries = writer_.Unfolded(first, kRecordsAtOnce);
  std::uint64_t end = first + entries.size();
  if (entries.empty()) {
    end = writer_.folded();
    BJ_TRY(CopyFromTiles(dir_, first, end, end, copy_));
  } else {
    std::vector<Record> records;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      Record record = BJ_TRY(ParseRecord(entries[i], first + i));
      records.push_back(std::move(record));
    }
    BJ_TRY(copy_.Insert(records));
  }
  writer_.SetIndexed(end);
  const std::lock_guard guard(mutex_);
  indexed_ = end;
  if (writer_.size() == end) hurry_ = false;
  return {};
}

Result<> CopyFeeder::CatchUp(std::chrono::milliseconds patience) {
  const std::uint64_t target = writer_.size();
  std::unique_lock lock(mutex_);
  const auto until = std::chrono::steady_clock::now() + patience;
  while (indexed_ < target) {
    hurry_ = true;
    changed_.notify_all();
    if (changed_.wait_until(lock, until) == std::cv_status::timeout && indexed_ < target) {
      const std::string why = error_ ? ": " + error_->message() : "";
      return Error(
          Kind::kUnavailable,
          fmt::format("the database is {} records behind the audit log{}", target - indexed_, why));
    }
  }
  return {};
}

}  // namespace belljar::record
