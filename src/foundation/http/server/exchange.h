// Exchange: one request, and the one answer that is owed to it.
//
// A handler gets it by value and answers once: whole, or as a stream. It may keep it after it has
// returned and answer from any thread, one thread at a time. An Exchange that ends unanswered is
// answered 500; one that ends in the middle of a stream cuts the connection, so that the client
// never takes a part for the whole.
//
// Nothing here waits for the client without bound: Write() holds a bounded buffer and fails once
// the client has gone or has stopped reading for too long, ReadBody() fails when the client sends
// slower than the least rate. The Exchange may outlive the Server; then it speaks to nobody.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "foundation/base/result.h"
#include "foundation/http/server/message.h"

namespace belljar::http::server {

class ExchangeState;

class Exchange {
 public:
  explicit Exchange(std::shared_ptr<ExchangeState> state);  // for the server
  Exchange(Exchange&&) noexcept;
  Exchange& operator=(Exchange&&) noexcept;
  ~Exchange();

  const Request& request() const;
  const Principal& principal() const;  // its name is empty on public routes
  std::string TakeBody();              // moves a large body out of the request

  // Something to be told with this request in Served, under a name; the first of a name counts.
  void Mark(std::string name, std::string value);

  // The whole answer. A second one, or one after a stream has begun, is dropped.
  void Answer(Response response);
  void Answer(const Error& error) { Answer(ErrorResponse(error)); }

  // Fails where an answer has been begun, on a handler that runs on the loop, and for headers that
  // cannot be sent.
  Result<> BeginStream(StreamHead head);
  Result<> BeginStream(StreamKind kind, unsigned status = 200) {
    return BeginStream(StreamHead{kind, status, {}, {}});
  }
  // One event, or for kBytes one piece. Waits while the buffer is full.
  Result<> Write(std::string_view event);
  // The same without waiting: kExhausted, and nothing written, when the buffer is full.
  Result<> TryWrite(std::string_view event);
  void EndStream();

  // The next piece of the body of a kPieces route; waits for it. 0 at the body's end.
  Result<std::size_t> ReadBody(std::span<char> into);

  // A descriptor that becomes readable when the client has gone, or has closed its sending side,
  // or when the server ends its wait. Owned by the Exchange.
  Result<int> client_gone();
  bool is_client_gone() const;

 private:
  void Leave();

  std::shared_ptr<ExchangeState> state_;  // shared with the connection, which may end first
};

}  // namespace belljar::http::server
