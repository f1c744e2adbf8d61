// ToolDesk: where all cells' tool sockets are served.
//
// A cell is known by its listener, which was made inside it before its program was there; whatever
// connects to it is that cell. One thread waits for all of them. A connection on which something
// has come is given to a worker, which answers line by line, in order, and stays for a moment in
// case more comes; then the connection is waited for again. A program that asks several things at
// once uses several connections.
//
// Fairness. A cell has at most kMostWorking workers at a time; the rest of what it sends waits in
// its own sockets. So a cell that floods keeps its own few workers busy and nobody else's. It has
// at most kMostConnections connections: one more is told so and closed, and the listener then rests
// for a moment, so that a storm of them does not keep the one thread busy that all need.
//
// Thread-safe. Must outlive its seats.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "broker/tools_seat.h"
#include "mcp/message.h"

namespace belljar::broker {

class ToolDesk {
 public:
  static constexpr std::size_t kMostConnections = 64;  // of a cell
  static constexpr std::size_t kMostWorking = 4;       // workers of a cell at a time
  static constexpr std::size_t kMostWorkers = 256;
  static constexpr std::size_t kMaxLineBytes = (4U << 20) + (64U << 10);

  static Result<std::unique_ptr<ToolDesk>> Create();
  ~ToolDesk();

  // Serves what connects to `listener`, which does not block.
  Result<std::unique_ptr<ToolSeat>> Open(const Fd& listener);
  // Every run looks again whether what it has under way is still allowed.
  void Recheck();

 private:
  friend class ToolSeat;
  struct Connection {
    Connection(Fd taken, std::uint64_t of) : socket(std::move(taken)), seat(of) {}
    Fd socket;
    std::uint64_t seat;
    std::uint64_t number = 0;
    mcp::LineReader lines{kMaxLineBytes};
  };
  // Shared: a worker may be busy with one when its seat goes.
  using ConnectionPtr = std::shared_ptr<Connection>;
  struct Place {
    ToolSeat* seat;
    Fd listener;
    std::map<std::uint64_t, ConnectionPtr> connections{};
    std::deque<ConnectionPtr> ready{};  // something has come, and no worker is free for the cell
    std::size_t working = 0;
    bool closing = false;
  };
  enum class After { kWait, kClose };

  ToolDesk() = default;
  void Close(ToolSeat& seat);
  void Wait();
  void Handle(std::uint64_t number);
  void Accept(Place& place, std::uint64_t number);
  void Rest(Place& place, std::uint64_t number);
  // Listens to those again that have rested; how many milliseconds the next one still has to, or
  // -1.
  int WakeRested();
  void Dispatch(Place& place, ConnectionPtr connection);
  void AddWorker();
  void Work();
  After ConverseSafely(ToolSeat& seat, Connection& connection);
  void Finish(const ConnectionPtr& connection, After after);
  After Converse(ToolSeat& seat, Connection& connection);
  Result<> Arm(const Fd& fd, std::uint64_t number, std::uint32_t events, int operation);

  Fd epoll_;
  Fd wake_;  // an event: the desk goes
  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable done_;
  std::map<std::uint64_t, Place> places_;          // by the number of their listener
  std::map<std::uint64_t, std::uint64_t> owners_;  // of connections: the listener's number
  std::deque<ConnectionPtr> queue_;
  std::deque<std::pair<std::chrono::steady_clock::time_point, std::uint64_t>> resting_;
  std::uint64_t next_ = 1;
  std::size_t idle_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> workers_;
  std::thread waiter_;
};

}  // namespace belljar::broker
