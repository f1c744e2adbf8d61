// JSON-RPC 2.0 messages as MCP uses them, and the line framing they arrive in.
//
// The peer is not trusted: lines have a maximum length, messages a maximum depth, and everything
// that is not exactly one of the four kinds of message is an error. Error texts are cut.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "foundation/base/json.h"
#include "foundation/base/result.h"

namespace belljar::resource::mcp {

// JSON-RPC error codes that the client handles.
constexpr std::int64_t kMethodNotFound = -32601;
constexpr std::int64_t kHeaderMismatch = -32020;
constexpr std::int64_t kMissingCapability = -32021;
constexpr std::int64_t kUnsupportedVersion = -32022;

struct RpcError {
  std::int64_t code = 0;
  std::string message;  // at most kMaxErrorBytes, valid UTF-8
  json::value data;
};
constexpr std::size_t kMaxErrorBytes = 2'048;

// The answer to a request: an error or a result.
struct Reply {
  std::optional<RpcError> error;
  json::object result;  // set if there is no error
  // The place of a number that `result` cannot hold exactly.
  std::optional<std::string> unheld{};
};

struct Answer {  // the answer to one of our requests
  std::uint64_t id = 0;
  Reply reply;
};
struct Asked {  // a request from the server
  json::value id;
  std::string method;
};
struct Told {  // a notification, or an error without a request id
  std::string method;
};
using Message = std::variant<Answer, Asked, Told>;

Result<Message> ParseMessage(std::string_view text);
// The id of our request that a malformed message seems to answer, also if the id is written as a
// string or as 7.0. 0 if it cannot be determined.
std::uint64_t IdOfMalformed(std::string_view text);

// The serialised messages contain no newline, also not at the end.
std::string RequestText(std::uint64_t id, std::string_view method, const json::object& params);
std::string NotificationText(std::string_view method, const json::object& params);
// The answer to a request from the server: an empty result for "ping", "method not found" for all
// others, since the client offers no capabilities.
std::string AnswerTo(const Asked& asked);

// Splits a stream into lines. A line of more than `most` bytes is an error, detected before the
// line is complete. After an error the reader accepts no more input.
class LineReader {
 public:
  explicit LineReader(std::size_t most) : most_(most) {}

  // Calls `on_line` for each line, without its newline; empty lines are skipped.
  Result<> Feed(std::string_view bytes, const std::function<Result<>(std::string_view)>& on_line);
  // The bytes of the incomplete line.
  std::size_t begun() const { return begun_.size(); }

 private:
  std::size_t most_;
  std::string begun_;
};

}  // namespace belljar::resource::mcp
