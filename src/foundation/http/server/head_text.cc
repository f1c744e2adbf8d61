#include "foundation/http/server/head_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace belljar::http::server {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

Response Malformed(std::string message) {
  return ErrorResponse(400, Error(Kind::kInvalid, std::move(message)));
}

Response TooLongTarget(const HeadLimits& limits) {
  return ErrorResponse(
      414, Error(Kind::kInvalid,
                 fmt::format("the request's target is longer than {} bytes", limits.target_bytes)));
}

bool IsTokenChar(char c) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         kOthers.find(c) != std::string_view::npos;
}

std::optional<Response> RefuseRequestLine(std::string_view line, const HeadLimits& limits) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) {
    return Malformed("the request line must be METHOD TARGET VERSION");
  }
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!IsToken(line.substr(0, first))) return Malformed("the request's method is not a token");
  if (target.size() > limits.target_bytes) return TooLongTarget(limits);
  const auto visible = [](char c) { return c > 0x20 && c < 0x7f; };
  if (!std::all_of(target.begin(), target.end(), visible)) {
    return Malformed("the request's target holds a byte that must be percent-encoded");
  }
  if (!version.starts_with("HTTP/")) return Malformed("the request line names no HTTP version");
  if (version != "HTTP/1.1") {
    return ErrorResponse(505, Error(Kind::kInvalid, "only HTTP/1.1 is spoken here"));
  }
  return std::nullopt;
}

std::optional<Response> RefuseHeaderLine(std::string_view line) {
  if (line.front() == ' ' || line.front() == '\t') {
    return Malformed("a header is folded over several lines");
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !IsToken(line.substr(0, colon))) {
    return Malformed("a header line is not NAME: VALUE");
  }
  if (!IsFieldValue(line.substr(colon + 1))) {
    return Malformed("a header's value holds a control character");
  }
  return std::nullopt;
}

}  // namespace

bool IsToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsTokenChar);
}

bool IsFieldValue(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  });
}

std::optional<std::size_t> FindHeadEnd(std::string_view bytes, std::size_t searched) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  const std::size_t from = searched < kEnd.size() ? 0 : searched - kEnd.size() + 1;
  const std::size_t at = bytes.find(kEnd, from);
  if (at == std::string_view::npos) return std::nullopt;
  return at + kEnd.size();
}

std::optional<std::size_t> FindLoneLineFeed(std::string_view bytes, std::size_t searched) {
  for (std::size_t at = bytes.find('\n', searched); at != std::string_view::npos;
       at = bytes.find('\n', at + 1)) {
    if (at == 0 || bytes[at - 1] != '\r') return at + 1;
  }
  return std::nullopt;
}

std::optional<Response> RefuseUnended(std::string_view bytes, const HeadLimits& limits) {
  // Room for the method and two spaces beside the target.
  constexpr std::size_t kBesideTarget = 32;
  if (bytes.size() > limits.target_bytes + kBesideTarget &&
      bytes.find(kLineEnd) == std::string_view::npos) {
    return TooLongTarget(limits);
  }
  if (bytes.size() < limits.head_bytes) return std::nullopt;
  return ErrorResponse(431, Error(Kind::kInvalid, fmt::format("the request's head is longer than "
                                                              "{} bytes",
                                                              limits.head_bytes)));
}

std::optional<Response> RefuseHead(std::string_view head, const HeadLimits& limits) {
  if (head.size() > limits.head_bytes) return RefuseUnended(head, limits);
  std::size_t lines = 0;
  for (std::string_view rest = head; rest != kLineEnd; ++lines) {
    const std::size_t end = rest.find(kLineEnd);
    if (end == std::string_view::npos) {
      return Malformed(rest.ends_with('\n') ? "a line ends with LF alone, not with CR LF"
                                            : "the request's head has no end");
    }
    const std::string_view line = rest.substr(0, end);
    if (line.empty()) return Malformed("the request begins with an empty line");
    auto refusal = lines == 0 ? RefuseRequestLine(line, limits) : RefuseHeaderLine(line);
    if (refusal) return refusal;
    if (lines > limits.headers) {
      return ErrorResponse(
          431, Error(Kind::kInvalid, fmt::format("more than {} headers", limits.headers)));
    }
    rest.remove_prefix(end + kLineEnd.size());
  }
  if (lines == 0) return Malformed("the request begins with an empty line");
  return std::nullopt;
}

}  // namespace belljar::http::server
