#include "foundation/storage/postgres_values.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace belljar::storage {
namespace {

// Type OIDs from PostgreSQL's catalogue; they never change.
constexpr Oid kBool = 16;
constexpr Oid kBytea = 17;
constexpr Oid kInt8 = 20;
constexpr Oid kInt2 = 21;
constexpr Oid kInt4 = 23;
constexpr Oid kText = 25;
constexpr Oid kFloat4 = 700;
constexpr Oid kFloat8 = 701;
constexpr Oid kNumeric = 1700;
constexpr Oid kToBeGuessed = 0;

template <class Number>
std::optional<Number> ParseNumber(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<Value> ReadNumber(Oid type, std::string_view text) {
  if (type != kFloat4 && type != kFloat8) {
    if (const auto whole = ParseNumber<std::int64_t>(text)) return Value(*whole);
    if (type != kNumeric) return std::nullopt;
  }
  if (const auto real = ParseNumber<double>(text)) return Value(*real);
  return std::nullopt;
}

Result<Value> ReadBytes(const Libpq& pq, const char* text) {
  std::size_t size = 0;
  unsigned char* const bytes =
      pq.PQunescapeBytea(reinterpret_cast<const unsigned char*>(text), &size);
  if (bytes == nullptr) return Error(Kind::kExhausted, "no memory for a value");
  Blob blob{std::string(reinterpret_cast<const char*>(bytes), size)};
  pq.PQfreemem(bytes);
  return Value(std::move(blob));
}

Result<Value> ReadField(const Libpq& pq, const PGresult* result, int row, int column) {
  if (pq.PQgetisnull(result, row, column) != 0) return Value();
  const char* const data = pq.PQgetvalue(result, row, column);
  const auto size = static_cast<std::size_t>(pq.PQgetlength(result, row, column));
  const std::string_view text(data, size);
  switch (const Oid type = pq.PQftype(result, column)) {
    case kBool:
      return Value(std::int64_t{text == "t" ? 1 : 0});
    case kBytea:
      return ReadBytes(pq, data);
    case kInt2:
    case kInt4:
    case kInt8:
    case kFloat4:
    case kFloat8:
    case kNumeric:
      if (auto number = ReadNumber(type, text)) return *std::move(number);
      return Error(Kind::kInternal, fmt::format("PostgreSQL sent \"{}\" for a number", text));
    default:
      return Value(std::string(text));
  }
}

}  // namespace

PostgresParams::PostgresParams(std::span<const Value> params) {
  numbers_.reserve(params.size());  // no reallocation: values_ points into the strings
  for (const Value& value : params) {
    const auto add = [this](Oid type, const std::string* text, int format) {
      types_.push_back(type);
      values_.push_back(text == nullptr ? nullptr : text->c_str());
      lengths_.push_back(text == nullptr ? 0 : static_cast<int>(text->size()));
      formats_.push_back(format);
    };
    if (const auto* const whole = std::get_if<std::int64_t>(&value)) {
      add(kInt8, &numbers_.emplace_back(fmt::format("{}", *whole)), 0);
    } else if (const auto* const real = std::get_if<double>(&value)) {
      add(kFloat8, &numbers_.emplace_back(fmt::format("{}", *real)), 0);
    } else if (const auto* const text = std::get_if<std::string>(&value)) {
      add(kText, text, 0);
    } else if (const auto* const blob = std::get_if<Blob>(&value)) {
      add(kBytea, &blob->bytes, 1);
    } else {
      add(kToBeGuessed, nullptr, 0);
    }
  }
}

Result<Row> ReadRow(const Libpq& pq, const PGresult* result, int row) {
  Row values;
  const int columns = pq.PQnfields(result);
  for (int column = 0; column < columns; ++column) {
    Value value = BJ_TRY(ReadField(pq, result, row, column));
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace belljar::storage
