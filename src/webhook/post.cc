#include "webhook/post.h"

#include <fmt/format.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>
#include <optional>

namespace belljar::webhook {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using Failure = boost::system::error_code;
constexpr auto kTold = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kMaxAddressBytes = 2'048;
constexpr std::uint32_t kMaxHeadBytes = 16'384;

struct Address {
  bool encrypted = false;
  std::string host;
  std::string port;
  std::string target;
};

Result<Address> Parse(std::string_view text) {
  const auto wrong = [&](std::string_view why) {
    return Error(Kind::kInvalid,
                 fmt::format("\"{}\" is no address of a webhook: {}", text.substr(0, 200), why));
  };
  const auto url = boost::urls::parse_uri({text.data(), text.size()});
  if (!url || text.size() > kMaxAddressBytes) return wrong("it is not an http or https URL");
  const std::string_view scheme(url->scheme().data(), url->scheme().size());
  if (scheme != "http" && scheme != "https") return wrong("it takes http:// or https://");
  if (url->encoded_host().empty()) return wrong("it names no host");
  if (url->has_userinfo()) return wrong("it must hold no name or password");
  Address address;
  address.encrypted = scheme == "https";
  address.host = url->host_address();
  address.port = url->has_port() ? std::string(url->port()) : address.encrypted ? "443" : "80";
  address.target = url->encoded_path().empty() ? "/" : std::string(url->encoded_path());
  if (url->has_query()) address.target += "?" + std::string(url->encoded_query());
  return address;
}

// Where an exchange has come to, and what stopped it there.
struct Course {
  std::string_view doing = "look up";
  Failure failure;
  std::optional<unsigned> status;
};

template <class Stream>
asio::awaitable<void> Exchange(Stream& stream, const Address& to, const std::string& body,
                               Course& course) {
  beast::http::request<beast::http::string_body> request(beast::http::verb::post, to.target, 11);
  request.set(beast::http::field::host, to.host);
  request.set(beast::http::field::user_agent, "belljar");
  request.set(beast::http::field::content_type, "application/json");
  request.keep_alive(false);
  request.body() = body;
  request.prepare_payload();
  course.doing = "write to";
  std::tie(course.failure, std::ignore) = co_await beast::http::async_write(stream, request, kTold);
  if (course.failure) co_return;
  course.doing = "read from";
  beast::flat_buffer buffer;
  beast::http::response_parser<beast::http::empty_body> parser;
  parser.header_limit(kMaxHeadBytes);
  std::tie(course.failure, std::ignore) =
      co_await beast::http::async_read_header(stream, buffer, parser, kTold);
  if (!course.failure) course.status = parser.get().result_int();
}

asio::awaitable<void> ExchangeEncrypted(beast::tcp_stream plain, const Address& to,
                                        const std::string& body, Course& course) {
  asio::ssl::context trust(asio::ssl::context::tls_client);
  trust.set_default_verify_paths(course.failure);
  trust.set_verify_mode(asio::ssl::verify_peer);
  beast::ssl_stream<beast::tcp_stream> stream(std::move(plain), trust);
  stream.set_verify_callback(asio::ssl::host_name_verification(to.host));
  course.doing = "trust";
  if (::SSL_set_tlsext_host_name(stream.native_handle(), to.host.c_str()) != 1) {
    course.failure = asio::error::invalid_argument;
    co_return;
  }
  std::tie(course.failure) = co_await stream.async_handshake(asio::ssl::stream_base::client, kTold);
  if (!course.failure) co_await Exchange(stream, to, body, course);
}

asio::awaitable<void> Send(const Address& to, const std::string& body, Course& course) {
  const auto executor = co_await asio::this_coro::executor;
  asio::ip::tcp::resolver resolver(executor);
  const auto [unknown, found] = co_await resolver.async_resolve(to.host, to.port, kTold);
  course.failure = unknown;
  if (unknown) co_return;
  beast::tcp_stream stream(executor);
  course.doing = "reach";
  std::tie(course.failure, std::ignore) = co_await stream.async_connect(found, kTold);
  if (course.failure) co_return;
  if (to.encrypted) {
    co_await ExchangeEncrypted(std::move(stream), to, body, course);
  } else {
    co_await Exchange(stream, to, body, course);
  }
}

}  // namespace

Result<unsigned> Post(const std::string& address, const std::string& body,
                      std::chrono::milliseconds within) {
  const Address to = BJ_TRY(Parse(address));
  Course course;
  asio::io_context context(1);
  asio::co_spawn(context, Send(to, body, course), asio::detached);
  context.run_for(within);
  if (course.status) return *course.status;
  const std::string why = course.failure ? course.failure.message() : "it took too long";
  return Error(Kind::kUnavailable,
               fmt::format("could not {} {}:{}: {}", course.doing, to.host, to.port, why));
}

}  // namespace belljar::webhook
