// EngineApi: a client of a Docker daemon's Engine API on its Unix socket.
//
// Podman serves the same API and is used in the same way. Each call opens its own connection, which
// costs microseconds on a Unix socket and leaves no state to share, so the class is thread-safe.
// Answers are bounded in size and in time without data. The daemon is trusted: it runs as root, and
// access to its socket amounts to root anyway.
#pragma once

#include <string>
#include <string_view>

#include "foundation/base/fd.h"
#include "foundation/base/json.h"
#include "foundation/base/result.h"
#include "foundation/http/client/connection.h"

namespace belljar::cell::docker {

class EngineApi {
 public:
  // Asks the daemon which versions of the API it supports. `socket` is a path; an error says how to
  // fix the problem.
  static Result<EngineApi> Open(const std::string& socket);

  const std::string& socket() const { return socket_; }
  const std::string& version() const { return version_; }  // of the daemon
  const std::string& product() const { return product_; }  // "Docker", "Podman"
  // The pid of the listening process, or 0; the daemon's paths are resolved in its mount namespace.
  pid_t listener() const { return listener_; }

  // `target` is path and query. A status other than 2xx becomes an Error that quotes the daemon:
  // kNotFound for 404; for 409, sys() is EBUSY: the object is in use or about to be removed.
  Result<json::value> Get(const std::string& target) const { return Ask("GET", target, nullptr); }
  Result<json::value> Post(const std::string& target, const json::object& body) const {
    return Ask("POST", target, &body);
  }
  Result<> Delete(const std::string& target) const;

  // Stdin and stdout of a container that has been created, in Docker's multiplexed stream format.
  Result<Fd> Attach(const std::string& container) const;

  struct NewImage {
    std::string name;   // with its tag
    std::string label;  // NAME=VALUE
  };
  // Creates an image from the tar of a root tree.
  Result<> Import(const NewImage& image, const http::client::BodySource& tar) const;

 private:
  explicit EngineApi(std::string socket) : socket_(std::move(socket)) {}
  Result<http::client::Connection> Connect() const;
  Result<json::value> Ask(const char* method, const std::string& target,
                          const json::object* body) const;
  std::string Versioned(const std::string& target) const { return "/v" + speaks_ + target; }

  std::string socket_;
  std::string speaks_;  // version of the API in use
  std::string version_;
  std::string product_ = "Docker";
  pid_t listener_ = 0;
};

// The text or number at a JSON pointer; "" or 0 where there is none.
std::string TextAt(const json::value& value, std::string_view pointer);
std::int64_t NumberAt(const json::value& value, std::string_view pointer);
// The object at a JSON pointer; an empty one where there is none.
json::object ObjectAt(const json::value& value, std::string_view pointer);

// {"label":["NAME=VALUE"]}, the form of a filter in a query string.
std::string LabelFilter(std::string_view name, std::string_view value);

}  // namespace belljar::cell::docker
