#include "resource/tools/tool_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <array>

#include "foundation/base/sys.h"

namespace belljar::resource::tools {
namespace {

constexpr std::uint64_t kWakeNumber = 0;
// How long a worker waits for the next line; a busy program sends it within this time.
constexpr int kLingerMs = 2;
constexpr std::size_t kMostBegun = 64 << 10;
constexpr int kLongLineMs = 2000;
// A client that does not read its answers for this long is disconnected.
constexpr int kSendMs = 5'000;
constexpr std::chrono::milliseconds kRest{50};

void TakeNoSignals() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

// The error line for a client whose request cannot be answered.
std::string RefusalLine(std::string_view kind, std::string_view why) {
  return json::serialize(
      json::object{{"jsonrpc", "2.0"},
                   {"id", nullptr},
                   {"error", {{"code", 1}, {"message", why}, {"data", {{"kind", kind}}}}}});
}

bool SendLine(const Fd& socket, std::string line) {
  line += '\n';
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t n = ::send(socket.get(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno == EAGAIN) {
      pollfd room{socket.get(), POLLOUT, 0};
      if (::poll(&room, 1, kSendMs) <= 0 || (room.revents & (POLLERR | POLLHUP)) != 0) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<ToolCallServer>> ToolCallServer::Create() {
  std::unique_ptr<ToolCallServer> desk(new ToolCallServer());
  const long epoll =
      BJ_TRY(Check("epoll_create1", "tools", [] { return ::epoll_create1(EPOLL_CLOEXEC); }));
  desk->epoll_ = Fd(static_cast<int>(epoll));
  const long wake = BJ_TRY(Check("eventfd", "tools", [] { return ::eventfd(0, EFD_CLOEXEC); }));
  desk->wake_ = Fd(static_cast<int>(wake));
  BJ_TRY(desk->Arm(desk->wake_, kWakeNumber, EPOLLIN, EPOLL_CTL_ADD));
  desk->waiter_ = std::thread([&desk = *desk] {
    TakeNoSignals();
    desk.Wait();
  });
  return desk;
}

ToolCallServer::~ToolCallServer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
  const std::uint64_t one = 1;
  const ssize_t ignored = ::write(wake_.get(), &one, sizeof(one));
  static_cast<void>(ignored);
  if (waiter_.joinable()) waiter_.join();
  for (std::thread& worker : workers_) worker.join();
}

Result<> ToolCallServer::Arm(const Fd& fd, std::uint64_t number, std::uint32_t events,
                             int operation) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = number;
  BJ_TRY(Check("epoll_ctl", "a tools socket",
               [&] { return ::epoll_ctl(epoll_.get(), operation, fd.get(), &event); }));
  return {};
}

Result<std::unique_ptr<CellToolEndpoint>> ToolCallServer::Open(const Fd& listener) {
  const long own = BJ_TRY(
      Check("dup", "a tools socket", [&] { return ::fcntl(listener.get(), F_DUPFD_CLOEXEC, 3); }));
  Fd copy(static_cast<int>(own));
  std::unique_ptr<CellToolEndpoint> seat(new CellToolEndpoint(*this));
  const std::lock_guard lock(mutex_);
  seat->number_ = next_++;
  BJ_TRY(Arm(copy, seat->number_, EPOLLIN, EPOLL_CTL_ADD));
  places_.emplace(seat->number_, Place{seat.get(), std::move(copy)});
  return seat;
}

void ToolCallServer::Close(CellToolEndpoint& seat) {
  std::unique_lock lock(mutex_);
  const auto place = places_.find(seat.number_);
  if (place == places_.end()) return;
  place->second.closing = true;
  for (const auto& [number, connection] : place->second.connections) {
    ::shutdown(connection->socket.get(), SHUT_RDWR);
    owners_.erase(number);
  }
  done_.wait(lock, [&] { return place->second.working == 0; });
  places_.erase(place);
}

void ToolCallServer::Recheck() {
  std::vector<std::shared_ptr<ToolRun>> runs;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [number, place] : places_) {
      const std::lock_guard seat_lock(place.seat->mutex_);
      if (place.seat->run_) runs.push_back(place.seat->run_);
    }
  }
  for (const auto& run : runs) run->Recheck();
}

void ToolCallServer::Wait() {
  std::array<epoll_event, 64> events;
  int patience = -1;
  for (;;) {
    const int count =
        ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), patience);
    if (count < 0 && errno != EINTR) return;
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    for (int i = 0; i < count; ++i) Handle(events[static_cast<std::size_t>(i)].data.u64);
    patience = WakeRested();
  }
}

void ToolCallServer::Handle(std::uint64_t number) {
  if (const auto place = places_.find(number); place != places_.end()) {
    if (!place->second.closing) Accept(place->second, number);
    return;
  }
  const auto owner = owners_.find(number);
  if (owner == owners_.end()) return;
  Place& place = places_.at(owner->second);
  Dispatch(place, place.connections.at(number));
}

void ToolCallServer::Accept(Place& place, std::uint64_t number) {
  Fd socket(::accept4(place.listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!socket) return Rest(place, number);
  if (place.connections.size() >= kMostConnections) {
    static_cast<void>(SendLine(socket, RefusalLine("exhausted", "too many connections")));
    return Rest(place, number);
  }
  auto connection = std::make_shared<Connection>(std::move(socket), number);
  connection->number = next_++;
  if (!Arm(connection->socket, connection->number, EPOLLIN | EPOLLONESHOT, EPOLL_CTL_ADD)) return;
  owners_[connection->number] = number;
  place.connections[connection->number] = std::move(connection);
}

void ToolCallServer::Rest(Place& place, std::uint64_t number) {
  if (!Arm(place.listener, number, 0, EPOLL_CTL_MOD)) return;
  resting_.emplace_back(std::chrono::steady_clock::now() + kRest, number);
}

int ToolCallServer::WakeRested() {
  const auto now = std::chrono::steady_clock::now();
  while (!resting_.empty()) {
    const auto [until, number] = resting_.front();
    if (until > now) {
      return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(until - now).count());
    }
    resting_.pop_front();
    const auto place = places_.find(number);
    if (place == places_.end() || place->second.closing) continue;
    static_cast<void>(Arm(place->second.listener, number, EPOLLIN, EPOLL_CTL_MOD));
  }
  return -1;
}

void ToolCallServer::Dispatch(Place& place, ConnectionPtr connection) {
  if (place.working >= kMostWorking) {
    place.ready.push_back(std::move(connection));
    return;
  }
  ++place.working;
  queue_.push_back(std::move(connection));
  if (idle_ < queue_.size() && workers_.size() < kMostWorkers) AddWorker();
  work_.notify_one();
}

// Starts another worker thread. If none can be created, the existing workers take the work.
void ToolCallServer::AddWorker() {
  try {
    workers_.emplace_back([this] {
      TakeNoSignals();
      Work();
    });
  } catch (const std::system_error&) {
  }
}

// An exception, for example when memory runs out, closes only this connection.
ToolCallServer::After ToolCallServer::ConverseSafely(CellToolEndpoint& seat,
                                                     Connection& connection) {
  try {
    return Converse(seat, connection);
  } catch (const std::exception&) {
    return After::kClose;
  }
}

void ToolCallServer::Work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    work_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    --idle_;
    if (queue_.empty()) return;
    const ConnectionPtr connection = std::move(queue_.front());
    queue_.pop_front();
    // Safe without the lock: a seat waits for its workers before it is destroyed.
    CellToolEndpoint& seat = *places_.at(connection->seat).seat;
    lock.unlock();
    const After after = ConverseSafely(seat, *connection);
    lock.lock();
    Finish(connection, after);
  }
}

void ToolCallServer::Finish(const ConnectionPtr& connection, After after) {
  Place& place = places_.at(connection->seat);
  --place.working;
  const bool again =
      after == After::kWait && !place.closing &&
      Arm(connection->socket, connection->number, EPOLLIN | EPOLLONESHOT, EPOLL_CTL_MOD);
  if (!again && !place.closing) {
    owners_.erase(connection->number);
    place.connections.erase(connection->number);
  }
  if (place.closing) return done_.notify_all();
  if (place.ready.empty()) return;
  ConnectionPtr next = std::move(place.ready.front());
  place.ready.pop_front();
  Dispatch(place, std::move(next));
}

ToolCallServer::After ToolCallServer::Converse(CellToolEndpoint& seat, Connection& connection) {
  std::array<char, 16 << 10> chunk;
  for (;;) {
    const ssize_t n = ::recv(connection.socket.get(), chunk.data(), chunk.size(), MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) return After::kClose;
    if (n > 0) {
      const auto fed = connection.lines.Feed(
          {chunk.data(), static_cast<std::size_t>(n)}, [&](std::string_view line) -> Result<> {
            std::string answer = seat.Answer(line);
            if (answer.empty() || SendLine(connection.socket, std::move(answer))) return {};
            return Error(Kind::kUnavailable, "the program does not read its answers");
          });
      if (!fed) {
        static_cast<void>(SendLine(
            connection.socket,
            RefusalLine("invalid", fmt::format("a line has at most {} bytes", kMaxLineBytes))));
        return After::kClose;
      }
      continue;
    }
    // An incomplete long line occupies our memory, so the worker stays with it, and closes the
    // connection if the rest does not arrive in time.
    const bool long_line = connection.lines.begun() > kMostBegun;
    pollfd more{connection.socket.get(), POLLIN, 0};
    if (::poll(&more, 1, long_line ? kLongLineMs : kLingerMs) <= 0) {
      return long_line ? After::kClose : After::kWait;
    }
  }
}

}  // namespace belljar::resource::tools
