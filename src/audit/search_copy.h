// SearchCopy: the records again, in a database, where they can be searched.
//
// The log is the truth; this is a copy that can be made anew from it. A row holds the record as it
// lies in the log, and beside it the fields that are searched for. Several logs may share one
// database: each row says whose it is.
//
// Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "audit/entry.h"
#include "base/result.h"
#include "storage/database.h"

namespace belljar::audit {

enum class Order { kNewestFirst, kOldestFirst };

// What to look for. An empty field looks for anything.
struct Filter {
  std::string caller{};
  std::string session_id{};
  std::string run_id{};
  std::optional<Event> event{};
  std::string outcome{};
  std::string correlation_id{};
  std::optional<std::int64_t> since{};          // ms since 1970
  std::optional<std::int64_t> until{};          // the same; this moment itself is left out
  std::optional<std::uint64_t> before_index{};  // for paging, newest first
  std::optional<std::uint64_t> from_index{};    // for paging, oldest first
  std::size_t limit = 100;                      // at most kMaxFound
  Order order = Order::kNewestFirst;
};
constexpr std::size_t kMaxFound = 1'000;

// A row as it is, believed or not.
struct CopyRow {
  std::uint64_t index = 0;
  Record fields;
  std::string event;  // as it is written there
};

class SearchCopy {
 public:
  // Opens the database and brings its tables up to date. `log` is the log's name.
  static Result<std::unique_ptr<SearchCopy>> Open(const std::string& where, std::string log);
  // The same for one who only reads: makes no file and no table.
  static Result<std::unique_ptr<SearchCopy>> OpenToRead(const std::string& where, std::string log);

  // All or none. A row that is there already is left as it is.
  Result<> Insert(std::span<const Record> records);
  // One more than the largest index; 0 when there are no rows.
  Result<std::uint64_t> Extent();
  // Indexes below `extent` that have no row, lowest first, at most `limit`.
  Result<std::vector<std::uint64_t>> Missing(std::uint64_t extent, std::size_t limit);
  Result<std::vector<Record>> Find(const Filter& filter);
  // Rows with first <= index < end, by index. Values of wrong types are shown as text.
  Result<std::vector<CopyRow>> Rows(std::int64_t first, std::int64_t end);
  // What the database's own check of its structure says; empty when all is well.
  Result<std::string> CheckStructure();

 private:
  SearchCopy(std::unique_ptr<storage::Database> database, std::string log, std::string where)
      : database_(std::move(database)), log_(std::move(log)), where_(std::move(where)) {}
  bool sqlite() const { return where_.starts_with("sqlite:"); }

  std::unique_ptr<storage::Database> database_;
  std::string log_;
  std::string where_;
};

}  // namespace belljar::audit
