// ExchangeState: what a handler's thread and a connection's loop share about one exchange.
//
// Two bounded buffers, one in each direction, under one lock. The handler's side waits on a
// condition variable; the loop's side never waits, it is woken by `wake`, which posts to it. A
// connection that ends detaches itself first, so that `wake` is never called on a dead loop.
//
// A whole answer is sent by the handler's own thread, as far as the socket takes it at once: the
// client then need not wait until the loop has woken up. The loop sends nothing meanwhile, and
// closes the socket only once it is detached.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "foundation/base/fd.h"
#include "foundation/http/server/activity.h"
#include "foundation/http/server/compose.h"
#include "foundation/http/server/message.h"

namespace belljar::http::server {

enum class Room { kWait, kFail };         // what to do when the buffer is full
enum class Streams { kAllowed, kNever };  // a handler on the loop must not wait for it

// A socket on which a whole answer can be sent, and how it is to be.
struct OpenLine {
  int socket = -1;
  After after = After::kClose;
  Extent extent = Extent::kWhole;
  const std::atomic<bool>* stopping = nullptr;  // the answer closes, whatever was meant before

  After AfterNow() const { return *stopping ? After::kClose : after; }
};

class ExchangeState {
 public:
  struct Setup {
    std::size_t buffer_bytes = 0;
    Streams streams = Streams::kAllowed;
    std::function<void()> wake;
    std::optional<OpenLine> line;  // where the whole request has been read
    Fd gone;                       // silent, of an exchange before this one; may be none
  };
  ExchangeState(Request request, Principal principal, Setup setup, Activity::Token activity);

  Request request;
  const Principal principal;

  // ---- The handler's side.
  void Mark(std::string name, std::string value);
  void Answer(Response response);
  Result<> Begin(StreamHead head);
  Result<> Write(std::string_view event, Room room);
  void End();
  void Leave();  // the Exchange ends
  Result<std::size_t> ReadBody(std::span<char> into);
  Result<int> GoneFd();
  bool is_gone() const;

  // ---- The loop's side.
  struct Outgoing {
    std::variant<std::monostate, Response, StreamHead> head;  // once, before everything else
    std::string bytes;                                        // chunks of a stream
    enum class Then { kMore, kDone, kCut } then = Then::kMore;
    // Of an answer that has been sent in part or whole: what is left, and what it promised.
    struct Begun {
      std::string rest;
      After after = After::kClose;
    };
    std::optional<Begun> begun;
  };
  Outgoing Take();
  Headers marks() const;
  std::size_t BodyRoom() const;
  void GiveBody(std::string_view bytes);
  void EndBody();
  void MarkGone();
  void Detach();  // MarkGone, and never wake or send again
  // After Detach(): the descriptor of GoneFd() for the next exchange, if there is one
  // and it has stayed silent.
  Fd TakeGoneFd();

 private:
  enum class Stage { kWaiting, kAnswered, kStreaming, kEnded, kCut };

  void Wake();  // these four under the lock
  void TellGone();
  bool IsOver() const { return stage_ == Stage::kAnswered || stage_ == Stage::kEnded; }
  void SendNow(const Response& response);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Setup setup_;
  Activity::Token activity_;
  Stage stage_ = Stage::kWaiting;
  std::variant<std::monostate, Response, StreamHead> head_;
  std::optional<Outgoing::Begun> begun_;
  Headers marks_;
  StreamKind kind_ = StreamKind::kNdjson;
  std::string outgoing_;
  std::string body_;  // pieces that ReadBody has not fetched
  std::size_t body_read_ = 0;
  bool body_ended_ = false;
  bool gone_ = false;
  Fd gone_fd_;
  bool gone_is_told_ = false;  // by it
};

}  // namespace belljar::http::server
