#include "foundation/http/client/response_reader.h"

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>

namespace belljar::http::client {
namespace {

namespace beast = boost::beast;

constexpr std::uint32_t kMostHead = 16 << 10;

Error Malformed(const std::string& why) {
  return Error(Kind::kUnavailable, "the daemon's answer is not HTTP: " + why);
}

}  // namespace

// The callbacks of Beast's parser.
class ResponseReader::Parser final : public beast::http::basic_parser<false> {
 public:
  std::string body;
  std::string content_type;
  unsigned status = 0;
  std::string waiting;  // an incomplete head or chunk header

 private:
  using Code = beast::error_code;
  using View = beast::string_view;

  void on_request_impl(beast::http::verb, View, View, int, Code&) override {}
  void on_response_impl(int code, View, int, Code&) override {
    status = static_cast<unsigned>(code);
  }
  void on_field_impl(beast::http::field name, View, View value, Code&) override;
  void on_header_impl(Code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, Code&) override {}
  std::size_t on_body_impl(View bytes, Code&) override {
    body.append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_chunk_header_impl(std::uint64_t, View, Code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, View bytes, Code&) override {
    body.append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_finish_impl(Code&) override {}
};

void ResponseReader::Parser::on_field_impl(beast::http::field name, View, View value, Code&) {
  if (name != beast::http::field::content_type || is_header_done()) return;
  content_type.assign(value.data(), std::min(value.size(), value.find(';')));
  std::transform(content_type.begin(), content_type.end(), content_type.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
}

ResponseReader::ResponseReader(std::size_t most_body)
    : parser_(std::make_unique<Parser>()), most_body_(most_body) {
  parser_->header_limit(kMostHead);
  parser_->body_limit(boost::none);  // Feed() bounds the body that has not been taken
  parser_->eager(true);
}
ResponseReader::~ResponseReader() = default;
ResponseReader::ResponseReader(ResponseReader&&) noexcept = default;
ResponseReader& ResponseReader::operator=(ResponseReader&&) noexcept = default;

bool ResponseReader::head_done() const { return parser_->is_header_done(); }
bool ResponseReader::done() const { return parser_->is_done(); }
bool ResponseReader::keeps_connection() const { return parser_->keep_alive(); }
unsigned ResponseReader::status() const { return parser_->status; }
const std::string& ResponseReader::content_type() const { return parser_->content_type; }

Result<> ResponseReader::Feed(std::string_view bytes) {
  if (done() && !bytes.empty()) return Malformed("more came than was asked for");
  std::string& waiting = parser_->waiting;
  waiting += bytes;
  beast::error_code failed;
  const std::size_t used =
      parser_->put(boost::asio::const_buffer(waiting.data(), waiting.size()), failed);
  waiting.erase(0, used);
  if (failed && failed != beast::http::error::need_more) return Malformed(failed.message());
  if (done() && !waiting.empty()) return Malformed("more came than was asked for");
  if (parser_->body.size() > most_body_) {
    return Error(Kind::kExhausted,
                 "the daemon's answer has more than " + std::to_string(most_body_) + " bytes");
  }
  return {};
}

Result<> ResponseReader::End() {
  if (done()) return {};
  beast::error_code failed;
  if (parser_->got_some()) parser_->put_eof(failed);
  if (!failed && done()) return {};
  return Error(Kind::kUnavailable, "the daemon went away before it had answered");
}

std::string ResponseReader::TakeBody() {
  searched_ = 0;
  return std::exchange(parser_->body, {});
}

bool ResponseReader::TakeLine(std::string& line) {
  std::string& body = parser_->body;
  const std::size_t newline = body.find('\n', searched_);
  if (newline == std::string::npos) {
    searched_ = body.size();
    return false;
  }
  line = body.substr(0, newline);
  body.erase(0, newline + 1);
  searched_ = 0;
  return true;
}

}  // namespace belljar::http::client
