#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "foundation/base/json.h"
#include "foundation/base/nearest.h"
#include "foundation/base/quote.h"
#include "foundation/base/text.h"
#include "request/limit_fields.h"
#include "request/request.h"
#include "request/request_fallback.h"
#include "request/request_input.h"
#include "request/request_scan.h"

namespace belljar::request {
namespace {

std::string_view TypeName(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return "null";
    case json::kind::bool_:
      return "a boolean";
    case json::kind::int64:
    case json::kind::uint64:
    case json::kind::double_:
      return "a number";
    case json::kind::string:
      return "a string";
    case json::kind::array:
      return "a list";
    case json::kind::object:
      return "an object";
  }
  return "something else";
}

Error WrongType(std::string_view key, std::string_view expected, const json::value& value) {
  return Invalid("\"{}\" must be {}, not {}", key, expected, TypeName(value));
}

std::string ShowNumber(const json::value& value) {
  if (value.is_int64()) return fmt::format("{}", value.get_int64());
  if (value.is_uint64()) return fmt::format("{}", value.get_uint64());
  return fmt::format("{}", value.get_double());
}

std::string_view View(const json::string& text) { return {text.data(), text.size()}; }

// ---- values ----

Result<std::string> ReadString(std::string_view key, const json::value& value) {
  if (!value.is_string()) return WrongType(key, "a string", value);
  return std::string(View(value.get_string()));
}

Result<std::vector<std::string>> ReadStrings(std::string_view key, const json::value& value) {
  if (!value.is_array()) return WrongType(key, "a list of strings", value);
  std::vector<std::string> strings;
  strings.reserve(value.get_array().size());
  for (const json::value& item : value.get_array()) {
    if (!item.is_string()) {
      return Invalid("\"{}\" must be a list of strings, but item {} is {}", key, strings.size() + 1,
                     TypeName(item));
    }
    strings.emplace_back(View(item.get_string()));
  }
  return strings;
}

// The members of an object whose values are strings, in order.
using Pairs = std::vector<std::pair<std::string, std::string_view>>;
Result<Pairs> ReadPairs(std::string_view key, std::string_view expected, const json::value& value) {
  if (!value.is_object()) return WrongType(key, expected, value);
  Pairs pairs;
  pairs.reserve(value.get_object().size());
  for (const auto& [name, member] : value.get_object()) {
    const std::string_view shown(name.data(), name.size());
    if (!member.is_string()) {
      return Invalid("\"{}\" must be {}, but {} is {}", key, expected, Quote(shown),
                     TypeName(member));
    }
    pairs.emplace_back(shown, View(member.get_string()));
  }
  return pairs;
}

// The value as a whole number, also when written as 1e6 or 64.0; nullopt if it is negative,
// fractional or too large.
std::optional<std::uint64_t> WholeNumber(const json::value& value) {
  if (value.is_uint64()) return value.get_uint64();
  if (value.is_int64()) {
    if (value.get_int64() < 0) return std::nullopt;
    return static_cast<std::uint64_t>(value.get_int64());
  }
  const double number = value.get_double();
  // 2^53: beyond it a double cannot represent every integer
  constexpr double kExact = 9007199254740992;
  if (!(number >= 0 && number <= kExact)) return std::nullopt;
  return static_cast<std::uint64_t>(number);
}

bool IsFraction(const json::value& value) {
  return value.is_double() && std::isfinite(value.get_double()) &&
         value.get_double() != std::trunc(value.get_double());
}

// ---- limits ----

std::string_view Expected(Unit unit) {
  switch (unit) {
    case Unit::kDuration:
      return "a number of seconds or a time such as \"2m\"";
    case Unit::kSize:
      return "a whole number of bytes or a size such as \"512M\"";
    case Unit::kCpus:
      return "a number";
    case Unit::kCount:
      break;
  }
  return "a whole number";
}

Result<std::uint64_t> ReadLimitText(const LimitField& field, const json::value& value) {
  const std::string_view text = View(value.get_string());
  const std::string purpose = fmt::format("\"{}\"", field.key);
  if (field.unit == Unit::kSize) return ParseSize(text).While(purpose);
  if (field.unit != Unit::kDuration) return WrongType(field.key, Expected(field.unit), value);
  const auto time = BJ_TRY(ParseDuration(text).While(purpose));
  return static_cast<std::uint64_t>(time.count());
}

// A value given in seconds or CPUs, converted to milliseconds or thousandths of a CPU.
Result<std::uint64_t> ReadThousandths(const LimitField& field, const json::value& value) {
  const double thousandths = value.to_number<double>() * 1000;
  const bool inside = thousandths >= static_cast<double>(field.low) &&
                      thousandths <= static_cast<double>(field.high);
  if (!inside) return OutOfRange(field, ShowNumber(value));  // also true for infinities and NaN
  return static_cast<std::uint64_t>(std::llround(thousandths));
}

Result<std::uint64_t> ReadLimitNumber(const LimitField& field, const json::value& value) {
  if (field.unit == Unit::kDuration || field.unit == Unit::kCpus) {
    return ReadThousandths(field, value);
  }
  if (IsFraction(value)) {
    return Invalid("\"{}\" must be {}, not {}", field.key, Expected(field.unit), ShowNumber(value));
  }
  const std::optional<std::uint64_t> number = WholeNumber(value);
  if (!number) return OutOfRange(field, ShowNumber(value));
  return *number;
}

Result<> ReadLimit(const LimitField& field, const json::value& value, Limits& limits) {
  if (!value.is_number() && !value.is_string()) {
    return WrongType(field.key, Expected(field.unit), value);
  }
  const std::uint64_t number =
      BJ_TRY(value.is_string() ? ReadLimitText(field, value) : ReadLimitNumber(field, value));
  if (number < field.low || number > field.high) {
    const std::string shown =
        value.is_string() ? Quote(View(value.get_string())) : ShowNumber(value);
    return OutOfRange(field, shown);
  }
  field.set(limits, number);
  return {};
}

// ---- the other keys ----

template <auto member>
Result<> ReadStringInto(std::string_view key, const json::value& value, Request& request) {
  request.*member = BJ_TRY(ReadString(key, value));
  return {};
}

template <auto member>
Result<> ReadStringsInto(std::string_view key, const json::value& value, Request& request) {
  request.*member = BJ_TRY(ReadStrings(key, value));
  return {};
}

// A numeric id is returned to the caller as a number.
Result<> ReadId(std::string_view key, const json::value& value, Request& request) {
  request.numeric_id = value.is_int64() || value.is_uint64();
  if (value.is_double()) return Invalid("\"id\" must be a string or a whole number");
  if (!request.numeric_id) return ReadStringInto<&Request::id>(key, value, request);
  request.id = ShowNumber(value);
  return {};
}

Result<> ReadLang(std::string_view key, const json::value& value, Request& request) {
  const std::string name = BJ_TRY(ReadString(key, value));
  request.lang = BJ_TRY(ParseLang(name));
  return {};
}

Result<> ReadCommand(std::string_view key, const json::value& value, Request& request) {
  request.command = BJ_TRY(ReadStrings(key, value));
  if (request.command.empty()) return Invalid("\"command\" must name a program; the list is empty");
  return {};
}

Result<> ReadBackend(std::string_view key, const json::value& value, Request& request) {
  const std::string name = BJ_TRY(ReadString(key, value));
  request.backend = BJ_TRY(ParseBackend(name));
  return {};
}

Result<> ReadEnv(std::string_view key, const json::value& value, Request& request) {
  const Pairs pairs = BJ_TRY(ReadPairs(key, "an object of strings", value));
  for (const auto& [name, text] : pairs) request.env.emplace(name, text);
  return {};
}

Result<> ReadFiles(std::string_view key, const json::value& value, Request& request) {
  const Pairs pairs = BJ_TRY(ReadPairs(key, "an object of paths and base64 strings", value));
  for (const auto& [path, text] : pairs) {
    InputFile file{.path = path, .bytes = {}};
    if (!Base64Decode(text, file.bytes)) {
      return Invalid("\"files\": the content of {} is not base64 (standard alphabet, padded)",
                     Quote(path));
    }
    request.files.push_back(std::move(file));
  }
  return {};
}

Result<> ReadStdinBytes(std::string_view key, const json::value& value, Request& request) {
  const std::string text = BJ_TRY(ReadString(key, value));
  if (Base64Decode(text, request.stdin_bytes)) return {};
  return Invalid("\"{}\" is not base64 (standard alphabet, padded)", key);
}

Result<> ReadSeed(std::string_view key, const json::value& value, Request& request) {
  const bool whole = value.is_number() && !IsFraction(value);
  request.deterministic = whole ? WholeNumber(value) : std::nullopt;
  if (request.deterministic) return {};
  return Invalid("\"{}\" must be a seed, a whole number from 0 to {}, not {}", key,
                 std::numeric_limits<std::uint64_t>::max(),
                 value.is_number() ? ShowNumber(value) : std::string(TypeName(value)));
}

Result<> ReadVaultList(std::string_view, const json::value& value, Request& request) {
  request.vaults = BJ_TRY(ReadVaults(value));
  return {};
}

Result<> ReadArtefactList(std::string_view, const json::value& value, Request& request) {
  request.artefacts = BJ_TRY(ReadArtefacts(value));
  return {};
}

struct KeyReader {
  std::string_view key;
  Result<> (*read)(std::string_view key, const json::value& value, Request& request);
};

constexpr std::array kReaders = {
    KeyReader{"id", ReadId},
    KeyReader{"lang", ReadLang},
    KeyReader{"code", ReadStringInto<&Request::code>},
    KeyReader{"command", ReadCommand},
    KeyReader{"level", ReadStringInto<&Request::level>},
    KeyReader{"image", ReadStringInto<&Request::image>},
    KeyReader{"backend", ReadBackend},
    KeyReader{"session", ReadStringInto<&Request::session>},
    KeyReader{"reason", ReadStringInto<&Request::reason>},
    KeyReader{"stdin", ReadStringInto<&Request::stdin_bytes>},
    KeyReader{"stdin_base64", ReadStdinBytes},
    KeyReader{"input", ReadInput},
    KeyReader{"input_schema", ReadInputSchema},
    KeyReader{"output_schema", ReadOutputSchema},
    KeyReader{"text", ReadText},
    KeyReader{"fallback", ReadFallback},
    KeyReader{"writes", ReadWrites},
    KeyReader{"args", ReadStringsInto<&Request::args>},
    KeyReader{"env", ReadEnv},
    KeyReader{"files", ReadFiles},
    KeyReader{"fetch", ReadStringsInto<&Request::fetch>},
    KeyReader{"vaults", ReadVaultList},
    KeyReader{"allow_hosts", ReadStringsInto<&Request::allow_hosts>},
    KeyReader{"artefacts", ReadArtefactList},
    KeyReader{"deterministic", ReadSeed},
    KeyReader{"correlation_id", ReadStringInto<&Request::correlation_id>},
};

// ---- unknown keys ----

// The known key nearest to a misspelt one, or "". Since two edits turn any two letters into "id", a
// suggestion must share at least one character.
std::string_view NearestKey(std::string_view wrong) {
  constexpr std::size_t kLongestKey = 32;
  if (wrong.size() > kLongestKey) return "";
  std::string_view nearest;
  std::size_t least = 3;
  for (const std::string_view key : RequestKeys()) {
    const std::size_t distance = EditDistance(wrong, key);
    if (distance >= least || distance >= wrong.size()) continue;
    least = distance;
    nearest = key;
  }
  return nearest;
}

Error UnknownKey(std::string_view key) {
  const std::string_view nearest = NearestKey(key);
  if (nearest.empty()) return Invalid("unknown key {}", Quote(key));
  return Invalid("unknown key {}; did you mean \"{}\"?", Quote(key), nearest);
}

// ---- the whole request ----

Result<> ReadKey(std::string_view key, const json::value& value, Request& request) {
  if (const LimitField* field = FindLimitField(key))
    return ReadLimit(*field, value, request.limits);
  const auto* const reader = std::find_if(kReaders.begin(), kReaders.end(),
                                          [&](const KeyReader& each) { return each.key == key; });
  if (reader == kReaders.end()) return UnknownKey(key);
  // An empty value is probably an unset variable of the caller. A request meant for a session must
  // not run elsewhere.
  const bool names = key == "session" || key == "level";
  if (names && value == "") return Invalid("\"{}\" is empty: leave it out, or name one", key);
  return reader->read(key, value, request);
}

// These keys all set the program's standard input; at most one may be given.
Result<> CheckOneStdin(const json::object& object) {
  std::string_view given;
  for (const std::string_view key : {"stdin", "stdin_base64", "input"}) {
    if (!object.contains(key)) continue;
    if (!given.empty()) return Invalid("give either \"{}\" or \"{}\", not both", given, key);
    given = key;
  }
  return {};
}

Result<Request> ReadObject(const json::object& object, const Limits& defaults) {
  if (object.contains("code") && object.contains("command")) {
    return Invalid("give either \"code\" or \"command\", not both");
  }
  BJ_TRY(CheckOneStdin(object));
  Request request;
  request.limits = defaults;
  for (const auto& [key, value] : object) {
    BJ_TRY(ReadKey(std::string_view(key.data(), key.size()), value, request));
  }
  // Checked after unknown keys, so that {"cod":"1"} gets a message about the misspelling.
  if (!object.contains("code") && !object.contains("command")) {
    return Invalid("a request needs \"code\" or \"command\"");
  }
  if (!object.contains("cpu_time")) request.limits.cpu_time = DefaultCpuTime(request.limits);
  // A larger workspace would be of little use if one file could not fill it.
  if (object.contains("workspace") && !object.contains("file_size")) {
    request.limits.file_size_bytes = request.limits.workspace_bytes;
  }
  return request;
}

Result<> CheckKeys(std::string_view json_text) {
  const RequestScan scan = ScanRequest(json_text);
  if (scan.duplicate_key) return Invalid("the key {} is given twice", Quote(*scan.duplicate_key));
  if (scan.too_many_keys) return Invalid("an object has more than {} keys", kMaxObjectKeys);
  return {};
}

}  // namespace

Result<Request> ParseRequest(std::string_view json_text, const Limits& defaults) {
  if (json_text.size() > kMaxLineBytes) {
    return Invalid("the request has {} bytes; at most {} are allowed", json_text.size(),
                   kMaxLineBytes);
  }
  BJ_TRY(CheckKeys(json_text));
  const json::value value = BJ_TRY(ParseJson(json_text));
  if (!value.is_object()) return Invalid("a request must be an object, not {}", TypeName(value));
  Request request = BJ_TRY(ReadObject(value.get_object(), defaults));
  if (request.input) BJ_TRY(CheckInputNumbers(json_text));
  BJ_TRY(Validate(request));
  return request;
}

std::vector<std::string_view> RequestKeys() {
  std::vector<std::string_view> keys;
  for (const KeyReader& reader : kReaders) keys.push_back(reader.key);
  for (const LimitField& field : LimitFields()) keys.push_back(field.key);
  return keys;
}

std::string SalvageId(std::string_view json_text) { return ScanRequest(json_text).id.value_or(""); }

json::value IdJson(const std::string& id, bool numeric_id) {
  if (!numeric_id) return json::value(id);
  auto number = ParseJson(id);
  return number ? *std::move(number) : json::value(id);
}

json::value SalvageIdJson(std::string_view json_text) {
  const RequestScan scan = ScanRequest(json_text);
  return IdJson(scan.id.value_or(""), scan.numeric_id);
}

}  // namespace belljar::request
