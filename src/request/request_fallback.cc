#include "request/request_fallback.h"

#include <algorithm>
#include <array>

#include "foundation/base/quote.h"
#include "request/request_json.h"

namespace belljar::request {
namespace {

constexpr std::array<std::string_view, 6> kOfFallbacks = {"lang", "code",    "command",
                                                          "args", "timeout", "memory"};

}  // namespace

Result<Request> FallbackOf(const Request& request) {
  json::object whole = ToJson(request);
  for (const char* key : {"code", "command", "args", "fallback"}) whole.erase(key);
  for (const auto& [key, value] : *request.fallback) {
    if (std::ranges::find(kOfFallbacks, std::string_view(key)) == kOfFallbacks.end()) {
      return Invalid("\"fallback\" takes lang, code, command, args, timeout and memory, not {}",
                     Quote(key));
    }
    whole[key] = value;
  }
  Request fallback = BJ_TRY(ParseRequest(json::serialize(whole)).While("\"fallback\""));
  fallback.vaults = request.vaults;
  return fallback;
}

Result<> CheckFallback(const Request& request) {
  if (!request.fallback) return {};
  BJ_TRY(FallbackOf(request));
  return {};
}

Result<> ReadFallback(std::string_view key, const json::value& value, Request& request) {
  if (!value.is_object()) return Invalid("\"{}\" must be an object", key);
  request.fallback = value.get_object();
  return {};
}

}  // namespace belljar::request
