#include "broker/mask.h"

#include <gtest/gtest.h>

namespace belljar::broker {
namespace {

TEST(Mask, PutsStarsInPlaceOfEachValueHoweverItIsCut) {
  const std::string text = "a secret and secrets, secresecret!";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    Mask mask({"secret", "and s"});
    std::string passed = mask.Pass(text.substr(0, cut));
    passed += mask.Pass(text.substr(cut));
    passed += mask.Finish();
    EXPECT_EQ(passed.find("secret"), std::string::npos) << cut;
    EXPECT_EQ(passed.size(), text.size());
  }
}

TEST(Mask, HoldsBackNoMoreThanWhatMayBecomeAValue) {
  Mask mask({"secret"});
  EXPECT_EQ(mask.Pass("xxsec"), "xx");
  EXPECT_EQ(mask.Pass("t"), "sect");
  EXPECT_EQ(mask.Pass("se"), "");
  EXPECT_EQ(mask.Finish(), "se");
}

}  // namespace
}  // namespace belljar::broker
