// belljar-tools: a command-line client, for shells in a cell, of MCP tools and databases. It
// connects to the socket of the cell's tools listener.
//
//   belljar-tools list [SERVER]               servers, or a server's tools
//   belljar-tools describe SERVER TOOL        a tool's definition, as JSON
//   belljar-tools call SERVER TOOL [JSON|-]   calls it; "-" reads the arguments from standard input
//   belljar-tools databases [NAME]            databases, or a database's tables and columns
//   belljar-tools query NAME SQL [PARAMS]     the rows of a query, one line of JSON each
//   belljar-tools write NAME SQL [PARAMS]     runs a statement that writes; a person must approve
//   it
//
// A call prints the structured result as JSON, else the text, else the content as JSON. The exit
// status is 0; 1 if the tool itself failed; 2 for a wrong command line; 126 if the call is not
// allowed; 125 if it could not be made.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "cell/listener_places.h"
#include "foundation/base/json.h"
#include "foundation/base/sys.h"

namespace belljar::cell::guest {
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

// Sends a request and returns the result. On failure the error has been printed, and `status` is
// the exit status.
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
    const Fd input(::fcntl(0, F_DUPFD_CLOEXEC, 3));
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

int Databases(const std::vector<std::string>& words) {
  int status = 0;
  if (words.empty()) {
    const auto result = Ask("databases/list", {}, status);
    if (!result) return status;
    for (const json::value& database : result->at("databases").as_array())
      Print(std::string_view(database.at("name").as_string()));
    return 0;
  }
  const auto result = Ask("databases/describe", {{"database", words[0]}}, status);
  if (!result) return status;
  for (const json::value& table : result->at("tables").as_array()) Print(json::serialize(table));
  ::fflush(stdout);
  if (result->at("truncated").as_bool())
    ::fprintf(stderr, "belljar-tools: there are more tables and columns than the policy allows\n");
  return 0;
}

// Prints rows as JSON objects. Omitted rows are reported on standard error.
int Statement(const std::string& method, const std::vector<std::string>& words) {
  const auto params = ParseJson(words.size() == 3 ? words[2] : "[]");
  if (!params || !params->is_array())
    return Complain(kUsage, "the parameters must be a list of JSON");
  int status = 0;
  const auto result =
      Ask(method, {{"database", words[0]}, {"sql", words[1]}, {"params", *params}}, status);
  if (!result) return status;
  const json::array& columns = result->at("columns").as_array();
  for (const json::value& row : result->at("rows").as_array()) {
    json::object shown;
    for (std::size_t i = 0; i < columns.size(); ++i)
      shown[columns[i].at("name").as_string()] = row.at(i);
    Print(json::serialize(shown));
  }
  ::fflush(stdout);
  if (result->at("truncated").as_bool())
    ::fprintf(stderr, "belljar-tools: there are more rows than the policy allows\n");
  if (method == "databases/write")
    ::fprintf(stderr, "belljar-tools: %s rows changed\n",
              json::serialize(result->at("changed")).c_str());
  return 0;
}

int Main(std::vector<std::string> words) {
  const std::string what = words.empty() ? "" : words[0];
  if (!words.empty()) words.erase(words.begin());
  if (what == "list" && words.size() <= 1) return List(words);
  if (what == "describe" && words.size() == 2) return List(words);
  if (what == "call" && (words.size() == 2 || words.size() == 3)) {
    return Call(words[0], words[1], words.size() == 3 ? words[2] : "{}");
  }
  if (what == "databases" && words.size() <= 1) return Databases(words);
  if ((what == "query" || what == "write") && (words.size() == 2 || words.size() == 3)) {
    return Statement("databases/" + what, words);
  }
  return Complain(kUsage,
                  "list [SERVER] | describe SERVER TOOL | call SERVER TOOL [JSON|-] | "
                  "databases [NAME] | query NAME SQL [PARAMS] | write NAME SQL [PARAMS]");
}

}  // namespace
}  // namespace belljar::cell::guest

int main(int argc, char** argv) {
  try {
    return belljar::cell::guest::Main({argv + 1, argv + argc});
  } catch (const std::exception&) {  // thrown if the answer lacks an expected field
    return belljar::cell::guest::Complain(belljar::cell::guest::kNotMade,
                                          "the answer makes no sense");
  }
}
