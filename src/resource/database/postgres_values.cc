#include "resource/database/postgres_values.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>

namespace belljar::resource::database {
namespace {

using storage::Libpq;

enum class Shape { kText, kBool, kWhole, kReal, kBytes, kJson };
struct KnownType {
  Oid oid;
  std::string_view name;
  Shape shape = Shape::kText;
};
// Type OIDs from PostgreSQL's catalogue; they never change.
constexpr std::array kTypes = {KnownType{16, "boolean", Shape::kBool},
                               KnownType{17, "bytea", Shape::kBytes},
                               KnownType{20, "bigint", Shape::kWhole},
                               KnownType{21, "smallint", Shape::kWhole},
                               KnownType{23, "integer", Shape::kWhole},
                               KnownType{25, "text"},
                               KnownType{26, "oid", Shape::kWhole},
                               KnownType{114, "json", Shape::kJson},
                               KnownType{700, "real", Shape::kReal},
                               KnownType{701, "double precision", Shape::kReal},
                               KnownType{1042, "character"},
                               KnownType{1043, "character varying"},
                               KnownType{1082, "date"},
                               KnownType{1083, "time"},
                               KnownType{1114, "timestamp"},
                               KnownType{1184, "timestamp with time zone"},
                               KnownType{1186, "interval"},
                               KnownType{1700, "numeric"},
                               KnownType{2950, "uuid"},
                               KnownType{3802, "jsonb", Shape::kJson}};

KnownType TypeOf(Oid oid) {
  for (const KnownType& type : kTypes) {
    if (type.oid == oid) return type;
  }
  return {oid, "other"};
}

Error NoSuchNumber() {
  return Error(Kind::kUnavailable, "the server sent something that is no number for a number");
}

Result<json::value> WholeOf(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return NoSuchNumber();
  return WholeNumber(number);
}

Result<json::value> RealOf(std::string_view text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "NaN") return RealNumber(std::numeric_limits<double>::quiet_NaN());
  if (text == "Infinity") return RealNumber(kInfinity);
  if (text == "-Infinity") return RealNumber(-kInfinity);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return NoSuchNumber();
  return RealNumber(number);
}

Result<json::value> BytesOf(const Libpq& pq, const char* text) {
  std::size_t size = 0;
  unsigned char* const bytes =
      pq.PQunescapeBytea(reinterpret_cast<const unsigned char*>(text), &size);
  if (bytes == nullptr) return Error(Kind::kExhausted, "no memory for a value");
  json::value value = Bytes({reinterpret_cast<const char*>(bytes), size});
  pq.PQfreemem(bytes);
  return value;
}

Result<json::value> FieldOf(const Libpq& pq, const PGresult* result, int row, int column) {
  if (pq.PQgetisnull(result, row, column) != 0) return json::value();
  const char* const data = pq.PQgetvalue(result, row, column);
  const std::string_view text(data, static_cast<std::size_t>(pq.PQgetlength(result, row, column)));
  switch (TypeOf(pq.PQftype(result, column)).shape) {
    case Shape::kBool:
      return json::value(text == "t");
    case Shape::kWhole:
      return WholeOf(text);
    case Shape::kReal:
      return RealOf(text);
    case Shape::kBytes:
      return BytesOf(pq, data);
    case Shape::kJson:
      return json::value{{"$json", TextOrBytes(text)}};
    case Shape::kText:
      break;
  }
  // A statement can set another client encoding, so the text may not be UTF-8.
  return TextOrBytes(text);
}

}  // namespace

Result<PostgresParams> PostgresParams::From(const json::array& params) {
  PostgresParams made;
  for (std::size_t i = 0; i < params.size(); ++i) {
    BJ_TRY(made.Add(params[i]).While(fmt::format("parameter {}", i + 1)));
  }
  return made;
}

Result<> PostgresParams::Add(const json::value& param) {
  std::string text;
  int format = 0;
  if (const json::string* given = param.if_string()) {
    text = std::string(*given);
    if (text.find('\0') != std::string::npos) {
      return Error(Kind::kInvalid, "PostgreSQL's texts hold no NUL; give it as bytes");
    }
  } else if (param.is_object() || param.is_array()) {
    TaggedParam tagged = BJ_TRY(ReadTagged(param));
    format = tagged.is_bytes ? 1 : 0;
    text = std::move(tagged.value);
  } else if (!param.is_null()) {
    text = json::serialize(param);  // numbers and booleans: 1, 1.5E0, true
  }
  texts_.push_back(std::move(text));
  null_.push_back(param.is_null());
  formats_.push_back(format);
  return {};
}

std::vector<const char*> PostgresParams::values() const {
  std::vector<const char*> pointers;
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    pointers.push_back(null_[i] ? nullptr : texts_[i].c_str());
  }
  return pointers;
}

std::vector<int> PostgresParams::lengths() const {
  std::vector<int> lengths;
  for (const std::string& text : texts_) lengths.push_back(static_cast<int>(text.size()));
  return lengths;
}

json::array ColumnsOf(const Libpq& pq, const PGresult* result) {
  json::array columns;
  const int count = pq.PQnfields(result);
  for (int i = 0; i < count; ++i) {
    const char* const name = pq.PQfname(result, i);
    columns.push_back({{"name", TextOrBytes(name == nullptr ? "" : name)},
                       {"type", TypeOf(pq.PQftype(result, i)).name}});
  }
  return columns;
}

Result<json::array> RowOf(const Libpq& pq, const PGresult* result, int row) {
  json::array values;
  const int columns = pq.PQnfields(result);
  for (int column = 0; column < columns; ++column) {
    json::value value = BJ_TRY(FieldOf(pq, result, row, column));
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace belljar::resource::database
