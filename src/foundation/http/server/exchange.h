// Exchange: one request, and the one answer that must be given to it.
//
// A handler receives it by value and answers once: whole, or as a stream. It may keep it after it
// has returned and answer from any thread, one thread at a time. If an Exchange is destroyed
// unanswered, the server answers 500. If it is destroyed in the middle of a stream, the connection
// is cut, so that the client cannot mistake a part for the whole.
//
// No call waits for the client without bound. Write() uses a bounded buffer (backpressure) and
// fails if the client has gone or has stopped reading for too long. ReadBody() fails if the client
// sends slower than the least rate. An Exchange may outlive the Server; its answer is then dropped.
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
  explicit Exchange(std::shared_ptr<ExchangeState> state);  // called by the server
  Exchange(Exchange&&) noexcept;
  Exchange& operator=(Exchange&&) noexcept;
  ~Exchange();

  const Request& request() const;
  const Principal& principal() const;  // its name is empty on public routes
  std::string TakeBody();              // moves a large body out of the request

  // Adds a named value to this request's Served record; the first value of a name counts.
  void Mark(std::string name, std::string value);

  // Sends a whole answer. A second one, or one after a stream has begun, is dropped.
  void Answer(Response response);
  void Answer(const Error& error) { Answer(ErrorResponse(error)); }

  // Fails if an answer has begun already, if the handler runs on the loop, and for invalid headers.
  Result<> BeginStream(StreamHead head);
  Result<> BeginStream(StreamKind kind, unsigned status = 200) {
    return BeginStream(StreamHead{kind, status, {}, {}});
  }
  // Writes one event, or one piece for kBytes. Waits while the buffer is full.
  Result<> Write(std::string_view event);
  // Like Write(), but does not wait: if the buffer is full it writes nothing and fails with
  // kExhausted.
  Result<> TryWrite(std::string_view event);
  void EndStream();

  // Waits for the next piece of the body of a kPieces route. 0 at the body's end.
  Result<std::size_t> ReadBody(std::span<char> into);

  // A descriptor that becomes readable when the client has gone or has closed its sending side, or
  // when the server is shutting down. Owned by the Exchange.
  Result<int> client_gone();
  bool is_client_gone() const;

 private:
  void Leave();

  std::shared_ptr<ExchangeState> state_;  // shared with the connection, which may end first
};

}  // namespace belljar::http::server
