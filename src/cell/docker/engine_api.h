// EngineApi: what is asked of a Docker daemon, by its Engine API on its Unix socket.
//
// Podman serves the same API and is spoken to in the same way. Each call has a connection of its
// own, which costs microseconds on a Unix socket and leaves no state to share; so it is
// thread-safe. Answers are bounded in size and in silence. A daemon is believed: it is root, and
// what it can be told to do makes whoever can speak to it root as well.
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
  // Asks the daemon which versions of the API it speaks. `socket` is a path; an error says what to
  // do about it.
  static Result<EngineApi> Open(const std::string& socket);

  const std::string& socket() const { return socket_; }
  const std::string& version() const { return version_; }  // of the daemon
  const std::string& product() const { return product_; }  // "Docker", "Podman"
  // The process that listens, or 0; its mounts are where its paths lead to.
  pid_t listener() const { return listener_; }

  // `target` is path and query. An answer other than 2xx is an Error with the daemon's words:
  // kNotFound of 404; sys() is EBUSY of 409: somebody uses it, or is about to remove it.
  Result<json::value> Get(const std::string& target) const { return Ask("GET", target, nullptr); }
  Result<json::value> Post(const std::string& target, const json::object& body) const {
    return Ask("POST", target, &body);
  }
  Result<> Delete(const std::string& target) const;

  // The stdin and stdout of a container that has been created, in Docker's records.
  Result<Fd> Attach(const std::string& container) const;

  struct NewImage {
    std::string name;   // with its tag
    std::string label;  // NAME=VALUE
  };
  // Makes an image of a root tree's tar.
  Result<> Import(const NewImage& image, const http::client::BodySource& tar) const;

 private:
  explicit EngineApi(std::string socket) : socket_(std::move(socket)) {}
  Result<http::client::Connection> Connect() const;
  Result<json::value> Ask(const char* method, const std::string& target,
                          const json::object* body) const;
  std::string Versioned(const std::string& target) const { return "/v" + speaks_ + target; }

  std::string socket_;
  std::string speaks_;  // the version of the API
  std::string version_;
  std::string product_ = "Docker";
  pid_t listener_ = 0;
};

// The text or number at a JSON pointer; "" or 0 where there is none.
std::string TextAt(const json::value& value, std::string_view pointer);
std::int64_t NumberAt(const json::value& value, std::string_view pointer);
// The object at it; an empty one where there is none.
json::object ObjectAt(const json::value& value, std::string_view pointer);

// {"label":["NAME=VALUE"]} as the daemon takes it in a query.
std::string LabelFilter(std::string_view name, std::string_view value);

}  // namespace belljar::cell::docker
