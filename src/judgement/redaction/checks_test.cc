#include "judgement/redaction/checks.h"

#include <gtest/gtest.h>

#include "judgement/redaction/national.h"

namespace belljar::judgement::redaction {
namespace {

bool Holds(Check check, std::string_view text) { return check({text, "", -1}) == text.size(); }

TEST(Checks, MeasureEntropyInBitsPerByte) {
  EXPECT_DOUBLE_EQ(Entropy(""), 0);
  EXPECT_DOUBLE_EQ(Entropy("aaaa"), 0);
  EXPECT_DOUBLE_EQ(Entropy("abab"), 1);
  EXPECT_DOUBLE_EQ(Entropy("0123456789abcdef"), 4);
}

TEST(Checks, KnowPlaceholders) {
  for (const std::string_view text : {"changeme", "<token>", "${VAR}", "$TOKEN", "{{ secret }}",
                                      "xxxxxxxx", "your-key", "os.environ['A']", "example-key"}) {
    EXPECT_TRUE(IsPlaceholder(text)) << text;
  }
  EXPECT_FALSE(IsPlaceholder("hunter2"));
}

TEST(Checks, PassLuhn) {
  EXPECT_TRUE(PassesLuhn("4111111111111111"));
  EXPECT_TRUE(PassesLuhn("378282246310005"));
  EXPECT_FALSE(PassesLuhn("4111111111111112"));
  EXPECT_FALSE(PassesLuhn(""));
}

TEST(Checks, PassVerhoeff) {
  EXPECT_TRUE(PassesVerhoeff("2363"));
  EXPECT_FALSE(PassesVerhoeff("2364"));
}

TEST(Checks, KnowCardsOfEachIssuer) {
  for (const std::string_view text :
       {"4111111111111111", "5555555555554444", "2223003122003222", "378282246310005",
        "6011111111111117", "3530111333300000", "30569309025904", "3782 822463 10005"}) {
    EXPECT_TRUE(Holds(PaymentCard, text)) << text;
  }
  EXPECT_FALSE(Holds(PaymentCard, "1111111111111117"));
}

TEST(Checks, KnowIbansByLengthAndChecksum) {
  for (const std::string_view text :
       {"DE89370400440532013000", "GB29 NWBK 6016 1331 9268 19", "NL91ABNA0417164300",
        "FR1420041010050500013M02606", "NO9386011117947", "MT84MALT011000012345MTLCAST001S"}) {
    EXPECT_TRUE(Holds(Iban, text)) << text;
  }
  EXPECT_FALSE(Holds(Iban, "DE89370400440532013001"));
  EXPECT_FALSE(Holds(Iban, "XX89370400440532013000"));
  EXPECT_EQ(Iban({"NL91ABNA0417164300 AND MORE", "", -1}), 18U);
  EXPECT_EQ(Iban({"NL91ABNA0417164300", "", 'x'}), 0U);
}

TEST(Checks, TakeTheFullStopOffAnAddress) {
  EXPECT_EQ(Email({"a@b.org.", "", ' '}), 7U);
  EXPECT_EQ(Email({"a@localhost", "", -1}), 0U);
  EXPECT_EQ(Email({"a..b@c.org", "", -1}), 0U);
  EXPECT_EQ(Email({"user@host.org", "https://", -1}), 0U);
}

TEST(Checks, KnowPasswordsFromCodeAndProse) {
  for (const std::string_view text : {"hunter2", "pa$$word1", "S3cret!", "7afe-23"}) {
    EXPECT_TRUE(Holds(Password, text)) << text;
  }
  for (const std::string_view text : {"None", "user_input", "getpass(", "self.password", "string",
                                      "********", "/etc/passwd", "https://a/b1"}) {
    EXPECT_FALSE(Holds(Password, text)) << text;
  }
  EXPECT_EQ(Password({"swordfish", "password='", '\''}), 9U);
  EXPECT_EQ(Password({"must not be empty", "password='", '\''}), 0U);
}

TEST(Checks, KnowJwtsByTheirHeader) {
  EXPECT_TRUE(Holds(Jwt, "eyJhbGciOiJIUzI1NiJ9.e30.abc"));
  EXPECT_FALSE(Holds(Jwt, "eyJhbGciOiJIUzI1N.e30.abc"));
}

TEST(Checks, KnowNationalIds) {
  EXPECT_TRUE(Holds(SpanishDni, "12345678Z"));
  EXPECT_TRUE(Holds(SpanishDni, "Y1234567X"));
  EXPECT_TRUE(Holds(ItalianCodiceFiscale, "MRTMTT91D08F205J"));
  EXPECT_TRUE(Holds(PolishPesel, "02070803628"));
  EXPECT_TRUE(Holds(BrazilianCpf, "529.982.247-25"));
  EXPECT_FALSE(Holds(BrazilianCpf, "111.111.111-11"));
  EXPECT_TRUE(Holds(SwedishPersonnummer, "8112189876"));
  EXPECT_TRUE(Holds(FinnishHetu, "131052-308T"));
  EXPECT_TRUE(Holds(TurkishTckn, "10000000146"));
  EXPECT_TRUE(Holds(BritishNhs, "9434765919"));
  EXPECT_FALSE(Holds(UsSocialSecurity, "666-12-3456"));
}

TEST(Checks, TakeAsMuchOfAPhoneNumberAsOneHas) {
  EXPECT_EQ(InternationalPhone({"+1 415 555 2671 2024", "", -1}), 15U);
  EXPECT_EQ(InternationalPhone({"+49 30 901820", "", -1}), 13U);
  EXPECT_EQ(InternationalPhone({"+1714563296", "", -1}), 0U);
  EXPECT_EQ(InternationalPhone({"+1 115 555 2671", "", -1}), 0U);
}

TEST(Password, IsNoVariableThatIsComparedWith) {
  EXPECT_EQ(Password({"confirm_password:", "if password == ", '\n'}), 0U);
  EXPECT_EQ(Password({"other2:", "if password == ", '\n'}), 0U);
  EXPECT_NE(Password({"hunter2!x", "password == \"", '"'}), 0U);
  EXPECT_NE(Password({"hunter2:x", "password=", '\n'}), 0U);
}

TEST(PassValue, IsWhatIsAssignedToThatVeryName) {
  EXPECT_NE(PassValue({"hunter2!x", "export PASS=", '\n'}), 0U);
  EXPECT_NE(PassValue({"hunter2!x", "\"pass\": \"", '"'}), 0U);
  EXPECT_EQ(PassValue({"test_a.py::b2", "PASS: ", '\n'}), 0U);
  EXPECT_EQ(PassValue({"12345678", "bypass=", '\n'}), 0U);
  EXPECT_EQ(PassValue({"12345678", "passed=", '\n'}), 0U);
  EXPECT_EQ(PassValue({"True", "pass=", '\n'}), 0U);
}

TEST(SmallIban, IsAnIbanInSmallLetters) {
  EXPECT_EQ(SmallIban({"de89370400440532013000", "iban: ", -1}), 22U);
  EXPECT_EQ(SmallIban({"gb29 nwbk 6016 1331 9268 19 x", "", -1}), 27U);
  EXPECT_EQ(SmallIban({"de88370400440532013000", "", -1}), 0U);
  // These pass the checksum by coincidence.
  EXPECT_EQ(Iban({"BE12 NINE TESTS RAN", "", -1}), 19U);
  EXPECT_EQ(SmallIban({"be12 nine tests ran", "", -1}), 0U);
  EXPECT_EQ(SmallIban({"be12ninetestsran", "", -1}), 0U);
}

TEST(Password, IsNotWhatFollowsAPath) {
  EXPECT_EQ(Password({"Permission denied 13", "{\"write /etc/passwd\": \"", '"'}), 0U);
  EXPECT_NE(Password({"hunter2!x", "{\"db_passwd\": \"", '"'}), 0U);
}

}  // namespace
}  // namespace belljar::judgement::redaction
