#include "resource/egress/sni.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace belljar::resource::egress {
namespace {

std::string Number(std::size_t value, int width) {
  std::string bytes;
  for (int i = width - 1; i >= 0; --i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  return bytes;
}

std::string Vector(const std::string& content, int width) {
  return Number(content.size(), width) + content;
}

std::string NameExtension(const std::string& name) {
  return Number(0, 2) + Vector(Vector(Number(0, 1) + Vector(name, 2), 2), 2);
}

std::string HelloMessage(const std::string& extensions) {
  const std::string body = "\x03\x03" + std::string(32, 'r') + Vector("", 1) +
                           Vector("\x13\x01", 2) + Vector(std::string(1, '\0'), 1) +
                           Vector(extensions, 2);
  return Number(1, 1) + Vector(body, 3);
}

std::string Record(const std::string& content) { return "\x16\x03\x01" + Vector(content, 2); }

std::string HelloFor(const std::string& name) { return Record(HelloMessage(NameExtension(name))); }

TEST(ReadHello, FindsTheNameInLowerCase) {
  const Hello hello = ReadHello(HelloFor("API.Example.com"));
  EXPECT_EQ(hello.state, HelloState::kComplete);
  EXPECT_EQ(hello.name, "api.example.com");
}

TEST(ReadHello, WaitsForEveryByteOfIt) {
  const std::string whole = HelloFor("api.example.com");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(ReadHello(whole.substr(0, size)).state, HelloState::kIncomplete) << size;
  }
}

TEST(ReadHello, ReadsOneThatIsSpreadOverRecords) {
  const std::string message = HelloMessage(NameExtension("api.example.com"));
  std::string records;
  for (std::size_t at = 0; at < message.size(); at += 7) records += Record(message.substr(at, 7));
  EXPECT_EQ(ReadHello(records).name, "api.example.com");
}

TEST(ReadHello, HasNoNameWhereThereIsNone) {
  const Hello hello = ReadHello(Record(HelloMessage(Number(43, 2) + Vector("\x02\x03\x04", 2))));
  EXPECT_EQ(hello.state, HelloState::kComplete);
  EXPECT_EQ(hello.name, "");
}

TEST(ReadHello, RefusesWhatCouldBeReadInTwoWays) {
  const std::string one = NameExtension("a.com");
  const std::string two_names =
      Number(0, 2) +
      Vector(Vector(Number(0, 1) + Vector("a.com", 2) + Number(0, 1) + Vector("b.com", 2), 2), 2);
  for (const std::string& bad :
       {HelloMessage(one + NameExtension("b.com")), HelloMessage(two_names),
        HelloMessage(NameExtension("")), HelloMessage(NameExtension(std::string("a\0b", 3))),
        HelloMessage(NameExtension("a b")), HelloMessage(NameExtension(std::string(300, 'a'))),
        HelloMessage(one + "\x01"), HelloMessage(one) + HelloMessage(one)}) {
    EXPECT_EQ(ReadHello(Record(bad)).state, HelloState::kNotTls);
  }
}

TEST(ReadHello, RefusesWhatIsNotTls) {
  for (const std::string& bad :
       {std::string("GET / HTTP/1.1\r\n\r\n"), std::string("SSH-2.0-x\r\n"),
        "\x16\x02\x01" + Vector("x", 2), Record(std::string(1, '\x02')),
        "\x16\x03\x01" + Number(0xFFFF, 2), "\x16\x03\x01" + Number(0, 2),
        Record(Number(1, 1) + Number(0xFFFFFF, 3))}) {
    EXPECT_EQ(ReadHello(bad).state, HelloState::kNotTls) << bad;
  }
}

TEST(ReadHello, GivesUpOnOneThatNeverEnds) {
  std::string endless;
  const std::string start = Number(1, 1) + Number(kMaxHelloBytes, 3);
  endless = Record(start + std::string(16'000, 'x'));
  while (endless.size() < kMaxHelloBytes) endless += Record(std::string(16'000, 'x'));
  EXPECT_EQ(ReadHello(endless).state, HelloState::kNotTls);
}

}  // namespace
}  // namespace belljar::resource::egress
