// The HTTP layer under load, in one process: what a small request costs, and whether many clients
// at once are all served, in whole and in streams, while others come and go without manners.
//
// Prints a line per claim and, last, "N passed, N failed".
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "foundation/base/sys.h"
#include "foundation/http/server/server.h"

namespace {

using namespace belljar;
using Clock = std::chrono::steady_clock;

int passed = 0;
int failed = 0;

void Judge(bool good, const std::string& claim) {
  ++(good ? passed : failed);
  fmt::print("{} {}\n", good ? "ok  " : "FAIL", claim);
}

double CpuSeconds(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// One connection that sends the same request again and again.
class Caller {
 public:
  Caller(const std::string& path, std::string request, std::string end)
      : request_(std::move(request)), end_(std::move(end)) {
    sockaddr_un where{};
    where.sun_family = AF_UNIX;
    path.copy(where.sun_path, sizeof(where.sun_path) - 1);
    socket_ = Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int done = ::connect(socket_.get(), reinterpret_cast<sockaddr*>(&where), sizeof(where));
    if (done != 0) socket_.Close();
  }

  bool Send() {
    heard_.clear();
    const ssize_t sent = ::send(socket_.get(), request_.data(), request_.size(), MSG_NOSIGNAL);
    return sent == static_cast<ssize_t>(request_.size());
  }
  // Reads what is there. True when the answer is whole; errors are counted.
  bool Receive() {
    char buffer[4096];
    const ssize_t size = ::recv(socket_.get(), buffer, sizeof(buffer), 0);
    if (size <= 0) {
      broken_ = true;
      return true;
    }
    heard_.append(buffer, static_cast<std::size_t>(size));
    return heard_.ends_with(end_);
  }
  bool good() const { return !broken_ && heard_.starts_with("HTTP/1.1 200 "); }
  int fd() const { return socket_.get(); }

 private:
  Fd socket_;
  std::string request_;
  std::string end_;
  std::string heard_;
  bool broken_ = false;
};

std::string PostEcho(const std::string& body) {
  return fmt::format("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{}",
                     body.size(), body);
}

struct Cost {
  double cpu_us = 0;  // of the server's threads
  double wall_us = 0;
};

// Per request, over so many of them; nothing when one was not answered.
std::optional<Cost> Measure(Caller& caller, int requests) {
  const double all_before = CpuSeconds(RUSAGE_SELF);
  const double own_before = CpuSeconds(RUSAGE_THREAD);
  const auto since = Clock::now();
  for (int i = 0; i < requests; ++i) {
    if (!caller.Send()) return std::nullopt;
    while (!caller.Receive()) continue;
    if (!caller.good()) return std::nullopt;
  }
  const double wall = std::chrono::duration<double>(Clock::now() - since).count();
  const double own = CpuSeconds(RUSAGE_THREAD) - own_before;
  const double server = CpuSeconds(RUSAGE_SELF) - all_before - own;
  return Cost{server * 1e6 / requests, wall * 1e6 / requests};
}

// The best of several batches: what a request costs, not what else the machine is doing.
void OneClient(const std::string& path) {
  constexpr int kBatches = 8;
  constexpr int kRequests = 2500;
  Caller caller(path, PostEcho("{\"code\":\"1+1\"}"), "{\"code\":\"1+1\"}");
  Cost best{1e9, 1e9};
  int answered = 0;
  for (int i = 0; i < kBatches; ++i) {
    const std::optional<Cost> cost = Measure(caller, kRequests);
    if (!cost) break;
    ++answered;
    best = {std::min(best.cpu_us, cost->cpu_us), std::min(best.wall_us, cost->wall_us)};
  }
  Judge(answered == kBatches, "one client: every request is answered");
  fmt::print("     one client: {:.1f} us of CPU in the server for a request, {:.1f} us in all\n",
             best.cpu_us, best.wall_us);
}

// All callers have a request under way at any time, until each has had `rounds` answers.
int Together(std::vector<Caller>& callers, int rounds) {
  std::vector<pollfd> waiting;
  std::vector<int> left(callers.size(), rounds);
  int errors = 0;
  for (Caller& caller : callers) {
    if (!caller.Send()) ++errors;
    waiting.push_back({caller.fd(), POLLIN, 0});
  }
  std::size_t open = callers.size();
  while (open > 0 && ::poll(waiting.data(), waiting.size(), 5000) > 0) {
    for (std::size_t i = 0; i < callers.size(); ++i) {
      if (waiting[i].revents == 0 || !callers[i].Receive()) continue;
      const bool good = callers[i].good();
      errors += good ? 0 : 1;
      if (good && --left[i] > 0 && callers[i].Send()) continue;
      waiting[i].fd = -1;
      --open;
    }
  }
  return errors + static_cast<int>(open);
}

void ManyClients(const std::string& path, const std::string& claim, const std::string& request,
                 const std::string& end) {
  constexpr int kClients = 256;
  constexpr int kRounds = 40;
  std::vector<Caller> callers;
  for (int i = 0; i < kClients; ++i) callers.emplace_back(path, request, end);
  const auto since = Clock::now();
  const int errors = Together(callers, kRounds);
  const double wall = std::chrono::duration<double>(Clock::now() - since).count();
  Judge(errors == 0, fmt::format("{}: {} errors, {:.0f} answers a second", claim, errors,
                                 kClients * kRounds / wall));
}

// Clients that leave in the middle of everything, while others are served.
void RudeClients(const std::string& path) {
  std::atomic<bool> stop{false};
  std::thread rude([&] {
    for (int i = 0; !stop; ++i) {
      Caller caller(
          path, PostEcho(std::string(1000, 'r')).substr(0, static_cast<std::size_t>(i % 1100)), "");
      static_cast<void>(caller.Send());
    }
  });
  ManyClients(path, "256 clients beside rude ones", PostEcho("polite"), "polite");
  stop = true;
  rude.join();
}

http::server::Options Routes(const std::string& path) {
  http::server::Options options;
  options.listen = {"unix:" + path};
  const std::string open(http::server::kPublic);
  const http::server::Handler echo = [](http::server::Exchange exchange) {
    exchange.Answer(http::server::Response{200, "application/json", exchange.TakeBody(), {}});
  };
  const http::server::Handler events = [](http::server::Exchange exchange) {
    if (!exchange.BeginStream(http::server::StreamKind::kNdjson)) return;
    for (int i = 0; i < 10; ++i) {
      if (!exchange.Write("{\"stdout\":\"a line of output\"}")) return;
    }
    exchange.EndStream();
  };
  const bool added =
      options.router.Add("POST", "/echo", {.scope = open, .handler = echo, .body_limit = 4096}) &&
      options.router.Add("GET", "/events", {.scope = open, .handler = events});
  if (!added) std::abort();
  return options;
}

}  // namespace

int main() {
  char pattern[] = "/tmp/belljar-http-load-XXXXXX";
  const std::string directory = ::mkdtemp(pattern);
  const std::string path = directory + "/s";
  auto server = http::server::Server::Create(Routes(path));
  if (!server || !(*server)->Start()) return 1;
  OneClient(path);
  ManyClients(path, "256 clients", PostEcho("{}"), "\r\n\r\n{}");
  ManyClients(path, "256 streams", "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n", "0\r\n\r\n");
  RudeClients(path);
  const auto drained = (*server)->Drain(Clock::now() + std::chrono::seconds(5));
  Judge(static_cast<bool>(drained), "everything ends within the time to drain");
  Judge((*server)->stats().connections == 0, "no connection is left");
  std::filesystem::remove_all(directory);
  fmt::print("{} passed, {} failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
