// Arbitrary bytes from an MCP server, in arbitrary groups: lines, events, messages, lists of tools
// and results of calls. Whatever the grouping, the lines and events are the same and within the
// promised size; whatever the message, reading it ends in a value or an error.
//
// The input's first byte is the length of every group but the last; the rest is the server's
// stream.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "resource/mcp/message.h"
#include "resource/mcp/sse.h"
#include "resource/mcp/tool.h"

namespace {

using namespace belljar;
using namespace belljar::resource::mcp;

constexpr std::size_t kMost = 256;

void Require(bool holds) {
  if (!holds) std::abort();
}

template <class Reader>
std::vector<std::string> Pieces(std::string_view stream, std::size_t group) {
  Reader reader(kMost);
  std::vector<std::string> pieces;
  while (!stream.empty()) {
    const std::size_t size = std::min(std::max<std::size_t>(group, 1), stream.size());
    const auto fed = reader.Feed(stream.substr(0, size), [&](std::string_view piece) {
      Require(piece.size() <= kMost);
      pieces.emplace_back(piece);
      return Result<>();
    });
    if (!fed) {
      pieces.emplace_back("too long");
      break;
    }
    stream.remove_prefix(size);
  }
  return pieces;
}

void ReadMessage(std::string_view text) {
  const auto message = ParseMessage(text);
  static_cast<void>(IdOfMalformed(text));
  if (!message) return;
  if (const auto* asked = std::get_if<Asked>(&*message)) {
    const std::string answer = AnswerTo(*asked);
    Require(answer.find('\n') == std::string::npos);
    Require(static_cast<bool>(ParseMessage(answer)) || asked->id.is_string());
  }
  const auto* answer = std::get_if<Answer>(&*message);
  if (answer == nullptr) return;
  if (answer->reply.error) Require(answer->reply.error->message.size() <= 3 * kMaxErrorBytes);
  std::vector<Tool> tools;
  static_cast<void>(AddTools(answer->reply.result, tools));
  for (const Tool& tool : tools) Require(IsToolName(tool.name));
  static_cast<void>(ReadCallResult(answer->reply.result));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view stream(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto lines = Pieces<LineReader>(stream, data[0]);
  Require(lines == Pieces<LineReader>(stream, stream.size()));
  Require(Pieces<SseReader>(stream, data[0]) == Pieces<SseReader>(stream, stream.size()));
  for (const std::string& line : lines) ReadMessage(line);
  ReadMessage(stream);
  return 0;
}
