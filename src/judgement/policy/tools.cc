#include "judgement/policy/tools.h"

#include <fmt/format.h>

#include <algorithm>

#include "foundation/base/glob.h"
#include "foundation/base/quote.h"
#include "foundation/schema/pattern.h"

namespace belljar::judgement::policy {
namespace {

bool MatchesAny(const std::vector<std::string>& patterns, std::string_view text) {
  return std::ranges::any_of(
      patterns, [&](const std::string& pattern) { return GlobMatches(pattern, text); });
}

// The value at the path "a.b.c"; null if there is none.
const json::value* Find(const json::object& arguments, std::string_view path) {
  const json::object* object = &arguments;
  for (;;) {
    const std::size_t dot = path.find('.');
    const json::value* const value = object->if_contains(path.substr(0, dot));
    if (value == nullptr || dot == std::string_view::npos) return value;
    object = value->if_object();
    if (object == nullptr) return nullptr;
    path.remove_prefix(dot + 1);
  }
}

// The value as text, for types with exactly one spelling; others cannot be compared with a pattern.
std::optional<std::string> PlainText(const json::value& value) {
  if (const json::string* text = value.if_string()) return std::string(*text);
  if (value.is_int64() || value.is_uint64() || value.is_bool()) return json::serialize(value);
  return std::nullopt;
}

bool HasControl(std::string_view text) {
  return std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

// Whether the path contains "..": "/srv/../etc" would match the pattern "/srv/**".
bool ClimbsUp(std::string_view path) {
  constexpr std::string_view kSlashes = "/\\";
  for (;;) {
    const std::size_t slash = path.find_first_of(kSlashes);
    if (path.substr(0, slash) == "..") return true;
    if (slash == std::string_view::npos) return false;
    path.remove_prefix(slash + 1);
  }
}

bool Holds(const ArgumentRule& rule, const json::value& value) {
  if (const json::array* list = value.if_array()) {
    // An empty list is refused: many servers take it to mean everything.
    return !list->empty() && std::ranges::all_of(*list, [&](const json::value& each) {
      return !each.is_array() && Holds(rule, each);
    });
  }
  const auto text = PlainText(value);
  if (!text) return false;
  // Control characters are refused: a server may end the value at a NUL, or take a second line for
  // another value.
  if (!rule.in.empty() && (HasControl(*text) || ClimbsUp(*text))) return false;
  if (!rule.in.empty() && !MatchesAny(rule.in, *text)) return false;
  if (rule.matches.empty()) return true;
  const auto pattern = schema::Pattern::Create(rule.matches);
  return pattern && pattern->Finds(*text);
}

bool IsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

Result<> CheckReach(const ToolServer& server) {
  if (server.command.empty() == server.url.empty()) {
    return Invalid("needs exactly one of \"command\" and \"url\"");
  }
  if (!server.command.empty() && !server.headers.empty()) {
    return Invalid("\"headers\" belong to a \"url\"");
  }
  if (!server.url.empty() && !(server.env.empty() && server.pass.empty())) {
    return Invalid("\"env\" and \"pass\" belong to a \"command\"");
  }
  const bool http = server.url.starts_with("http://") || server.url.starts_with("https://");
  if (!server.url.empty() && !http) return Invalid("\"url\" begins with http:// or https://");
  for (const auto& [name, from] : server.headers) {
    if (from.starts_with("env:") || from.starts_with("file:/")) continue;
    return Invalid("the header {} takes \"env:NAME\" or \"file:/PATH\": a policy holds no secrets",
                   Quote(name));
  }
  return {};
}

}  // namespace

ToolVerdict JudgeTool(const ToolServer& server, std::string_view tool) {
  if (MatchesAny(server.ask, tool)) return ToolVerdict::kAsk;
  return MatchesAny(server.allow, tool) ? ToolVerdict::kAllow : ToolVerdict::kDeny;
}

std::optional<std::string> RefuseArguments(const ToolServer& server, std::string_view tool,
                                           const json::object& arguments) {
  for (const ArgumentRule& rule : server.rules) {
    if (!GlobMatches(rule.tool, tool)) continue;
    const json::value* const value = Find(arguments, rule.argument);
    if (value == nullptr) {
      return fmt::format("the policy wants the argument \"{}\" to be given", rule.argument);
    }
    if (!Holds(rule, *value)) {
      return fmt::format("the policy does not allow this value of the argument \"{}\"",
                         rule.argument);
    }
  }
  return std::nullopt;
}

bool IsSameServer(const ToolServer& one, const ToolServer& other) {
  return one.command == other.command && one.url == other.url && one.env == other.env &&
         one.pass == other.pass && one.headers == other.headers;
}

bool IsServerName(std::string_view name) {
  constexpr std::size_t kMaxBytes = 64;
  const bool letter = !name.empty() && IsWord(name[0]) && name[0] != '-' && name[0] != '_' &&
                      !(name[0] >= '0' && name[0] <= '9');
  return letter && name.size() <= kMaxBytes && std::ranges::all_of(name, IsWord);
}

Result<> CheckToolServer(const ToolServer& server) {
  BJ_TRY(CheckReach(server));
  for (const ArgumentRule& rule : server.rules) {
    if (rule.tool.empty() || rule.argument.empty()) {
      return Invalid("each of \"rules\" needs \"tool\" and \"argument\"");
    }
    if (rule.in.empty() && rule.matches.empty()) {
      return Invalid("each of \"rules\" needs \"in\" or \"matches\"");
    }
    if (!rule.matches.empty()) BJ_TRY(schema::Pattern::Create(rule.matches).While("\"matches\""));
  }
  return {};
}

}  // namespace belljar::judgement::policy
