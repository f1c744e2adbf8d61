// The bytes of a connection, from its first to the client's end of sending. Two claims:
//
// A reader that gets them in groups of any size comes to the same requests and the same refusal as
// one that gets them all at once, and never to a request beyond its limits or with a path that
// could be read in two ways.
//
// A server that gets them on a real socket answers whole responses and closes; as many of them as
// the reader saw requests, and one for the refusal.
//
// The input's first byte says how many of the next bytes are group lengths (its low half) and
// whether the slower second claim is tried, too (its top bit); the rest is the stream.
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/sys.h"
#include "foundation/base/text.h"
#include "foundation/http/server/request_reader.h"
#include "foundation/http/server/server.h"

namespace {

using namespace belljar;
using namespace belljar::http::server;

constexpr std::size_t kBodyLimit = 1000;

void Require(bool holds) {
  if (!holds) std::abort();
}

struct Seen {
  std::vector<std::string> requests;
  unsigned refusal = 0;
  bool operator==(const Seen&) const = default;
};

void CheckRequest(const Request& request) {
  Require(request.headers.all().size() <= HeadLimits{}.headers);
  Require(request.path.starts_with('/') && request.path.size() <= HeadLimits{}.target_bytes);
  Require(request.body.size() <= kBodyLimit);
  for (const std::string& segment : request.segments) {
    Require(!segment.empty() && segment != "." && segment != ".." && IsValidUtf8(segment));
    Require(segment.find_first_of(std::string_view("/\0", 2)) == std::string::npos);
  }
}

// Reads requests as a connection does, but without one.
class Follower {
 public:
  void Feed(std::string_view group) {
    held_ += group;
    while (seen.refusal == 0 && Step()) continue;
  }
  Seen seen;

 private:
  // False when nothing more can be done with what is held.
  bool Step() {
    if (!reader_) {
      const auto end = FindHeadEnd(held_, 0);
      if (!end) return Refused(RefuseUnended(held_, {}));
      reader_ = std::make_unique<RequestReader>(HeadLimits{});
      if (Refused(reader_->ReadHead(std::string_view(held_).substr(0, *end)))) return false;
      if (Refused(reader_->LimitBody(kBodyLimit))) return false;
      held_.erase(0, *end);
    }
    if (!reader_->done()) {
      auto progress = reader_->ReadBody(held_, reader_->request().body);
      Require(progress.used <= held_.size());
      held_.erase(0, progress.used);
      if (Refused(std::move(progress.refusal))) return false;
      if (!reader_->done()) return progress.used > 0;
    }
    CheckRequest(reader_->request());
    seen.requests.push_back(reader_->request().method + " " + reader_->request().path + " " +
                            reader_->request().body);
    last_ = !reader_->keep_alive();
    reader_.reset();
    return !last_;
  }
  bool Refused(std::optional<Response> refusal) {
    if (refusal) seen.refusal = refusal->status;
    return refusal.has_value();
  }

  std::string held_;
  std::unique_ptr<RequestReader> reader_;
  bool last_ = false;
};

Seen Follow(std::string_view stream, std::string_view lengths) {
  Follower follower;
  std::size_t turn = 0;
  while (!stream.empty()) {
    const std::size_t wish = lengths.empty()
                                 ? stream.size()
                                 : static_cast<unsigned char>(lengths[turn++ % lengths.size()]);
    const std::size_t group = std::clamp<std::size_t>(wish, 1, stream.size());
    follower.Feed(stream.substr(0, group));
    stream.remove_prefix(group);
  }
  return follower.seen;
}

std::unique_ptr<Server> MakeServer() {
  Options options;
  options.limits.io_threads = 1;
  const Handler echo = [](Exchange exchange) {
    exchange.Answer(Response{200, "text/plain", exchange.TakeBody(), {}});
  };
  for (const char* method : {"GET", "POST", "PUT"}) {
    for (const char* pattern : {"/", "/a", "/a/{id}", "/b/{path...}"}) {
      const Result<> added = options.router.Add(method, pattern,
                                                {.scope = std::string(kPublic),
                                                 .handler = echo,
                                                 .body_limit = kBodyLimit,
                                                 .runs_on = RunsOn::kLoop});
      Require(static_cast<bool>(added));
    }
  }
  auto server = Server::Create(std::move(options));
  Require(server && (*server)->Start());
  return *std::move(server);
}

std::string Converse(Server& server, std::string_view stream) {
  auto ends = MakeSocketPair(SOCK_STREAM);
  Require(static_cast<bool>(ends));
  server.Serve(std::move(ends->theirs));
  const int fd = ends->ours.get();
  // The server may refuse and close before it has read everything.
  while (!stream.empty()) {
    const Result<long> sent = Check("send", "to the server", [&] {
      return ::send(fd, stream.data(), stream.size(), MSG_NOSIGNAL);
    });
    if (!sent) break;
    stream.remove_prefix(static_cast<std::size_t>(*sent));
  }
  ::shutdown(fd, SHUT_WR);
  std::string heard;
  char buffer[4096];
  for (;;) {
    const Result<long> size =
        Check("recv", "from the server", [&] { return ::recv(fd, buffer, sizeof(buffer), 0); });
    if (!size || *size == 0) return heard;
    heard.append(buffer, static_cast<std::size_t>(*size));
  }
}

std::size_t CountAnswers(std::string_view heard) {
  std::size_t count = 0;
  while (!heard.empty()) {
    Require(heard.starts_with("HTTP/1.1 "));
    const std::size_t end = heard.find("\r\n\r\n");
    Require(end != std::string_view::npos);
    const std::string_view head = heard.substr(0, end + 2);
    heard.remove_prefix(end + 4);
    count += head.starts_with("HTTP/1.1 100") ? 0 : 1;
    const std::size_t length = head.find("\r\nContent-Length: ");
    if (length == std::string_view::npos) continue;
    const std::size_t size = std::strtoul(head.data() + length + 18, nullptr, 10);
    Require(size <= heard.size());
    heard.remove_prefix(size);
  }
  return count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t groups = std::min<std::size_t>(data[0] % 16, input.size());
  const std::string_view stream = input.substr(groups);
  const Seen whole = Follow(stream, "");
  Require(Follow(stream, input.substr(0, groups)) == whole);

  // HEAD is left out: its answers tell of a body that does not follow.
  if (data[0] < 128 || stream.find("HEAD") != std::string_view::npos) return 0;
  static const std::unique_ptr<Server>& server = *new std::unique_ptr<Server>(MakeServer());
  const std::size_t answers = CountAnswers(Converse(*server, stream));
  // The server knows fewer routes than the follower, so it may have closed earlier: never later.
  Require(answers <= whole.requests.size() + 1);
  Require(whole.requests.empty() || answers > 0);
  return 0;
}
