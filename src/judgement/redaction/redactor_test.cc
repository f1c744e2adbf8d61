#include "judgement/redaction/redactor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "judgement/redaction/compiled.h"
#include "judgement/redaction/rule.h"

namespace belljar::judgement::redaction {
namespace {

std::string Redact(std::string_view text, const Options& options = {}) {
  auto created = Redactor::Create(options);
  EXPECT_TRUE(created) << created.error().message();
  Counts counts;
  return (*created)->RedactWhole(ExpandExample(text), counts);
}

// Typical program output that contains no secrets.
constexpr std::string_view kHarmless[] = {
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "id 550e8400-e29b-41d4-a716-446655440000 done",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  empty.txt",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4",
    "python 3.11.7, numpy 1.26.4, torch 2.1.0+cu121",
    "2024-05-01 12:34:56.789012 INFO started in 0.123456789012345 s",
    "1714563296.123456 1714563297123 1714563296123456 1714563296123456789",
    "3.141592653589793 2.718281828459045 -0.5772156649015329 1e-05",
    "  12.3456    78.9012   345.6789  1234 5678 9012",
    "2019 2020 2021 2022 2023\n100 200 300 4000\n415 555 2671",
    "00000010: 3031 3233 3435 3637 3839 4142 4344 4546  0123456789ABCDEF",
    "1234 5678 9012 3456 7890 1234 5678 9012",
    "password = getpass()",
    "def login(self, user='', passwd='', acct=''):",
    "user_pass = '%s:%s' % (user, name)",
    "quantize(Decimal('+35236450.6'))",
    "password = os.environ['DB_PASSWORD']",
    "password: ${DB_PASSWORD}",
    "api_key = \"<your-api-key>\"",
    "api_key=YOUR_API_KEY_HERE",
    "token: xxxxxxxxxxxxxxxxxxxx",
    "secret = config.get_secret(name)",
    "def login(user, password: str, token: Optional[str] = None):",
    "max_tokens=4096, tokens: 123456, tokenizer=AutoTokenizer",
    "the password reset token is missing",
    "if password != expected_password: raise ValueError",
    "Wrong password: try again",
    "http://localhost:8080/path?x=1 https://example.org:443/a@b",
    "ssh git@host and icon@2x.png and unit@1.service",
    "@decorator\ndef f(): pass",
    "192.168.0.1 fe80::1 02:42:ac:11:00:02 listen 0.0.0.0:80",
    "+12345678 insertions, -12345678 deletions",
    "@@ -1234,5678 +1234,5679 @@",
    "ISBN 978-3-16-148410-0, part 123-456-7890",
    "2024-05-01 2024-05-02 2024-05-03 10-11-2012",
    "-----BEGIN CERTIFICATE-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END CERTIFICATE-----",
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7 user-key",
    "SKIP SKIPPED AKIA GHP_ key-value sk-learn re_compile npm_config_cache",
    "loss=0.6931471805599453 acc=0.5000000000000000 lr=1.0000000000000000e-04",
};

TEST(Redactor, LeavesOrdinaryOutputAlone) {
  for (const std::string_view text : kHarmless) EXPECT_EQ(Redact(text), text);
}

TEST(Redactor, PassesEveryByteThatIsNoSecret) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  auto created = Redactor::Create();
  ASSERT_TRUE(created);
  Counts counts;
  EXPECT_EQ((*created)->RedactWhole(bytes + bytes, counts), bytes + bytes);
  EXPECT_THAT(counts, testing::IsEmpty());
}

TEST(Redactor, ReplacesOnlyTheSecret) {
  EXPECT_EQ(Redact("mail ada@lovelace.org."), "mail [redacted:e-mail].");
  EXPECT_EQ(Redact("export DB_PASSWORD='pa$$w0rd, really'; ls"),
            "export DB_PASSWORD='[redacted:password]'; ls");
  EXPECT_EQ(Redact("postgres://app:s3cr3t@db:5432/x"),
            "postgres://app:[redacted:postgres-url-password]@db:5432/x");
  EXPECT_EQ(Redact("{\"api_key\": \"%w{32}\", \"n\": 1}"),
            "{\"api_key\": \"[redacted:api-key]\", \"n\": 1}");
}

TEST(Redactor, SeesTokensBehindEscapesAndColours) {
  EXPECT_EQ(Redact("\"text\\nghp_%w{36}\\n\""), "\"text\\n[redacted:github-token]\\n\"");
  EXPECT_EQ(Redact("\x1b[32mghp_%w{36}\x1b[0m"), "\x1b[32m[redacted:github-token]\x1b[0m");
  EXPECT_EQ(Redact("?t%3Dghp_%w{36}"), "?t%3D[redacted:github-token]");
}

TEST(Redactor, CatchesKeysOfManyLinesHoweverTheyAreWritten) {
  const std::string_view lines[] = {
      "-----BEGIN RSA PRIVATE KEY-----\n%6{64}\n%6{64}\n%6{12}=\n-----END RSA PRIVATE KEY-----",
      "-----BEGIN RSA PRIVATE KEY-----\r\n%6{64}\r\n%6{64}\r\n-----END RSA PRIVATE KEY-----",
      R"({"k": "-----BEGIN RSA PRIVATE KEY-----\n%6{64}\n%6{64}\n-----END RSA PRIVATE KEY-----"})",
      R"({\"k\": \"-----BEGIN RSA PRIVATE KEY-----\\n%6{64}\\n-----END RSA PRIVATE KEY-----\"})",
      "> -----BEGIN RSA PRIVATE KEY-----\n> %6{64}\n> %6{64}\n> -----END RSA PRIVATE KEY-----",
      "-----BEGIN RSA PRIVATE KEY-----\n%6{64}\n%6{64}\n%6{30}"};
  for (const std::string_view line : lines) {
    const std::string out = Redact(line);
    EXPECT_THAT(out, testing::HasSubstr("KEY-----[redacted:rsa-private-key]"));
    EXPECT_LT(out.size(), 120U) << out;
  }
}

TEST(Redactor, RedactsAllBytesOfWhatOverlaps) {
  // A database URL whose password is itself a token of another kind.
  const std::string out = Redact("mysql://u:ghp_%w{36}!tail@db/x");
  EXPECT_EQ(out, "mysql://u:[redacted:mysql-url-password]@db/x");
}

TEST(Redactor, NamesTheParticularKindBeforeTheGeneralOne) {
  EXPECT_EQ(Redact("token=ghp_%w{36}"), "token=[redacted:github-token]");
  EXPECT_EQ(Redact("secret: sk_live_%w{24}"), "secret: [redacted:stripe-secret-key]");
}

TEST(Redactor, LeavesOutWhatWasNotAskedFor) {
  const std::string_view text = "a@b.org 4111 1111 1111 1111 10.0.0.1 npm_%w{36}";
  EXPECT_EQ(Redact(text, {.credentials = false}),
            "[redacted:e-mail] [redacted:payment-card] 10.0.0.1 " + ExpandExample("npm_%w{36}"));
  EXPECT_EQ(Redact(text, {.personal = false}),
            "a@b.org 4111 1111 1111 1111 10.0.0.1 [redacted:npm-token]");
  EXPECT_EQ(Redact(text, {.machine_addresses = true}),
            "[redacted:e-mail] [redacted:payment-card] [redacted:ipv4-address] "
            "[redacted:npm-token]");
}

TEST(Redactor, EmbedsADatabaseForThisMachine) {
  std::size_t usable = 0;
  for (const std::string_view bytes : EmbeddedDatabases()) {
    hs_database_t* database = nullptr;
    if (::hs_deserialize_database(bytes.data(), bytes.size(), &database) == HS_SUCCESS) ++usable;
    ::hs_free_database(database);
  }
  EXPECT_GE(usable, 1U);
}

TEST(Redactor, ListsKindsOnce) {
  const auto kinds = ListKinds();
  std::set<std::string_view> names;
  for (const KindInfo& info : kinds) EXPECT_TRUE(names.insert(info.kind).second) << info.kind;
  EXPECT_GE(names.size(), 200U);
}

}  // namespace
}  // namespace belljar::judgement::redaction
