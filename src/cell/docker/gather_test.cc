#include "cell/docker/gather.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <thread>

#include "foundation/base/sys.h"

namespace belljar::cell::docker {
namespace {

// A process with a child and a second thread, all of which wait until they are killed.
class Family {
 public:
  Family() {
    auto ends = MakePipe();
    EXPECT_TRUE(ends);
    parent_ = ::fork();
    if (parent_ == 0) {
      const pid_t child = ::fork();
      if (child == 0) Wait();
      std::thread([] { Wait(); }).detach();
      static_cast<void>(!::write(ends->write.get(), &child, sizeof(child)));
      Wait();
    }
    EXPECT_EQ(::read(ends->read.get(), &child_, sizeof(child_)),
              static_cast<ssize_t>(sizeof(child_)));
  }
  ~Family() {
    ::kill(child_, SIGKILL);
    ::kill(parent_, SIGKILL);
    ::waitpid(parent_, nullptr, 0);
  }
  pid_t parent() const { return parent_; }
  pid_t child() const { return child_; }

 private:
  [[noreturn]] static void Wait() {
    for (;;) ::pause();
  }
  pid_t parent_ = -1;
  pid_t child_ = -1;
};

TEST(GatherInto, TakesEveryThreadOfTheContainerAndNobodyElse) {
  const Family container;
  const Family another;                         // a sibling with the same parent
  auto group = MakeSocketPair(SOCK_SEQPACKET);  // one packet for each number
  ASSERT_TRUE(group);
  Placement placement;
  placement.v1_joins = {group->theirs.get()};
  const auto gathered = GatherInto(placement, container.parent(), "no such id");
  ASSERT_TRUE(gathered) << gathered.error().message();
  group->theirs.Close();
  std::set<pid_t> joined;
  std::array<char, 32> number{};
  for (;;) {
    const ssize_t n = ::read(group->ours.get(), number.data(), number.size());
    if (n <= 0) break;
    joined.insert(std::stoi(std::string(number.data(), static_cast<std::size_t>(n))));
  }
  EXPECT_GE(joined.size(), 3U);  // sanitizers add threads of their own
  EXPECT_TRUE(joined.contains(container.parent()));
  EXPECT_TRUE(joined.contains(container.child()));
  EXPECT_FALSE(joined.contains(another.parent()));
  EXPECT_FALSE(joined.contains(another.child()));
  EXPECT_FALSE(joined.contains(::getpid()));
}

TEST(GatherInto, AGroupThatCannotBeJoinedIsAnError) {
  const Family container;
  auto pipe = MakePipe();
  ASSERT_TRUE(pipe);
  Placement placement;
  placement.v1_joins = {pipe->read.get()};  // the read end: writing fails
  EXPECT_FALSE(GatherInto(placement, container.parent(), "x"));
}

TEST(CommandLineOf, IsThatOfTheProcess) {
  EXPECT_THAT(CommandLineOf(::getpid()), testing::Not(testing::IsEmpty()));
  EXPECT_EQ(CommandLineOf(0x7FFFFFFF), "");
}

}  // namespace
}  // namespace belljar::cell::docker
