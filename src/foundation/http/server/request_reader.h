// RequestReader: parses one request with Beast's parser.
//
// First comes the head, as a whole; then the body, if there is one, in pieces of any size. Beast
// parses only heads that RefuseHead() has accepted. In addition to what Beast refuses, this class
// refuses everything that would make the end of a request ambiguous: Content-Length together with
// Transfer-Encoding, more than one of either, encodings other than "chunked", chunk extensions.
// Trailers are read, up to the limit for headers, and dropped, because they were not there when the
// request was authenticated. A proxy would have to pass trailers on, so it refuses them.
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

// kPaths: a path of this server. kAsSent: any target, for a proxy that parses it itself.
enum class Targets { kPaths, kAsSent };

class RequestReader {
 public:
  explicit RequestReader(const HeadLimits& limits, Targets targets = Targets::kPaths);
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  // Parses a head whose end FindHeadEnd() has found. Returns the refusal, or nullopt.
  std::optional<Response> ReadHead(std::string_view head);

  // Valid after the head has been read without refusal.
  Request& request() { return request_; }
  const std::string& target() const;  // as it was sent
  bool keep_alive() const;
  bool expects_continue() const { return expects_continue_; }
  bool has_body() const { return has_body_; }
  std::optional<std::uint64_t> content_length() const;  // nullopt for a chunked body
  bool done() const;                                    // the whole request has been read

  // Sets the maximum size of the body. Call it before the first ReadBody().
  std::optional<Response> LimitBody(std::uint64_t bytes);

  struct Progress {
    std::size_t used = 0;  // consumed bytes; pass the others again, together with more
    std::optional<Response> refusal;
  };
  // Decodes as much of `bytes` as possible and appends the body's data to `into`.
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
