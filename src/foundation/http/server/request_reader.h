// RequestReader: the bytes of one request, by Beast's parser.
//
// First the head, given whole; then, if there is one, the body, in pieces of any size. Beast reads
// what RefuseHead has found plain; on top of what Beast refuses, this refuses what leaves room for
// a second opinion on where the request ends: Content-Length beside Transfer-Encoding, more than
// one of either, encodings other than "chunked", chunk extensions. Trailers are read, as many as
// there may be headers, and left out: what they say was not said when it was asked who asks. A
// proxy, which would have to pass them on, refuses them.
//
// The Beast headers stay in the .cc file, because they are slow to compile.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "foundation/http/server/head_text.h"
#include "foundation/http/server/message.h"

namespace belljar::http::server {

// What a request may ask for: a path of this server, or, of a proxy, whatever it reads itself.
enum class Targets { kPaths, kAsSent };

class RequestReader {
 public:
  explicit RequestReader(const HeadLimits& limits, Targets targets = Targets::kPaths);
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  // Reads a head that ends where FindHeadEnd said. Why it is refused, or nothing.
  std::optional<Response> ReadHead(std::string_view head);

  // Valid once the head has been read without refusal.
  Request& request() { return request_; }
  const std::string& target() const;  // as it was sent
  bool keep_alive() const;
  bool expects_continue() const { return expects_continue_; }
  bool has_body() const { return has_body_; }
  std::optional<std::uint64_t> content_length() const;  // none for a chunked body
  bool done() const;                                    // the whole request has been read

  // How large the body may become. To be called before the first ReadBody.
  std::optional<Response> LimitBody(std::uint64_t bytes);

  struct Progress {
    std::size_t used = 0;  // bytes that are not to be given again; the others are, with more
    std::optional<Response> refusal;
  };
  // Decodes what it can of `bytes` and appends the body's own bytes to `into`.
  Progress ReadBody(std::string_view bytes, std::string& into);

 private:
  class Parser;

  std::optional<Response> RefuseFraming() const;
  std::optional<Response> Expectation();

  HeadLimits limits_;
  Targets targets_;
  std::unique_ptr<Parser> parser_;
  Request request_;
  bool has_body_ = false;
  bool expects_continue_ = false;
  std::uint64_t body_limit_ = 0;
};

}  // namespace belljar::http::server
