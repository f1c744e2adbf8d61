#include "cell/guest/protocol/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace belljar::cell::guest {

Error Violation(std::string message) {
  return Error(Kind::kInvalid, "guest protocol: " + std::move(message));
}

Result<json::object> ReadObject(std::string_view payload,
                                std::span<const std::string_view> allowed) {
  json::value value = BJ_TRY(ParseJson(payload).While("guest protocol"));
  if (!value.is_object()) return Violation("the payload is not an object");
  for (const auto& member : value.get_object()) {
    const std::string_view key(member.key().data(), member.key().size());
    if (std::ranges::find(allowed, key) == allowed.end()) return Violation("unknown key");
  }
  return std::move(value.get_object());
}

Result<std::string> TakeString(const json::object& object, std::string_view key,
                               std::size_t max_bytes) {
  const json::value* value = object.if_contains(key);
  if (value == nullptr || !value->is_string()) return Violation(fmt::format("{} is no text", key));
  const json::string& text = value->get_string();
  if (text.size() > max_bytes) return Violation(fmt::format("{} is too long", key));
  return std::string(text.data(), text.size());
}

Result<std::uint64_t> TakeCount(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  if (value == nullptr) return Violation(fmt::format("{} is missing", key));
  if (value->is_uint64()) return value->get_uint64();
  if (!value->is_int64() || value->get_int64() < 0) {
    return Violation(fmt::format("{} is not a count", key));
  }
  return static_cast<std::uint64_t>(value->get_int64());
}

Result<std::optional<std::uint64_t>> TakeCountIfAny(const json::object& object,
                                                    std::string_view key) {
  if (!object.contains(key)) return std::optional<std::uint64_t>();
  return std::optional(BJ_TRY(TakeCount(object, key)));
}

Result<> CheckVersion(const json::object& object) {
  const std::uint64_t version = BJ_TRY(TakeCount(object, "v"));
  if (version != kProtocolVersion) return Violation(fmt::format("version {}", version));
  return {};
}

Result<std::vector<std::string>> TakeStrings(const json::object& object, std::string_view key) {
  std::vector<std::string> texts;
  const json::value* value = object.if_contains(key);
  if (value == nullptr) return texts;
  if (!value->is_array()) return Violation(fmt::format("{} is not a list", key));
  for (const json::value& item : value->get_array()) {
    if (!item.is_string()) return Violation(fmt::format("{} holds something but text", key));
    texts.emplace_back(item.get_string().data(), item.get_string().size());
  }
  return texts;
}

Result<std::map<std::string, std::string>> TakeEnv(const json::object& object) {
  std::map<std::string, std::string> env;
  const json::value* value = object.if_contains("env");
  if (value == nullptr) return env;
  if (!value->is_object()) return Violation("env is not an object");
  for (const auto& member : value->get_object()) {
    if (!member.value().is_string()) return Violation("env holds something but text");
    const json::string& text = member.value().get_string();
    env.emplace(std::string(member.key().data(), member.key().size()),
                std::string(text.data(), text.size()));
  }
  return env;
}

Result<Language> TakeLanguage(const json::object& object) {
  const std::string name = BJ_TRY(TakeString(object, "lang", 32));
  for (const Language lang : {Language::kPython, Language::kJavaScript, Language::kBash}) {
    if (name == LanguageName(lang)) return lang;
  }
  return Violation("unknown language");
}

Result<GuestError> DecodeError(std::string_view payload) {
  constexpr std::array<std::string_view, 3> kKeys = {"type", "message", "traceback"};
  const json::object object = BJ_TRY(ReadObject(payload, kKeys));
  GuestError error;
  error.type = BJ_TRY(TakeString(object, "type", kMaxErrorTypeBytes));
  error.message = BJ_TRY(TakeString(object, "message", kMaxErrorMessageBytes));
  error.traceback = BJ_TRY(TakeString(object, "traceback", kMaxErrorTracebackBytes));
  return error;
}

Result<std::string> DecodeQuota(std::string_view payload) {
  constexpr std::array<std::string_view, 1> kKeys = {"limit"};
  const json::object object = BJ_TRY(ReadObject(payload, kKeys));
  const std::string limit = BJ_TRY(TakeString(object, "limit", 64));
  if (limit != "file_operations") return Violation("unknown limit");
  return limit;
}

}  // namespace belljar::cell::guest
