// Upstream: a connection to a server, plain or by TLS, to the very address that was checked.
//
// For the broker's one thread. TLS is verified against the system's certificates and the name that
// was asked for; there is no way to leave that out.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "policy/address.h"

namespace belljar::broker {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;

// The certificates that servers are verified against: the system's, read when they are first needed
// and then kept, because to read them takes longer than to connect.
class TrustedRoots {
 public:
  TrustedRoots();
  ~TrustedRoots();

 private:
  friend class Upstream;
  struct Context;
  std::unique_ptr<Context> context_;  // null: not yet
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

  // `roots` must outlive it.
  Upstream(const asio::any_io_executor& executor, Place place, TrustedRoots& roots);
  ~Upstream();
  Upstream(const Upstream&) = delete;
  Upstream& operator=(const Upstream&) = delete;

  const Place& place() const { return place_; }
  const std::string& address() const { return address_; }

  asio::awaitable<ErrorCode> Connect(policy::Address address);
  // 0 at the end of what the server sends, and on failure.
  asio::awaitable<std::size_t> Read(char* into, std::size_t size);
  asio::awaitable<bool> Write(std::string_view bytes);
  // No more will be written.
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

}  // namespace belljar::broker
