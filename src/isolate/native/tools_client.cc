// belljar-tools: tools of MCP servers for shells. Inside a cell, by the socket of its door.
//
//   belljar-tools list [SERVER]               servers, or a server's tools
//   belljar-tools describe SERVER TOOL        what it takes, as JSON
//   belljar-tools call SERVER TOOL [JSON|-]   calls it; "-" reads the arguments from standard input
//
// A call prints the structured result as JSON, else the text, else the content as JSON. The status
// is 0, 1 where the tool itself has failed, 2 for a wrong command line, 126 where the call is not
// allowed and 125 where it could not be made.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/sys.h"
#include "isolate/native/door_places.h"

namespace belljar::isolate {
namespace {

constexpr int kFailed = 1, kUsage = 2, kNotMade = 125, kDenied = 126;
constexpr std::size_t kMostInput = 4U << 20;

int Complain(int status, std::string_view words) {
  ::fprintf(stderr, "belljar-tools: %.*s\n", static_cast<int>(words.size()), words.data());
  return status;
}

void Print(std::string_view text) {
  ::fwrite(text.data(), 1, text.size(), stdout);
  if (text.empty() || text.back() != '\n') ::fputc('\n', stdout);
}

Result<std::string> Exchange(const std::string& line) {
  const Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ::memcpy(address.sun_path, kToolsSocket, sizeof(kToolsSocket));
  if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
    return Error(Kind::kUnavailable,
                 std::string("no tools are open to this run: ") + ::strerror(errno));
  }
  BJ_TRY(WriteAll(socket, line, "the request"));
  std::string answer;
  std::vector<char> chunk(64U << 10);
  while (answer.empty() || answer.back() != '\n') {
    const long n = BJ_TRY(Check("read", "the answer",
                                [&] { return ::read(socket.get(), chunk.data(), chunk.size()); }));
    if (n == 0) return Error(Kind::kUnavailable, "the connection to the tools was closed");
    answer.append(chunk.data(), static_cast<std::size_t>(n));
  }
  return answer;
}

// The result; what is wrong has been said, and `status` is how to end.
std::optional<json::object> Ask(std::string_view method, const json::object& params, int& status) {
  const json::object request{{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}};
  const auto line = Exchange(json::serialize(request) + "\n");
  const auto answer = line ? ParseJson(*line) : Result<json::value>(line.error());
  if (!answer) {
    status = Complain(kNotMade, answer.error().message());
    return std::nullopt;
  }
  if (const json::value* error = answer->as_object().if_contains("error")) {
    const bool denied = error->at("data").at("kind") == "denied";
    status =
        Complain(denied ? kDenied : kNotMade, std::string_view(error->at("message").as_string()));
    return std::nullopt;
  }
  return answer->as_object().at("result").as_object();
}

int ShowResult(const json::object& result) {
  const json::array& content = result.at("content").as_array();
  std::string text;
  bool only_text = true;
  for (const json::value& block : content) {
    if (block.at("type") == "text") {
      text += (text.empty() ? "" : "\n") + std::string(block.at("text").as_string());
    } else {
      only_text = false;
    }
  }
  if (result.at("isError").as_bool())
    return Complain(kFailed, text.empty() ? "the tool has failed" : text);
  if (const json::value* structured = result.if_contains("structuredContent")) {
    Print(json::serialize(*structured));
  } else {
    Print(only_text ? text : json::serialize(content));
  }
  return 0;
}

int Call(const std::string& server, const std::string& tool, std::string given) {
  if (given == "-") {
    const Fd input(::dup(0));
    auto read = ReadAll(input, kMostInput, "standard input");
    if (!read) return Complain(kUsage, read.error().message());
    given = *std::move(read);
  }
  const auto arguments = ParseJson(given);
  if (!arguments || !arguments->is_object())
    return Complain(kUsage, "the arguments must be an object of JSON");
  int status = 0;
  const auto result =
      Ask("tools/call", {{"server", server}, {"tool", tool}, {"arguments", *arguments}}, status);
  return result ? ShowResult(*result) : status;
}

int List(const std::vector<std::string>& words) {
  int status = 0;
  if (words.empty()) {
    const auto result = Ask("servers/list", {}, status);
    if (!result) return status;
    for (const json::value& name : result->at("servers").as_array())
      Print(std::string_view(name.as_string()));
    return 0;
  }
  const auto result = Ask("tools/list", {{"server", words[0]}}, status);
  if (!result) return status;
  for (const json::value& tool : result->at("tools").as_array()) {
    if (words.size() == 1) Print(std::string_view(tool.at("name").as_string()));
    if (words.size() > 1 && tool.at("name") == json::value(words[1])) {
      Print(json::serialize(tool));
      return 0;
    }
  }
  return words.size() == 1 ? 0 : Complain(kDenied, "the policy allows no such tool");
}

int Main(std::vector<std::string> words) {
  const std::string what = words.empty() ? "" : words[0];
  if (!words.empty()) words.erase(words.begin());
  if (what == "list" && words.size() <= 1) return List(words);
  if (what == "describe" && words.size() == 2) return List(words);
  if (what == "call" && (words.size() == 2 || words.size() == 3)) {
    return Call(words[0], words[1], words.size() == 3 ? words[2] : "{}");
  }
  return Complain(kUsage, "list [SERVER] | describe SERVER TOOL | call SERVER TOOL [JSON|-]");
}

}  // namespace
}  // namespace belljar::isolate

int main(int argc, char** argv) {
  try {
    return belljar::isolate::Main({argv + 1, argv + argc});
  } catch (const std::exception&) {  // of an answer that has not the form it should have
    return belljar::isolate::Complain(belljar::isolate::kNotMade, "the answer makes no sense");
  }
}
