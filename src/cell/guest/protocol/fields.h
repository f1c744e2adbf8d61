// The fields of a frame's payload: taken one by one, each with its kind and its limit checked.
//
// What both halves of the protocol (wire.cc, session_dialogue.cc) read their JSON with. Every
// failure is a violation of the protocol, in one sentence that names the field.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cell/guest/protocol/wire.h"
#include "foundation/base/json.h"
#include "foundation/base/result.h"

namespace belljar::cell::guest {

Error Violation(std::string message);

// A JSON object that has no key but those in `allowed`.
Result<json::object> ReadObject(std::string_view payload,
                                std::span<const std::string_view> allowed);

Result<std::string> TakeString(const json::object& object, std::string_view key,
                               std::size_t max_bytes);
Result<std::uint64_t> TakeCount(const json::object& object, std::string_view key);
Result<std::optional<std::uint64_t>> TakeCountIfAny(const json::object& object,
                                                    std::string_view key);
// Absent means none.
Result<std::vector<std::string>> TakeStrings(const json::object& object, std::string_view key);
Result<std::map<std::string, std::string>> TakeEnv(const json::object& object);
Result<Language> TakeLanguage(const json::object& object);
// "v" is this protocol's version.
Result<> CheckVersion(const json::object& object);

// The payloads that a program and a statement have in common.
Result<GuestError> DecodeError(std::string_view payload);
Result<std::string> DecodeQuota(std::string_view payload);

}  // namespace belljar::cell::guest
