// ToolCallServer: the server for all cells' tool sockets.
//
// A cell is identified by its listening socket, which was made inside it before its program
// started; every connection to that socket is that cell's. One thread waits with epoll for all
// listeners and connections. A connection with input is passed to a worker thread, which answers
// line by line, in order, and lingers briefly for more input; then the connection goes back to
// epoll. A program that makes several calls concurrently uses several connections.
//
// Fairness. A cell occupies at most kMostWorking workers at a time; its other input waits in its
// sockets. So a cell that floods slows down only itself. It has at most kMostConnections
// connections: a further one gets an error and is closed, and the listener is then ignored for a
// moment, so that a storm of connections does not keep the shared thread busy.
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

#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "resource/mcp/message.h"
#include "resource/tools/cell_endpoint.h"

namespace belljar::resource::tools {

class ToolCallServer {
 public:
  static constexpr std::size_t kMostConnections = 64;  // per cell
  static constexpr std::size_t kMostWorking = 4;       // workers per cell at a time
  static constexpr std::size_t kMostWorkers = 256;
  static constexpr std::size_t kMaxLineBytes = (4U << 20) + (64U << 10);

  static Result<std::unique_ptr<ToolCallServer>> Create();
  ~ToolCallServer();

  // Serves the connections to `listener`, which must be non-blocking.
  Result<std::unique_ptr<CellToolEndpoint>> Open(const Fd& listener);
  // Makes every run check its calls in progress against the current policy.
  void Recheck();

 private:
  friend class CellToolEndpoint;
  struct Connection {
    Connection(Fd taken, std::uint64_t of) : socket(std::move(taken)), seat(of) {}
    Fd socket;
    std::uint64_t seat;
    std::uint64_t number = 0;
    mcp::LineReader lines{kMaxLineBytes};
  };
  // Shared: a worker may still use a connection when its seat is destroyed.
  using ConnectionPtr = std::shared_ptr<Connection>;
  struct Place {
    CellToolEndpoint* seat;
    Fd listener;
    std::map<std::uint64_t, ConnectionPtr> connections{};
    std::deque<ConnectionPtr> ready{};  // connections with input, waiting for a worker
    std::size_t working = 0;
    bool closing = false;
  };
  enum class After { kWait, kClose };

  ToolCallServer() = default;
  void Close(CellToolEndpoint& seat);
  void Wait();
  void Handle(std::uint64_t number);
  void Accept(Place& place, std::uint64_t number);
  void Rest(Place& place, std::uint64_t number);
  // Resumes listeners whose pause is over. Returns the milliseconds until the next one, or -1.
  int WakeRested();
  void Dispatch(Place& place, ConnectionPtr connection);
  void AddWorker();
  void Work();
  After ConverseSafely(CellToolEndpoint& seat, Connection& connection);
  void Finish(const ConnectionPtr& connection, After after);
  After Converse(CellToolEndpoint& seat, Connection& connection);
  Result<> Arm(const Fd& fd, std::uint64_t number, std::uint32_t events, int operation);

  Fd epoll_;
  Fd wake_;  // an eventfd, signalled when the desk is destroyed
  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable done_;
  std::map<std::uint64_t, Place> places_;          // key: number of the listener
  std::map<std::uint64_t, std::uint64_t> owners_;  // connection number -> listener number
  std::deque<ConnectionPtr> queue_;
  std::deque<std::pair<std::chrono::steady_clock::time_point, std::uint64_t>> resting_;
  std::uint64_t next_ = 1;
  std::size_t idle_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> workers_;
  std::thread waiter_;
};

}  // namespace belljar::resource::tools
