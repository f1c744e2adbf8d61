// DatabaseSuite: what every kind of Database must do, run once for each kind. The SQLite half is
// part of the unit tests; the PostgreSQL half needs a server and is part of the slow ones.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "storage/database.h"

namespace belljar::storage {

// Somewhere for the databases of one test; two calls of Open give two connections to one.
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
  // Statements that must succeed.
  void Do(std::string_view sql, std::vector<Value> params = {});
  std::vector<Row> Ask(std::string_view sql, std::vector<Value> params = {});

  std::unique_ptr<Place> place_;
  std::unique_ptr<Database> db_;
};

// With a table `items`, to which every kind of value can go.
class DatabaseTest : public DatabaseSuite {
 protected:
  DatabaseTest();
  std::int64_t Count();
};

class DatabaseMigrateTest : public DatabaseSuite {};

}  // namespace belljar::storage
