#include "resource/egress/response_reader.h"

#include <boost/beast/http/basic_parser.hpp>
#include <limits>

namespace belljar::resource::egress {

namespace beast = boost::beast;

class ResponseReader::Parser final : public beast::http::basic_parser<false> {
 public:
  unsigned status = 0;

 private:
  using Code = beast::error_code;
  using View = beast::string_view;

  void on_request_impl(beast::http::verb, View, View, int, Code&) override {}
  void on_response_impl(int code, View, int, Code&) override {
    status = static_cast<unsigned>(code);
  }
  void on_field_impl(beast::http::field, View, View, Code&) override {}
  void on_header_impl(Code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, Code&) override {}
  std::size_t on_body_impl(View bytes, Code&) override { return bytes.size(); }
  void on_chunk_header_impl(std::uint64_t, View, Code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, View bytes, Code&) override { return bytes.size(); }
  void on_finish_impl(Code&) override {}
};

ResponseReader::ResponseReader(Body body) : body_(body) { Restart(); }
ResponseReader::~ResponseReader() = default;

void ResponseReader::Restart() {
  parser_ = std::make_unique<Parser>();
  parser_->header_limit(kMaxResponseHeadBytes);
  parser_->body_limit(boost::none);  // the cell's allowance limits the size
  parser_->eager(true);
  parser_->skip(body_ == Body::kNone);
}

Result<std::size_t> ResponseReader::Feed(std::string_view bytes) {
  beast::error_code error;
  const std::size_t used =
      parser_->put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  if (!error || error == beast::http::error::need_more) return used;
  return Error(Kind::kInvalid, "the server's answer is malformed: " + error.message());
}

bool ResponseReader::End() {
  if (!parser_->is_header_done()) return false;  // Beast would accept an empty answer
  beast::error_code error;
  if (!parser_->is_done()) parser_->put_eof(error);
  return !error && parser_->is_done();
}

bool ResponseReader::head_done() const { return parser_->is_header_done(); }
bool ResponseReader::done() const { return parser_->is_done(); }
bool ResponseReader::keep_alive() const { return parser_->keep_alive(); }
unsigned ResponseReader::status() const { return parser_->status; }

}  // namespace belljar::resource::egress
