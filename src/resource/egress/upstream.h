// Upstream: a connection to a server, plain or with TLS, to exactly the address that was checked.
//
// Used on the broker's thread. TLS verifies the certificate against the system's root certificates
// and the requested host name; this cannot be disabled.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "request/address.h"

namespace belljar::resource::egress {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;

// The system's root certificates, loaded on first use and then kept, because loading takes longer
// than connecting.
class TrustedRoots {
 public:
  TrustedRoots();
  ~TrustedRoots();

 private:
  friend class Upstream;
  struct Context;
  std::unique_ptr<Context> context_;  // null: not loaded yet
};

class Upstream {
 public:
  enum class Security { kPlain, kTls };
  struct Place {
    std::string host;
    std::uint16_t port = 0;
    Security security = Security::kPlain;
    bool operator==(const Place&) const = default;
  };

  // `roots` must outlive this object.
  Upstream(const asio::any_io_executor& executor, Place place, TrustedRoots& roots);
  ~Upstream();
  Upstream(const Upstream&) = delete;
  Upstream& operator=(const Upstream&) = delete;

  const Place& place() const { return place_; }
  const std::string& address() const { return address_; }

  asio::awaitable<ErrorCode> Connect(request::Address address);
  // Returns 0 at end of file and on failure.
  asio::awaitable<std::size_t> Read(char* into, std::size_t size);
  asio::awaitable<bool> Write(std::string_view bytes);
  // Ends writing (half-close).
  void Finish();
  void Close();

 private:
  struct Tls;
  asio::awaitable<ErrorCode> Secure();

  Place place_;
  TrustedRoots& roots_;
  std::string address_;
  asio::ip::tcp::socket socket_;
  std::unique_ptr<Tls> tls_;
};

}  // namespace belljar::resource::egress
