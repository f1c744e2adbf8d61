// ExchangeState: the state of one exchange that a handler's thread shares with a connection's loop.
//
// It has two bounded buffers, one for each direction, under one lock. The handler's side waits on a
// condition variable. The loop's side never waits; `wake` posts a wakeup to the loop. A connection
// that ends detaches itself first, so that `wake` is never called for a dead loop.
//
// The handler's own thread sends a whole answer as far as the socket accepts it at once, so the
// client need not wait until the loop wakes up. Meanwhile the loop sends nothing, and it closes the
// socket only after Detach().
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
enum class Streams { kAllowed, kNever };  // kNever: a handler on the loop must not block it

// A socket on which a whole answer can be sent, and how.
struct OpenLine {
  int socket = -1;
  After after = After::kClose;
  Extent extent = Extent::kWhole;
  const std::atomic<bool>* stopping = nullptr;  // set: close the connection in any case

  After AfterNow() const { return *stopping ? After::kClose : after; }
};

class ExchangeState {
 public:
  struct Setup {
    std::size_t buffer_bytes = 0;
    Streams streams = Streams::kAllowed;
    std::function<void()> wake;
    std::optional<OpenLine> line;  // set if the whole request has been read
    Fd gone;                       // unused eventfd of an earlier exchange, or empty
  };
  ExchangeState(Request request, Principal principal, Setup setup, Activity::Token activity);

  Request request;
  const Principal principal;

  // ---- Called by the handler's side.
  void Mark(std::string name, std::string value);
  void Answer(Response response);
  Result<> Begin(StreamHead head);
  Result<> Write(std::string_view event, Room room);
  void End();
  void Leave();  // the Exchange is destroyed
  Result<std::size_t> ReadBody(std::span<char> into);
  Result<int> GoneFd();
  bool is_gone() const;

  // ---- Called by the loop's side.
  struct Outgoing {
    std::variant<std::monostate, Response, StreamHead> head;  // once, before everything else
    std::string bytes;                                        // chunks of a stream
    enum class Then { kMore, kDone, kCut } then = Then::kMore;
    // An answer that the handler's thread has sent at least in part: the rest, and its After.
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
  void Detach();  // MarkGone(), and afterwards no wakeup and no send
  // After Detach(): the descriptor of GoneFd() for reuse by the next exchange, if there is one and
  // it was never signalled.
  Fd TakeGoneFd();

 private:
  enum class Stage { kWaiting, kAnswered, kStreaming, kEnded, kCut };

  void Wake();  // call these four under the lock
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
  std::string body_;  // pieces that ReadBody() has not fetched yet
  std::size_t body_read_ = 0;
  bool body_ended_ = false;
  bool gone_ = false;
  Fd gone_fd_;
  bool gone_is_told_ = false;  // gone_fd_ was signalled
};

}  // namespace belljar::http::server
