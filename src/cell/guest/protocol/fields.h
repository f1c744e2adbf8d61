// Reads the fields of a frame's payload one by one and checks the type and the limit of each.
//
// Both halves of the protocol (wire.cc, session_dialogue.cc) read their JSON with these functions.
// Every failure is a protocol violation, reported in one sentence that names the field.
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

// Parses a JSON object that has only keys in `allowed`.
Result<json::object> ReadObject(std::string_view payload,
                                std::span<const std::string_view> allowed);

Result<std::string> TakeString(const json::object& object, std::string_view key,
                               std::size_t max_bytes);
Result<std::uint64_t> TakeCount(const json::object& object, std::string_view key);
Result<std::optional<std::uint64_t>> TakeCountIfAny(const json::object& object,
                                                    std::string_view key);
// A missing key yields an empty list.
Result<std::vector<std::string>> TakeStrings(const json::object& object, std::string_view key);
Result<std::map<std::string, std::string>> TakeEnv(const json::object& object);
Result<Language> TakeLanguage(const json::object& object);
// Checks that "v" is this protocol's version.
Result<> CheckVersion(const json::object& object);

// The payloads that runs and sessions share.
Result<GuestError> DecodeError(std::string_view payload);
Result<std::string> DecodeQuota(std::string_view payload);

}  // namespace belljar::cell::guest
