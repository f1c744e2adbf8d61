#include "foundation/http/server/compose.h"

#include <fmt/format.h>

#include <ctime>

#include "foundation/http/server/head_text.h"

namespace belljar::http::server {
namespace {

std::string Date() {
  const std::time_t now = std::time(nullptr);
  thread_local std::time_t said = 0;
  thread_local std::string text;
  if (now != said) {
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    char buffer[40];
    const std::size_t length =
        std::strftime(buffer, sizeof(buffer), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    text.assign(buffer, length);
    said = now;
  }
  return text;
}

// The common part of both kinds of head, without the empty line.
std::string Begin(unsigned status, std::string_view content_type, const Headers& headers,
                  After after) {
  std::string head;
  head.reserve(256);
  head += fmt::format("HTTP/1.1 {} {}\r\nDate: {}\r\nX-Content-Type-Options: nosniff\r\n", status,
                      ReasonPhrase(status), Date());
  if (!content_type.empty()) head += fmt::format("Content-Type: {}\r\n", content_type);
  if (!headers.Find("Cache-Control")) head += "Cache-Control: no-store\r\n";
  if (after == After::kClose) head += "Connection: close\r\n";
  for (const Header& header : headers.all()) {
    head += fmt::format("{}: {}\r\n", header.name, header.value);
  }
  return head;
}

Result<> CheckHeader(const Header& header) {
  if (!IsToken(header.name) || !IsFieldValue(header.value)) {
    return Error(Kind::kInternal, "a response header cannot be sent");
  }
  if (ToLower(header.name).starts_with("access-control-")) {
    return Error(Kind::kInternal, "a response would open the server to other origins");
  }
  for (const char* own : {"Content-Length", "Transfer-Encoding", "Content-Type", "Connection",
                          "Date", "X-Content-Type-Options"}) {
    if (EqualIgnoringCase(header.name, own)) {
      return Error(Kind::kInternal, std::string(own) + " is not for a handler to set");
    }
  }
  return {};
}

std::string_view TypeOf(const StreamHead& head) {
  switch (head.kind) {
    case StreamKind::kNdjson:
      return "application/x-ndjson";
    case StreamKind::kSse:
      return "text/event-stream";
    case StreamKind::kBytes:
      return head.content_type;
  }
  return head.content_type;
}

}  // namespace

std::string ComposeAnswer(const Response& response, After after, Extent extent) {
  std::string bytes = Begin(response.status, response.content_type, response.headers, after);
  // These two statuses must have neither a body nor a Content-Length.
  if (response.status == 204 || response.status == 304) return bytes + "\r\n";
  bytes += fmt::format("Content-Length: {}\r\n\r\n", response.body.size());
  return extent == Extent::kHeadOnly ? bytes : bytes + response.body;
}

std::string ComposeStreamHead(const StreamHead& head, After after) {
  return Begin(head.status, TypeOf(head), head.headers, after) +
         "Transfer-Encoding: chunked\r\n\r\n";
}

Result<> CheckSendable(unsigned status, std::string_view content_type, const Headers& headers) {
  if (status < 200 || status > 599 || !IsFieldValue(content_type)) {
    return Error(Kind::kInternal, "a response has a status or a type that cannot be sent");
  }
  for (const Header& header : headers.all()) BJ_TRY(CheckHeader(header));
  return {};
}

std::string Chunk(std::string_view bytes) {
  if (bytes.empty()) return {};
  return fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes);
}

Result<std::string> Frame(StreamKind kind, std::string_view event) {
  if (kind == StreamKind::kBytes) return std::string(event);
  if (event.find_first_of("\r\n") != std::string_view::npos) {
    return Error(Kind::kInternal, "an event of a stream holds a line end");
  }
  if (kind == StreamKind::kNdjson) return fmt::format("{}\n", event);
  return fmt::format("data: {}\n\n", event);
}

}  // namespace belljar::http::server
