// Messages of JSON-RPC 2.0 as MCP has them, and the lines they come in.
//
// Whoever writes them is not trusted: a line has a greatest length, a message a greatest depth, and
// whatever is not exactly one of the four kinds is an error. Texts of errors are cut.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/json.h"
#include "base/result.h"

namespace belljar::mcp {

// Codes of errors that matter to a client.
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

// What became of a request.
struct Reply {
  std::optional<RpcError> error;
  json::object result;  // where there is no error
  // The place of a number that `result` does not hold as it was written.
  std::optional<std::string> unheld{};
};

struct Answer {  // to a request of ours
  std::uint64_t id = 0;
  Reply reply;
};
struct Asked {  // a request of theirs
  json::value id;
  std::string method;
};
struct Told {  // a notification, or an error that belongs to no request
  std::string method;
};
using Message = std::variant<Answer, Asked, Told>;

Result<Message> ParseMessage(std::string_view text);
// The request of ours that a text which is no message seems to be the answer to: also by an id that
// is written as a text or as 7.0. 0: that cannot be told.
std::uint64_t IdOfMalformed(std::string_view text);

// Without a newline, in them or behind them.
std::string RequestText(std::uint64_t id, std::string_view method, const json::object& params);
std::string NotificationText(std::string_view method, const json::object& params);
// The answer to a request of theirs: to "ping" an empty result, to all others that there is no such
// method, since nothing else was offered.
std::string AnswerTo(const Asked& asked);

// Cuts a stream into lines; a line of more than `most` bytes is an error, seen as it grows. After
// an error it takes nothing more.
class LineReader {
 public:
  explicit LineReader(std::size_t most) : most_(most) {}

  // Calls `on_line` for each line, without its newline; empty ones are left out.
  Result<> Feed(std::string_view bytes, const std::function<Result<>(std::string_view)>& on_line);
  // Bytes of a line that has not ended yet.
  std::size_t begun() const { return begun_.size(); }

 private:
  std::size_t most_;
  std::string begun_;
};

}  // namespace belljar::mcp
