#include "foundation/http/server/message.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "foundation/base/json.h"
#include "foundation/base/text.h"

namespace belljar::http::server {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

constexpr std::chrono::seconds kSoonestRetry{1};

}  // namespace

std::string Peer::CountedAs() const {
  if (uid) return "uid " + std::to_string(*uid);
  return address.substr(0, address.rfind(':'));
}

void Headers::Add(std::string name, std::string value) {
  all_.push_back({std::move(name), std::move(value)});
}

std::optional<std::string_view> Headers::Find(std::string_view name) const {
  for (const Header& header : all_) {
    if (EqualIgnoringCase(header.name, name)) return header.value;
  }
  return std::nullopt;
}

std::size_t Headers::Count(std::string_view name) const {
  return static_cast<std::size_t>(std::count_if(
      all_.begin(), all_.end(), [&](const Header& h) { return EqualIgnoringCase(h.name, name); }));
}

unsigned StatusFor(Kind kind) {
  switch (kind) {
    case Kind::kInvalid:
      return 400;
    case Kind::kDenied:
      return 403;
    case Kind::kNotFound:
      return 404;
    case Kind::kExhausted:
      return 429;
    case Kind::kUnavailable:
      return 503;
    case Kind::kInternal:
      return 500;
  }
  return 500;
}

std::string_view ReasonPhrase(unsigned status) {
  static const std::map<unsigned, std::string_view> phrases = {
      {200, "OK"},
      {201, "Created"},
      {202, "Accepted"},
      {204, "No Content"},
      {206, "Partial Content"},
      {301, "Moved Permanently"},
      {302, "Found"},
      {303, "See Other"},
      {304, "Not Modified"},
      {307, "Temporary Redirect"},
      {308, "Permanent Redirect"},
      {400, "Bad Request"},
      {401, "Unauthorized"},
      {403, "Forbidden"},
      {404, "Not Found"},
      {405, "Method Not Allowed"},
      {408, "Request Timeout"},
      {409, "Conflict"},
      {410, "Gone"},
      {412, "Precondition Failed"},
      {413, "Content Too Large"},
      {414, "URI Too Long"},
      {415, "Unsupported Media Type"},
      {416, "Range Not Satisfiable"},
      {417, "Expectation Failed"},
      {422, "Unprocessable Content"},
      {429, "Too Many Requests"},
      {431, "Request Header Fields Too Large"},
      {500, "Internal Server Error"},
      {501, "Not Implemented"},
      {502, "Bad Gateway"},
      {503, "Service Unavailable"},
      {504, "Gateway Timeout"},
      {505, "HTTP Version Not Supported"},
  };
  const auto found = phrases.find(status);
  return found == phrases.end() ? "Status" : found->second;
}

Response ErrorResponse(const Error& error) { return ErrorResponse(StatusFor(error.kind()), error); }

Response ErrorResponse(unsigned status, const Error& error) {
  Response response;
  response.status = status;
  // A message can quote bytes of a caller, but JSON must be UTF-8.
  const json::object inner{{"kind", KindName(error.kind())},
                           {"message", ToValidUtf8(error.message()).text}};
  response.body = json::serialize(json::object{{"error", inner}}) + "\n";
  if (status == 429 || status == 503) {
    const auto wait = std::max(error.retry_after(), kSoonestRetry);
    response.headers.Add("Retry-After", std::to_string(wait.count()));
  }
  return response;
}

bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return Lower(x) == Lower(y); });
}

std::string ToLower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), Lower);
  return lower;
}

}  // namespace belljar::http::server
