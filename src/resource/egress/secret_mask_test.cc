#include "resource/egress/secret_mask.h"

#include <gtest/gtest.h>

namespace belljar::resource::egress {
namespace {

TEST(SecretMask, PutsStarsInPlaceOfEachValueHoweverItIsCut) {
  const std::string text = "a secret and secrets, secresecret!";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    SecretMask mask({"secret", "and s"});
    std::string passed = mask.Pass(text.substr(0, cut));
    passed += mask.Pass(text.substr(cut));
    passed += mask.Finish();
    EXPECT_EQ(passed, "a ****** **********s, secre******!") << cut;
  }
}

TEST(SecretMask, HoldsBackAsMuchWhateverItIs) {
  for (const std::string& text :
       std::vector<std::string>{"xxxxxxxx", "xxxsecre", "xxxxxsec", "xxsecret", "xxsecrex"}) {
    SecretMask mask({"secret", "s"});
    std::string passed;
    for (std::size_t size = 1; size <= text.size(); ++size) {
      passed += mask.Pass(text.substr(size - 1, 1));
      EXPECT_EQ(passed.size(), size < 5 ? 0 : size - 5) << text;
    }
    EXPECT_EQ(mask.Finish().size(), 5U) << text;
  }
}

TEST(SecretMask, HoldsBackNothingWhereThereIsNoSecret) {
  SecretMask mask({});
  EXPECT_TRUE(mask.empty());
  EXPECT_EQ(mask.Pass("secret"), "secret");
  EXPECT_EQ(mask.Finish(), "");
}

}  // namespace
}  // namespace belljar::resource::egress
