#include "foundation/base/bytes.h"

#include <gtest/gtest.h>

namespace belljar {
namespace {

using namespace std::string_view_literals;

TEST(Bytes, LieInTheOrderThatIsAskedFor) {
  std::string little, big;
  ByteWriter<ByteOrder::kLittle>(little).Put(std::uint32_t{0x01020384});
  ByteWriter<ByteOrder::kBig>(big).Put(std::uint32_t{0x01020384});
  EXPECT_EQ(little, "\x84\x03\x02\x01"sv);
  EXPECT_EQ(big, "\x01\x02\x03\x84"sv);
  EXPECT_EQ(LoadNumber(ByteOrder::kLittle, little), 0x01020384U);
  EXPECT_EQ(LoadNumber(ByteOrder::kBig, big), 0x01020384U);
  EXPECT_EQ(LoadNumber(ByteOrder::kBig, "\x01\x02\x03"sv), 0x010203U);
  EXPECT_EQ(LoadNumber(ByteOrder::kBig, ""), 0U);
}

template <ByteOrder kOrder>
void ComesBack() {
  std::string bytes;
  ByteWriter<kOrder> out(bytes);
  out.Put(std::uint8_t{0xff});
  out.Put(std::int64_t{-2});
  out.Put(UINT64_MAX);
  out.template PutText<std::uint16_t>("text\0more"sv);
  ByteReader<kOrder> in(bytes);
  EXPECT_EQ(in.template Get<std::uint8_t>(), 0xffU);
  EXPECT_EQ(in.template Get<std::int64_t>(), -2);
  EXPECT_EQ(in.template Get<std::uint64_t>(), UINT64_MAX);
  EXPECT_EQ(in.GetText(2), "text\0more"sv);
  EXPECT_TRUE(in.ok() && in.at_end());
}

TEST(Bytes, ComeBackAsTheyWereWritten) {
  ComesBack<ByteOrder::kLittle>();
  ComesBack<ByteOrder::kBig>();
}

TEST(Bytes, AreZeroPastTheEndAndTheReaderSaysSo) {
  ByteReader<ByteOrder::kBig> in("\x01\x02\x03"sv);
  EXPECT_EQ(in.Get<std::uint16_t>(), 0x0102U);
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(in.Get<std::uint16_t>(), 0U);
  EXPECT_FALSE(in.ok());
  EXPECT_EQ(in.Get<std::uint8_t>(), 0U) << "nothing is left after what did not fit";
  EXPECT_FALSE(in.ok());
}

TEST(Bytes, ALengthBeyondTheEndIsNoText) {
  for (const std::string_view bytes : {"\xff\xff\xff\xff"sv, "\x00\x00\x00\x02x"sv, "\x00"sv}) {
    ByteReader<ByteOrder::kBig> in(bytes);
    EXPECT_EQ(in.GetText(4), "");
    EXPECT_FALSE(in.ok());
  }
}

TEST(Bytes, ACountOfMoreThanFitsIsZero) {
  ByteReader<ByteOrder::kLittle> lie("\x03\x00\x00\x00\0\0\0\0\0\0\0\0\0\0\0\0"sv);
  EXPECT_EQ(lie.GetCount(8), 0U);
  EXPECT_FALSE(lie.ok());
  ByteReader<ByteOrder::kLittle> fits("\x03\x00\x00\x00\0\0\0\0\0\0\0\0\0\0\0\0"sv);
  EXPECT_EQ(fits.GetCount(4), 3U);
  EXPECT_TRUE(fits.ok());
}

}  // namespace
}  // namespace belljar
