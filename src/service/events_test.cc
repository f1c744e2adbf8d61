#include "service/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belljar::service {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Optional;

TEST(Events, GoToTheListenersOfTheirCallerOnly) {
  Events events;
  Events::Subscription ann(events, "ann");
  Events::Subscription bob(events, "bob");
  events.Publish("ann", "run", {{"id", "r1"}});
  EXPECT_THAT(ann.Next(1s), Optional(HasSubstr("r1")));
  EXPECT_EQ(bob.Next(0ms), std::nullopt);
}

TEST(Events, OneWhoDoesNotKeepUpIsToldHowManyWereLost) {
  Events events;
  Events::Subscription slow(events, "ann");
  for (std::size_t i = 0; i < Events::kMostWaiting + 3; ++i) events.Publish("ann", "run", {});
  EXPECT_THAT(slow.Next(0ms), Optional(HasSubstr("\"count\":3")));
  EXPECT_THAT(slow.Next(0ms), Optional(HasSubstr("\"run\"")));
}

TEST(Events, AreAwaitedByOneForAllUntilTheEnd) {
  Events events;
  Events::Subscription ann(events, "ann");
  std::uint64_t seen = 0;
  events.Publish("ann", "run", {});
  EXPECT_TRUE(events.Await(seen, 1h)) << "it came before";
  EXPECT_TRUE(events.Await(seen, 0ms));
  events.Close();
  EXPECT_FALSE(events.Await(seen, 1h));
}

TEST(Events, ThoseWhoComeLaterHearNothingOfBefore) {
  Events events;
  events.Publish("ann", "run", {});
  Events::Subscription late(events, "ann");
  EXPECT_EQ(late.Next(0ms), std::nullopt);
}

}  // namespace
}  // namespace belljar::service
