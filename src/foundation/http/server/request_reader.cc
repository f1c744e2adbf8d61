#include "foundation/http/server/request_reader.h"

#include <fmt/format.h>

#include <boost/beast/http/basic_parser.hpp>

#include "foundation/http/server/target.h"

namespace belljar::http::server {
namespace {

namespace beast = boost::beast;

Response BadRequest(std::string message) {
  return ErrorResponse(400, Error(Kind::kInvalid, std::move(message)));
}

std::string Text(beast::string_view text) { return std::string(text.data(), text.size()); }

beast::error_code Refused(beast::http::error error) { return beast::http::make_error_code(error); }

}  // namespace

// The callbacks of Beast's parser. During ReadBody() the body's bytes are appended to `into`.
class RequestReader::Parser final : public beast::http::basic_parser<true> {
 public:
  Parser(Request& request, std::size_t most_trailers)
      : request_(request), most_trailers_(most_trailers) {}

  std::string target;
  std::string* into = nullptr;

 private:
  using Code = beast::error_code;
  using View = beast::string_view;

  void on_request_impl(beast::http::verb, View method, View path, int, Code&) override {
    request_.method = Text(method);
    target = Text(path);
  }
  void on_response_impl(int, View, int, Code&) override {}
  void on_field_impl(beast::http::field, View name, View value, Code& error) override {
    // A field after the head is a trailer; it could contradict the head and is dropped.
    if (is_header_done()) {
      if (++trailers_ > most_trailers_) error = Refused(beast::http::error::header_limit);
      return;
    }
    request_.headers.Add(Text(name), Text(value));
  }
  void on_header_impl(Code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, Code&) override {}
  std::size_t on_body_impl(View bytes, Code&) override {
    into->append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_chunk_header_impl(std::uint64_t, View extensions, Code& error) override {
    if (!extensions.empty()) error = Refused(beast::http::error::bad_chunk_extension);
  }
  std::size_t on_chunk_body_impl(std::uint64_t, View bytes, Code&) override {
    into->append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_finish_impl(Code&) override {}

  Request& request_;
  const std::size_t most_trailers_;
  std::size_t trailers_ = 0;
};

RequestReader::RequestReader(const HeadLimits& limits, Targets targets)
    : limits_(limits),
      targets_(targets),
      parser_(std::make_unique<Parser>(request_, targets == Targets::kPaths ? limits.headers : 0)) {
  parser_->header_limit(static_cast<std::uint32_t>(limits.head_bytes + 1));
  parser_->body_limit(boost::none);  // set when the route is known
}
RequestReader::~RequestReader() = default;

const std::string& RequestReader::target() const { return parser_->target; }
bool RequestReader::keep_alive() const { return parser_->keep_alive(); }
bool RequestReader::done() const { return parser_->is_done(); }

std::optional<std::uint64_t> RequestReader::content_length() const {
  const auto length = parser_->content_length();
  if (!length) return std::nullopt;
  return *length;
}

std::optional<Response> RequestReader::ReadHead(std::string_view head) {
  if (auto refusal = RefuseHead(head, limits_)) return refusal;
  beast::error_code error;
  parser_->put(boost::asio::const_buffer(head.data(), head.size()), error);
  if (error || !parser_->is_header_done()) {
    return BadRequest("the request's head is malformed: " + error.message());
  }
  if (auto refusal = RefuseFraming()) return refusal;
  if (auto refusal = Expectation()) return refusal;
  has_body_ = !parser_->is_done();
  if (targets_ == Targets::kAsSent) return std::nullopt;
  Result<Target> target = ParseTarget(parser_->target);
  if (!target) return ErrorResponse(target.error());
  request_.path = std::move(target->path);
  request_.segments = std::move(target->segments);
  request_.query = std::move(target->query);
  return std::nullopt;
}

std::optional<Response> RequestReader::RefuseFraming() const {
  const Headers& headers = request_.headers;
  for (const char* once : {"Host", "Content-Length", "Transfer-Encoding", "Content-Type",
                           "Authorization", "Origin", "Expect"}) {
    if (headers.Count(once) > 1) return BadRequest(std::string(once) + " is given more than once");
  }
  const auto length = headers.Find("Content-Length");
  const auto encoding = headers.Find("Transfer-Encoding");
  if (length && encoding) return BadRequest("Content-Length beside Transfer-Encoding");
  if (encoding && !EqualIgnoringCase(*encoding, "chunked")) {
    return ErrorResponse(501, Error(Kind::kInvalid, "the only Transfer-Encoding is chunked"));
  }
  if (length && (length->empty() || length->size() > 18 ||
                 length->find_first_not_of("0123456789") != std::string_view::npos)) {
    return BadRequest("Content-Length is not a number");
  }
  return std::nullopt;
}

std::optional<Response> RequestReader::Expectation() {
  const auto expect = request_.headers.Find("Expect");
  if (!expect) return std::nullopt;
  expects_continue_ = EqualIgnoringCase(*expect, "100-continue");
  if (expects_continue_) return std::nullopt;
  return ErrorResponse(417, Error(Kind::kInvalid, "the only Expect is 100-continue"));
}

std::optional<Response> RequestReader::LimitBody(std::uint64_t bytes) {
  body_limit_ = bytes;
  const auto length = content_length();
  if (length ? *length > bytes : has_body_ && bytes == 0) {
    return ErrorResponse(413, Error(Kind::kInvalid, fmt::format("the body is larger than the {} "
                                                                "bytes that are taken here",
                                                                bytes)));
  }
  parser_->body_limit(bytes);
  return std::nullopt;
}

RequestReader::Progress RequestReader::ReadBody(std::string_view bytes, std::string& into) {
  Progress progress;
  if (done()) return progress;
  parser_->eager(true);
  parser_->into = &into;
  beast::error_code error;
  progress.used = parser_->put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  parser_->into = nullptr;
  if (!error || error == beast::http::error::need_more) return progress;
  if (error == beast::http::error::body_limit) {
    progress.refusal = ErrorResponse(
        413, Error(Kind::kInvalid, fmt::format("the body is larger than the {} bytes that are "
                                               "taken here",
                                               body_limit_)));
  } else {
    progress.refusal = BadRequest("the body is malformed: " + error.message());
  }
  return progress;
}

}  // namespace belljar::http::server
