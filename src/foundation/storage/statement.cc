#include "foundation/storage/statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "foundation/base/text.h"

namespace belljar::storage {
namespace {

// The fixed memory overhead of a value.
constexpr std::size_t kValueBytes = sizeof(Value);

std::size_t BytesOf(const Value& value) {
  if (const auto* const text = std::get_if<std::string>(&value)) return text->size();
  if (const auto* const blob = std::get_if<Blob>(&value)) return blob->bytes.size();
  return 0;
}

// A description of why a value is refused, or "".
std::string_view Fault(const Value& value) {
  if (BytesOf(value) > kMaxValueBytes) return "is longer than 16 MiB";
  if (const auto* const number = std::get_if<double>(&value)) {
    return std::isfinite(*number) ? "" : "is not a finite number";
  }
  if (const auto* const text = std::get_if<std::string>(&value)) {
    if (text->find('\0') != std::string::npos) return "has a NUL byte in its text";
    if (!IsValidUtf8(*text)) return "is not valid UTF-8";
  }
  return "";
}

std::string FirstWord(std::string_view sql) {
  std::string word;
  sql.remove_prefix(std::min(sql.find_first_not_of(" \t\r\n"), sql.size()));
  for (const char c : sql) {
    const char upper = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    if (upper < 'A' || upper > 'Z') break;
    word += upper;
  }
  return word;
}

// If a literal, a quoted name or a comment begins at `at`, returns its end; otherwise `at`.
std::size_t SkipQuoted(std::string_view sql, std::size_t at) {
  const auto end_of = [&](std::string_view mark, std::size_t from) {
    const std::size_t found = sql.find(mark, from);
    return found == std::string_view::npos ? sql.size() : found + mark.size();
  };
  const std::string_view rest = sql.substr(at);
  if (rest.starts_with('\'') || rest.starts_with('"')) return end_of(rest.substr(0, 1), at + 1);
  if (rest.starts_with("--")) return end_of("\n", at + 2);
  if (rest.starts_with("/*")) return end_of("*/", at + 2);
  return at;
}

// The highest n of the placeholders $n; 0 when there is none.
std::size_t HighestPlaceholder(std::string_view sql) {
  std::size_t highest = 0;
  for (std::size_t at = 0; at < sql.size();) {
    if (const std::size_t end = SkipQuoted(sql, at); end > at) {
      at = end;
      continue;
    }
    if (sql[at++] != '$') continue;
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(sql.data() + at, sql.data() + sql.size(), number);
    if (error == std::errc::result_out_of_range) number = kMaxParams + 1;
    highest = std::max(highest, number);
    at = static_cast<std::size_t>(end - sql.data());
  }
  return highest;
}

}  // namespace

Result<> CheckParams(std::span<const Value> params) {
  if (params.size() > kMaxParams) {
    return Error(Kind::kInvalid, fmt::format("a statement takes at most {} parameters, not {}",
                                             kMaxParams, params.size()));
  }
  for (std::size_t i = 0; i < params.size(); ++i) {
    const std::string_view fault = Fault(params[i]);
    if (!fault.empty()) {
      return Error(Kind::kInvalid, fmt::format("parameter ${} {}", i + 1, fault));
    }
  }
  return {};
}

Result<> CheckStatement(std::string_view sql, std::size_t params) {
  constexpr std::array<std::string_view, 10> kNotHere = {
      "BEGIN", "START",     "COMMIT",  "END",     "ROLLBACK",
      "ABORT", "SAVEPOINT", "RELEASE", "PREPARE", "ATTACH"};
  const std::string word = FirstWord(sql);
  if (std::find(kNotHere.begin(), kNotHere.end(), word) != kNotHere.end()) {
    return Error(Kind::kInvalid,
                 fmt::format("{} is not for a statement: use Database::Transaction", word));
  }
  const std::size_t highest = HighestPlaceholder(sql);
  if (highest == params) return {};
  return Error(Kind::kInvalid, fmt::format("the statement has placeholders up to ${}, and {} "
                                           "parameters were given",
                                           highest, params));
}

Result<> ResultMeter::Count(const Row& row) {
  ++rows_;
  bytes_ += row.size() * kValueBytes;
  for (const Value& value : row) bytes_ += BytesOf(value);
  if (rows_ > kMaxRows) {
    return Error(Kind::kExhausted,
                 fmt::format("the query has more than {} rows: ask for fewer at a time", kMaxRows));
  }
  if (bytes_ > kMaxResultBytes) {
    return Error(Kind::kExhausted,
                 fmt::format("the query has more than {} MiB of rows: ask for fewer at a time",
                             kMaxResultBytes >> 20));
  }
  return {};
}

}  // namespace belljar::storage
