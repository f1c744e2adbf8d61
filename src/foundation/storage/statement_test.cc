#include "foundation/storage/statement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace belljar::storage {
namespace {

std::string ComplaintAbout(Value value) {
  const std::vector<Value> params = {Value(), std::move(value)};
  const auto checked = CheckParams(params);
  if (checked) return "";
  EXPECT_EQ(checked.error().kind(), Kind::kInvalid);
  return checked.error().message();
}

TEST(CheckParams, NamesTheParameterThatOneOfTheTwoKindsCouldNotKeep) {
  EXPECT_EQ(ComplaintAbout(std::string("a\0b", 3)), "parameter $2 has a NUL byte in its text");
  EXPECT_EQ(ComplaintAbout(std::string("\xff")), "parameter $2 is not valid UTF-8");
  EXPECT_EQ(ComplaintAbout(std::nan("")), "parameter $2 is not a finite number");
  EXPECT_EQ(ComplaintAbout(std::numeric_limits<double>::infinity()),
            "parameter $2 is not a finite number");
  EXPECT_EQ(ComplaintAbout(Blob{std::string(kMaxValueBytes + 1, 'x')}),
            "parameter $2 is longer than 16 MiB");
}

TEST(CheckParams, AcceptsWhatBothCanKeep) {
  EXPECT_EQ(ComplaintAbout(std::string("gr\xc3\xbc\xc3\x9f")), "");
  EXPECT_EQ(ComplaintAbout(Blob{std::string("\0\xff", 2)}), "");
  EXPECT_EQ(ComplaintAbout(std::numeric_limits<double>::denorm_min()), "");
}

TEST(CheckParams, BoundsTheirNumber) {
  EXPECT_TRUE(CheckParams(std::vector<Value>(kMaxParams)));
  EXPECT_EQ(CheckParams(std::vector<Value>(kMaxParams + 1)).error().message(),
            "a statement takes at most 256 parameters, not 257");
}

TEST(CheckStatement, LeavesTransactionsToTransaction) {
  for (const char* sql : {"BEGIN", " \n commit;", "rollback", "Savepoint x", "END", "ATTACH 'x'"}) {
    EXPECT_FALSE(CheckStatement(sql, 0)) << sql;
  }
  for (const char* sql : {"SELECT 1", "", "beginning", "ENDING"}) {
    EXPECT_TRUE(CheckStatement(sql, 0)) << sql;
  }
}

TEST(CheckStatement, CountsPlaceholdersButNotWhatOnlyLooksLikeOne) {
  EXPECT_TRUE(CheckStatement("SELECT $2, $1, $2", 2));
  EXPECT_TRUE(CheckStatement("SELECT '$9', \"$8\" /* $7 */, $1 -- $6", 1));
  EXPECT_TRUE(CheckStatement("SELECT 'it''s $9', $1", 1));
  EXPECT_EQ(CheckStatement("SELECT $1", 2).error().message(),
            "the statement has placeholders up to $1, and 2 parameters were given");
  EXPECT_FALSE(CheckStatement("SELECT $3", 2));
  EXPECT_FALSE(CheckStatement("SELECT $99999999999999999999", 0)) << "not a number of 64 bits";
}

TEST(ResultMeter, StopsAtItsBounds) {
  ResultMeter many;
  for (std::size_t i = 0; i < kMaxRows; ++i) ASSERT_TRUE(many.Count({std::int64_t{1}}));
  EXPECT_EQ(many.Count({}).error().kind(), Kind::kExhausted);
  ResultMeter large;
  const Row row = {std::string(kMaxValueBytes, 'x')};
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(large.Count(row));
  EXPECT_EQ(large.Count(row).error().message(),
            "the query has more than 64 MiB of rows: ask for fewer at a time");
}

}  // namespace
}  // namespace belljar::storage
