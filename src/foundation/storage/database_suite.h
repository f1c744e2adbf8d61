// DatabaseSuite: the tests that every kind of Database must pass, run once for each kind. The
// SQLite run is part of the unit tests; the PostgreSQL run needs a server and is part of the slow
// tests.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "foundation/storage/database.h"

namespace belljar::storage {

// Where the databases of one test are stored. Opening where() twice gives two connections to the
// same database.
class Place {
 public:
  virtual ~Place() = default;
  virtual std::string where() const = 0;
};

struct KindOfPlace {
  std::string name;
  std::function<std::unique_ptr<Place>()> make;
};

class DatabaseSuite : public testing::TestWithParam<KindOfPlace> {
 protected:
  DatabaseSuite();

  std::unique_ptr<Database> Connect(std::chrono::milliseconds patience) const;
  // Run a statement that must succeed.
  void Do(std::string_view sql, std::vector<Value> params = {});
  std::vector<Row> Ask(std::string_view sql, std::vector<Value> params = {});

  std::unique_ptr<Place> place_;
  std::unique_ptr<Database> db_;
};

// A suite with a table `items` that has a column for every kind of value.
class DatabaseTest : public DatabaseSuite {
 protected:
  DatabaseTest();
  std::int64_t Count();
};

class DatabaseMigrateTest : public DatabaseSuite {};

}  // namespace belljar::storage
