#include "foundation/storage/gate.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

namespace belljar::storage {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Gate, LetsTheThreadThatIsInsideEnterAgain) {
  Gate gate;
  const auto outer = gate.Enter(milliseconds(0));
  ASSERT_TRUE(outer);
  EXPECT_TRUE(gate.Enter(milliseconds(0)));
}

TEST(Gate, RefusesAnotherThreadAfterItsPatience) {
  Gate gate;
  const auto turn = gate.Enter(milliseconds(0));
  auto refused = std::async(std::launch::async, [&] { return gate.Enter(milliseconds(1)); });
  EXPECT_FALSE(refused.get());
}

TEST(Gate, LetsTheNextOneInWhenTheLastTurnEnds) {
  Gate gate;
  std::optional<Gate::Turn> turn = gate.Enter(milliseconds(0));
  std::optional<Gate::Turn> again = gate.Enter(milliseconds(0));
  auto entered =
      std::async(std::launch::async, [&] { return gate.Enter(seconds(60)).has_value(); });
  again.reset();
  turn.reset();
  EXPECT_TRUE(entered.get());
}

}  // namespace
}  // namespace belljar::storage
