// SearchCopy: a copy of the records in a database, for searching.
//
// The log is authoritative; the copy can be rebuilt from it. A row holds the record as it lies in
// the log, and the searchable fields in columns. Several logs may share one database: each row
// names its log.
//
// Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "foundation/base/result.h"
#include "foundation/storage/database.h"
#include "record/entry.h"

namespace belljar::record {

enum class Order { kNewestFirst, kOldestFirst };

// Search conditions. An empty field matches everything.
struct Filter {
  std::string caller{};
  std::string session_id{};
  std::string run_id{};
  std::optional<Event> event{};
  std::string outcome{};
  std::string correlation_id{};
  std::optional<std::int64_t> since{};          // milliseconds since 1970, inclusive
  std::optional<std::int64_t> until{};          // milliseconds since 1970, exclusive
  std::optional<std::uint64_t> before_index{};  // for paging, newest first
  std::optional<std::uint64_t> from_index{};    // for paging, oldest first
  std::size_t limit = 100;                      // at most kMaxFound
  Order order = Order::kNewestFirst;
};
constexpr std::size_t kMaxFound = 1'000;

// A row as the database holds it, not yet compared with the log.
struct CopyRow {
  std::uint64_t index = 0;
  Record fields;
  std::string event;  // as text; may be an unknown event
};

class SearchCopy {
 public:
  // Opens the database and migrates its tables. `log` is the log's name.
  static Result<std::unique_ptr<SearchCopy>> Open(const std::string& where, std::string log);
  // Opens read-only: creates no file and no table.
  static Result<std::unique_ptr<SearchCopy>> OpenToRead(const std::string& where, std::string log);

  // Inserts all records or none. Existing rows are left unchanged.
  Result<> Insert(std::span<const Record> records);
  // The largest index plus one; 0 when there are no rows.
  Result<std::uint64_t> Extent();
  // The indexes below `extent` that have no row, ascending, at most `limit`.
  Result<std::vector<std::uint64_t>> Missing(std::uint64_t extent, std::size_t limit);
  Result<std::vector<Record>> Find(const Filter& filter);
  // The rows with first <= index < end, by index. Values of wrong types are converted to text.
  Result<std::vector<CopyRow>> Rows(std::int64_t first, std::int64_t end);
  // The result of the database's own integrity check; empty if it found nothing.
  Result<std::string> CheckStructure();

 private:
  SearchCopy(std::unique_ptr<storage::Database> database, std::string log, std::string where)
      : database_(std::move(database)), log_(std::move(log)), where_(std::move(where)) {}
  bool sqlite() const { return where_.starts_with("sqlite:"); }

  std::unique_ptr<storage::Database> database_;
  std::string log_;
  std::string where_;
};

}  // namespace belljar::record
