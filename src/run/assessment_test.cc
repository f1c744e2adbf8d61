#include "run/assessment.h"

#include <gtest/gtest.h>

namespace belljar::run {
namespace {

std::string WhyNotStrict(std::vector<std::string> levels) {
  const Assessment assessment(Terms{judgement::policy::Policy(), std::move(levels)});
  request::Request request;
  request.level = "strict";
  const auto terms = assessment.PolicyFor(request);
  return terms ? "open" : terms.error().message();
}

TEST(Assessment, ALevelThatIsNotOpenIsRefusedWithThoseThatAre) {
  EXPECT_EQ(WhyNotStrict({"standard", "relaxed"}),
            "the level \"strict\" is not open to requests here; these are: standard, relaxed");
  EXPECT_EQ(WhyNotStrict({}),
            "the level \"strict\" is not open to requests here; none is: leave it out, and the "
            "policy holds");
  EXPECT_EQ(WhyNotStrict({"strict"}), "open");
}

}  // namespace
}  // namespace belljar::run
