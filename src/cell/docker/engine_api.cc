#include "cell/docker/engine_api.h"

#include <fmt/format.h>

#include <charconv>

namespace belljar::cell::docker {
namespace {

// The oldest version of the API that has all calls used here. With a daemon that no longer supports
// it, the oldest version that the daemon supports is used.
constexpr std::string_view kSpoken = "1.41";
constexpr http::client::Bounds kApiBounds{16 << 20, std::chrono::seconds(60)};
// The daemon sends nothing while it unpacks an image.
constexpr http::client::Bounds kImportBounds{1 << 20, std::chrono::minutes(10)};
constexpr std::size_t kMostWords = 600;

const json::value* Find(const json::value& value, std::string_view pointer) {
  json::error_code failed;
  return value.find_pointer({pointer.data(), pointer.size()}, failed);
}

Error Unreachable(Error error, const std::string& socket) {
  if (error.kind() == Kind::kNotFound) {
    return Error(Kind::kNotFound,
                 fmt::format("no Docker daemon listens on {}: install and start one (on Debian, "
                             "apt-get install docker.io), or name its socket in docker.socket",
                             socket));
  }
  if (error.sys() == EACCES) {
    return Error(
        Kind::kDenied,
        fmt::format("this user may not speak to the Docker daemon on {}: run as root", socket));
  }
  return std::move(error).While("the Docker daemon on " + socket);
}

Error Refusal(const http::client::Answer& answer) {
  const auto said = ParseJson(answer.body);
  std::string words = said ? TextAt(*said, "/message") : answer.body;
  if (words.empty() && said) words = TextAt(*said, "/cause");
  words.resize(std::min(words.size(), kMostWords));
  while (!words.empty() && words.back() == '\n') words.pop_back();
  const Kind kind = answer.status == 404   ? Kind::kNotFound
                    : answer.status == 400 ? Kind::kInvalid
                                           : Kind::kUnavailable;
  return Error(kind, fmt::format("Docker says {}: {}", answer.status, words),
               answer.status == 409 ? EBUSY : 0);
}

// The minor version as a number: 41 for "1.41", 9 for "1.9".
int MinorOf(std::string_view version) {
  const std::size_t dot = version.find('.');
  int minor = 0;
  if (dot == std::string_view::npos) return 0;
  std::from_chars(version.data() + dot + 1, version.data() + version.size(), minor);
  return minor;
}

}  // namespace

std::string TextAt(const json::value& value, std::string_view pointer) {
  const json::value* const found = Find(value, pointer);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : "";
}

std::int64_t NumberAt(const json::value& value, std::string_view pointer) {
  const json::value* const found = Find(value, pointer);
  return found != nullptr && found->is_int64() ? found->get_int64() : 0;
}

json::object ObjectAt(const json::value& value, std::string_view pointer) {
  const json::value* const found = Find(value, pointer);
  return found != nullptr && found->is_object() ? found->get_object() : json::object();
}

std::string LabelFilter(std::string_view name, std::string_view value) {
  const json::object filter = {{"label", json::array{fmt::format("{}={}", name, value)}}};
  return http::client::EscapeSegment(json::serialize(filter));
}

Result<http::client::Connection> EngineApi::Connect() const {
  auto connection = http::client::Connection::Open("unix:" + socket_);
  if (!connection) return Unreachable(std::move(connection).error(), socket_);
  return connection;
}

Result<EngineApi> EngineApi::Open(const std::string& socket) {
  EngineApi api(socket);
  auto connection = BJ_TRY(api.Connect());
  api.listener_ = connection.listener_pid();
  const auto answer =
      BJ_TRY(connection.Exchange({.target = "/version"}, kApiBounds).While("ask Docker"));
  if (answer.status != 200) return Refusal(answer).While("ask Docker for its version");
  const auto said = BJ_TRY(ParseJson(answer.body).While("Docker's version"));
  api.version_ = TextAt(said, "/Version");
  const std::string newest = TextAt(said, "/ApiVersion");
  const std::string oldest = TextAt(said, "/MinAPIVersion");
  api.speaks_ = MinorOf(oldest) > MinorOf(kSpoken) ? oldest : std::string(kSpoken);
  if (MinorOf(newest) < MinorOf(kSpoken)) api.speaks_ = newest;
  if (TextAt(said, "/Components/0/Name").starts_with("Podman")) api.product_ = "Podman";
  if (api.version_.empty() || api.speaks_.empty()) {
    return Error(Kind::kUnavailable, fmt::format("whoever listens on {} is no Docker", socket));
  }
  return api;
}

Result<json::value> EngineApi::Ask(const char* method, const std::string& target,
                                   const json::object* body) const {
  auto connection = BJ_TRY(Connect());
  http::client::Ask ask{.method = method, .target = Versioned(target)};
  if (body != nullptr) {
    ask.content_type = "application/json";
    ask.body = json::serialize(*body);
  }
  const auto answer = BJ_TRY(connection.Exchange(ask, kApiBounds).While("ask Docker"));
  if (answer.status / 100 != 2 && answer.status != 304) return Refusal(answer);
  if (answer.body.empty()) return json::value();
  return ParseJson(answer.body).While("Docker's answer");
}

Result<> EngineApi::Delete(const std::string& target) const {
  BJ_TRY(Ask("DELETE", target, nullptr));
  return {};
}

Result<Fd> EngineApi::Attach(const std::string& container) const {
  auto connection = BJ_TRY(Connect());
  const std::string target =
      Versioned("/containers/" + container + "/attach?stream=1&stdin=1&stdout=1&stderr=1");
  auto attached = BJ_TRY(
      connection.Upgrade({.method = "POST", .target = target, .upgrade = "tcp"}, kApiBounds));
  if (!attached.stream) return Refusal(attached.answer).While("attach");
  return std::move(attached.stream);
}

Result<> EngineApi::Import(const NewImage& image, const http::client::BodySource& tar) const {
  auto connection = BJ_TRY(Connect());
  const std::string query =
      fmt::format("fromSrc=-&repo={}&changes={}", http::client::EscapeSegment(image.name),
                  http::client::EscapeSegment("LABEL " + image.label));
  const http::client::Ask ask{.method = "POST",
                              .target = Versioned("/images/create?" + query),
                              .content_type = "application/x-tar"};
  const auto answer = BJ_TRY(connection.Exchange(ask, tar, kImportBounds));
  if (answer.status / 100 != 2) return Refusal(answer).While("import");
  // The daemon sends the status before it does the work; later errors are in the body.
  if (answer.body.find("\"error\"") != std::string::npos) {
    return Error(Kind::kUnavailable, "Docker says: " + answer.body.substr(0, kMostWords));
  }
  return {};
}

}  // namespace belljar::cell::docker
