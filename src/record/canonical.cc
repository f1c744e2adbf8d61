#include "record/canonical.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "foundation/base/text.h"

namespace belljar::record {
namespace {

constexpr int kMaxDepth = 32;

bool NeedsEscape(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }

void AppendEscaped(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
  }
}

Result<> AppendString(std::string& out, std::string_view text) {
  if (!IsValidUtf8(text)) return Error(Kind::kInvalid, "a text in an audit record is not UTF-8");
  out += '"';
  while (!text.empty()) {
    const auto end = std::find_if(text.begin(), text.end(), NeedsEscape);
    const auto plain = static_cast<std::size_t>(end - text.begin());
    out += text.substr(0, plain);
    if (end != text.end()) AppendEscaped(out, *end);
    text.remove_prefix(std::min(plain + 1, text.size()));
  }
  out += '"';
  return {};
}

// A double with a whole value is written as an integer, because the parser would read it back as
// one.
Result<> AppendDouble(std::string& out, double number) {
  if (!std::isfinite(number)) {
    return Error(Kind::kInvalid, "a number in an audit record is not finite");
  }
  out += number == 0 ? "0" : fmt::format("{}", number);
  return {};
}

Result<> AppendValue(std::string& out, const json::value& value, int depth);

Result<> AppendObject(std::string& out, const json::object& object, int depth) {
  std::vector<const json::key_value_pair*> members;
  members.reserve(object.size());
  for (const auto& member : object) members.push_back(&member);
  std::sort(members.begin(), members.end(),
            [](const auto* a, const auto* b) { return a->key() < b->key(); });
  out += '{';
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i > 0) out += ',';
    BJ_TRY(AppendString(out, members[i]->key()));
    out += ':';
    BJ_TRY(AppendValue(out, members[i]->value(), depth));
  }
  out += '}';
  return {};
}

Result<> AppendArray(std::string& out, const json::array& array, int depth) {
  out += '[';
  for (std::size_t i = 0; i < array.size(); ++i) {
    if (i > 0) out += ',';
    BJ_TRY(AppendValue(out, array[i], depth));
  }
  out += ']';
  return {};
}

Result<> AppendValue(std::string& out, const json::value& value, int depth) {
  if (depth > kMaxDepth) return Error(Kind::kInvalid, "an audit record is nested too deeply");
  switch (value.kind()) {
    case json::kind::null:
      out += "null";
      return {};
    case json::kind::bool_:
      out += value.get_bool() ? "true" : "false";
      return {};
    case json::kind::int64:
      out += std::to_string(value.get_int64());
      return {};
    case json::kind::uint64:
      out += std::to_string(value.get_uint64());
      return {};
    case json::kind::double_:
      return AppendDouble(out, value.get_double());
    case json::kind::string:
      return AppendString(out, value.get_string());
    case json::kind::array:
      return AppendArray(out, value.get_array(), depth + 1);
    case json::kind::object:
      return AppendObject(out, value.get_object(), depth + 1);
  }
  return Error(Kind::kInternal, "a JSON value of no kind");
}

}  // namespace

Result<std::string> Canonical(const json::value& value) {
  std::string out;
  BJ_TRY(AppendValue(out, value, 0));
  return out;
}

Result<std::string> CanonicalString(std::string_view text) {
  std::string out;
  BJ_TRY(AppendString(out, text));
  return out;
}

}  // namespace belljar::record
