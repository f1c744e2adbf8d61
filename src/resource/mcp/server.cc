#include "resource/mcp/server.h"

#include <fmt/format.h>

#include <algorithm>

#include "resource/mcp/http.h"

namespace belljar::resource::mcp {
namespace {

constexpr std::chrono::minutes kListKept{5};
constexpr std::chrono::milliseconds kFirstPause{250};
constexpr std::chrono::milliseconds kLongestPause{30'000};

}  // namespace

std::optional<Error> Server::MustWait(Clock::time_point now) const {
  if (now >= retry_at_) return std::nullopt;
  const auto left = std::chrono::ceil<std::chrono::seconds>(retry_at_ - now);
  return Error(Kind::kUnavailable,
               fmt::format("the server has failed {} times; it is tried again in {} s", failures_,
                           left.count()));
}

void Server::NoteFailure(Clock::time_point now) {
  ++failures_;
  if (failures_ < 2) return;
  const auto pause = kFirstPause * (1 << std::min<std::size_t>(failures_ - 2, 10));
  retry_at_ = now + std::min<std::chrono::milliseconds>(pause, kLongestPause);
}

// Returns the dropped client, so that its destructor, which waits, runs without the lock.
Server::ClientPtr Server::DropFailed() {
  if (!client_ || !client_->failure()) return nullptr;
  NoteFailure(Clock::now());
  tools_ = nullptr;
  return std::move(client_);
}

Result<Server::ClientPtr> Server::Connected(const Patience& patience) {
  ClientPtr dropped;
  {
    std::unique_lock lock(mutex_);
    dropped = DropFailed();
    while (connecting_) {
      if (changed_.wait_until(lock, patience.deadline) == std::cv_status::timeout) {
        return Error(Kind::kExhausted, "the server did not start in time");
      }
    }
    if (client_) return client_;
    if (auto wait = MustWait(Clock::now())) return *std::move(wait);
    connecting_ = true;
  }
  auto made = Connect(patience);
  const std::lock_guard lock(mutex_);
  connecting_ = false;
  changed_.notify_all();
  if (!made) {
    // A cancelled call says nothing about the server's health.
    if (made.error().kind() != Kind::kDenied) NoteFailure(Clock::now());
    return made.error();
  }
  client_ = *made;
  return client_;
}

Result<std::unique_ptr<Channel>> Server::MakeChannel() const {
  if (!spec_.url.empty()) return HttpChannel::Open(spec_.url, spec_.headers);
  return StdioChannel::Start(spec_.command, on_log_);
}

Result<Server::ClientPtr> Server::Connect(const Patience& patience) {
  auto channel = BJ_TRY(MakeChannel());
  auto client = Client::Open(std::move(channel), opening_, patience);
  if (!client && opening_ == Opening::kDiscover && client.error().kind() == Kind::kUnavailable) {
    auto again = BJ_TRY(MakeChannel());
    client = Client::Open(std::move(again), Opening::kInitialize, patience);
    if (client) opening_ = Opening::kInitialize;
  }
  if (!client) return client.error();
  return ClientPtr(*std::move(client));
}

Result<Server::ToolList> Server::Tools(const Patience& patience) {
  const ClientPtr client = BJ_TRY(Connected(patience));
  {
    const std::lock_guard lock(mutex_);
    const bool fresh = tools_ && Clock::now() - listed_at_ < kListKept;
    if (fresh && client == client_ && !client->TakeListChanged()) return tools_;
  }
  std::vector<Tool> tools = BJ_TRY(client->Tools(patience));
  auto listed = std::make_shared<const std::vector<Tool>>(std::move(tools));
  const std::lock_guard lock(mutex_);
  failures_ = 0;
  if (client == client_) {
    tools_ = listed;
    listed_at_ = Clock::now();
  }
  return ToolList(std::move(listed));
}

Result<CallResult> Server::Call(const std::string& tool, const json::object& arguments,
                                const Patience& patience) {
  const ClientPtr client = BJ_TRY(Connected(patience));
  auto result = client->Call(tool, arguments, patience);
  if (result) {
    const std::lock_guard lock(mutex_);
    failures_ = 0;
  }
  return result;
}

}  // namespace belljar::resource::mcp
