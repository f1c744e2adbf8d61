#include "record/note.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/base/text.h"
#include "record/proof.h"

namespace belljar::record {
namespace {

using testing::HasSubstr;

// A key and a note from the documentation of the Go package golang.org/x/mod/sumdb/note.
constexpr std::string_view kPeterKey =
    "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";

TEST(VerifierKey, ReadsTheKeysOfOthers) {
  const auto key = VerifierKey::Parse(kPeterKey);
  ASSERT_TRUE(key) << key.error().message();
  EXPECT_EQ(key->name(), "PeterNeumann");
  EXPECT_EQ(key->Text(), kPeterKey);
  const std::string text =
      "If you think cryptography is the answer to your problem,\n"
      "then you don't know what your problem is.\n";
  std::string signature;
  ASSERT_TRUE(
      Base64Decode("x08go/ZJkuBS9UG/"
                   "SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=",
                   signature));
  EXPECT_TRUE(key->Signed(text, signature.substr(4)));
  EXPECT_FALSE(key->Signed(text + "x", signature.substr(4)));
}

TEST(VerifierKey, RefusesEveryOtherSpelling) {
  const std::string good(kPeterKey);
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bent = good;
    bent[i] = static_cast<char>(bent[i] ^ 1);
    EXPECT_FALSE(VerifierKey::Parse(bent)) << bent;
  }
  for (const std::string& text : {good + "=", good + "\n", good.substr(1), std::string("a+b+c"),
                                  std::string(), good.substr(0, good.size() - 4)}) {
    EXPECT_FALSE(VerifierKey::Parse(text)) << text;
  }
}

TEST(SigningKey, ComesBackFromItsText) {
  const auto key = SigningKey::Generate("belljar/0123");
  const auto again = SigningKey::Parse(key->Text());
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->verifier(), key->verifier());
  EXPECT_EQ(*again->Sign("text"), *key->Sign("text"));
  EXPECT_FALSE(SigningKey::Parse(key->verifier().Text()));
}

TEST(Checkpoint, ComesBackOnlyAsItWasSigned) {
  const auto key = SigningKey::Generate("belljar/0123");
  const Checkpoint checkpoint{"belljar/0123", 42, LeafHash("x")};
  const auto note = SignCheckpoint(checkpoint, *key);
  ASSERT_TRUE(note);
  EXPECT_THAT(*note, testing::StartsWith("belljar/0123\n42\n"));
  const auto opened = OpenCheckpoint(*note, key->verifier());
  ASSERT_TRUE(opened) << opened.error().message();
  EXPECT_EQ(*opened, checkpoint);
  for (std::size_t i = 0; i < note->size(); ++i) {
    std::string bent = *note;
    bent[i] = static_cast<char>(bent[i] ^ 1);
    EXPECT_FALSE(OpenCheckpoint(bent, key->verifier())) << bent;
    EXPECT_FALSE(OpenCheckpoint(note->substr(0, i), key->verifier()));
  }
  EXPECT_FALSE(OpenCheckpoint(*note + "x", key->verifier()));
}

TEST(Checkpoint, OfAnotherLogIsNotTaken) {
  const auto key = SigningKey::Generate("belljar/0123");
  const auto other = SigningKey::Generate("belljar/0123");
  const auto note = SignCheckpoint({"belljar/0123", 1, LeafHash("x")}, *other);
  EXPECT_THAT(OpenCheckpoint(*note, key->verifier()).error().message(), HasSubstr("not signed by"));
  const auto renamed = SignCheckpoint({"belljar/4567", 1, LeafHash("x")}, *key);
  EXPECT_THAT(OpenCheckpoint(*renamed, key->verifier()).error().message(),
              HasSubstr("of another log"));
}

TEST(Checkpoint, MayBeSignedByOthersToo) {
  const auto key = SigningKey::Generate("belljar/0123");
  const auto witness = SigningKey::Generate("witness.example");
  const Checkpoint checkpoint{"belljar/0123", 1, LeafHash("x")};
  const std::string cosigned = *SignCheckpoint(checkpoint, *witness);
  const std::string line = cosigned.substr(cosigned.rfind("\n\n") + 2);
  EXPECT_TRUE(OpenCheckpoint(*SignCheckpoint(checkpoint, *key) + line, key->verifier()));
}

TEST(Proof, MalformedTextsAreRefused) {
  for (const char* const text :
       {"", "c2sp.org/tlog-proof@v2\nindex 0\n\nx", "c2sp.org/tlog-proof@v1\n",
        "c2sp.org/tlog-proof@v1\nindex\n\n", "c2sp.org/tlog-proof@v1\nindex 01\n\nx\n",
        "c2sp.org/tlog-proof@v1\nextra !\nindex 0\n\nx\n",
        "c2sp.org/tlog-proof@v1\nindex 0\nabc\n\nx\n", "c2sp.org/tlog-proof@v1\nindex 0\n"}) {
    EXPECT_FALSE(ParseProof(text)) << text;
  }
}

}  // namespace
}  // namespace belljar::record
