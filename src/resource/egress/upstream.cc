#include "resource/egress/upstream.h"

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace belljar::resource::egress {
namespace {

asio::ip::address ToAsio(const request::Address& address) {
  if (address.is_v6()) return asio::ip::address_v6(address.bytes());
  asio::ip::address_v4::bytes_type bytes{};
  std::copy_n(address.bytes().begin(), bytes.size(), bytes.begin());
  return asio::ip::address_v4(bytes);
}

auto Into(ErrorCode& error) { return asio::redirect_error(asio::use_awaitable, error); }

}  // namespace

struct TrustedRoots::Context {
  asio::ssl::context context{asio::ssl::context::tls_client};
};

TrustedRoots::TrustedRoots() = default;
TrustedRoots::~TrustedRoots() = default;

struct Upstream::Tls {
  Tls(asio::ip::tcp::socket& socket, asio::ssl::context& context) : stream(socket, context) {}

  asio::ssl::stream<asio::ip::tcp::socket&> stream;
};

Upstream::Upstream(const asio::any_io_executor& executor, Place place, TrustedRoots& roots)
    : place_(std::move(place)), roots_(roots), socket_(executor) {}
Upstream::~Upstream() = default;

asio::awaitable<ErrorCode> Upstream::Connect(request::Address address) {
  ErrorCode error;
  address_ = address.Text();
  const asio::ip::tcp::endpoint endpoint(ToAsio(address), place_.port);
  socket_.close(error);
  co_await socket_.async_connect(endpoint, Into(error));
  if (error) co_return error;
  socket_.set_option(asio::ip::tcp::no_delay(true), error);
  if (place_.security == Security::kPlain) co_return ErrorCode();
  co_return co_await Secure();
}

asio::awaitable<ErrorCode> Upstream::Secure() {
  ErrorCode error;
  if (!roots_.context_) {
    auto fresh = std::make_unique<TrustedRoots::Context>();
    fresh->context.set_default_verify_paths(error);
    if (error) co_return error;
    roots_.context_ = std::move(fresh);
  }
  tls_ = std::make_unique<Tls>(socket_, roots_.context_->context);
  tls_->stream.set_verify_mode(asio::ssl::verify_peer);
  tls_->stream.set_verify_callback(asio::ssl::host_name_verification(place_.host), error);
  if (error) co_return error;
  SSL* const ssl = tls_->stream.native_handle();
  if (SSL_set_min_proto_version(ssl, TLS1_2_VERSION) != 1 ||
      SSL_set_tlsext_host_name(ssl, place_.host.c_str()) != 1) {
    co_return asio::error::make_error_code(asio::error::invalid_argument);
  }
  co_await tls_->stream.async_handshake(asio::ssl::stream_base::client, Into(error));
  co_return error;
}

asio::awaitable<std::size_t> Upstream::Read(char* into, std::size_t size) {
  ErrorCode error;
  const auto buffer = asio::buffer(into, size);
  std::size_t read = 0;
  if (tls_) {
    read = co_await tls_->stream.async_read_some(buffer, Into(error));
  } else {
    read = co_await socket_.async_read_some(buffer, Into(error));
  }
  co_return error ? 0 : read;
}

asio::awaitable<bool> Upstream::Write(std::string_view bytes) {
  ErrorCode error;
  const auto buffer = asio::buffer(bytes.data(), bytes.size());
  if (tls_) {
    co_await asio::async_write(tls_->stream, buffer, Into(error));
  } else {
    co_await asio::async_write(socket_, buffer, Into(error));
  }
  co_return !error;
}

void Upstream::Finish() {
  ErrorCode ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
}

void Upstream::Close() {
  ErrorCode ignored;
  socket_.close(ignored);
}

}  // namespace belljar::resource::egress
