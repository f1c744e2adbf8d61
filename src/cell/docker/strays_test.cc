#include "cell/docker/strays.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace belljar::cell::docker {
namespace {

TEST(ProcessMark, IsOfALivingProcessUntilThatHasEnded) {
  const std::string own = ProcessMark();
  EXPECT_FALSE(HasEnded(own));
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string mark = ProcessMark();
    ::_exit(::write(ends[1], mark.data(), mark.size()) > 0 ? 0 : 1);
  }
  std::string mark(256, '\0');
  mark.resize(static_cast<std::size_t>(::read(ends[0], mark.data(), mark.size())));
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(HasEnded(mark)) << mark;
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(ProcessMark, ANumberThatAnotherProcessHasNowIsNotTheOldOne) {
  const std::string own = ProcessMark();
  const std::size_t first = own.find('.');
  const std::size_t second = own.find('.', first + 1);
  EXPECT_TRUE(HasEnded(own.substr(0, first) + ".1" + own.substr(second)));
}

TEST(ProcessMark, WhoCannotBeJudgedFromHereIsLeftAlone) {
  for (const char* mark : {"", "1", "999999999.1.77", "x.1.4026531836", "../1.2.3", "1..", "..."}) {
    EXPECT_FALSE(HasEnded(mark)) << mark;
  }
}

TEST(OwnerMark, TellsStatesApart) {
  EXPECT_EQ(OwnerMark("/tmp"), OwnerMark("/tmp"));
  EXPECT_NE(OwnerMark("/tmp"), OwnerMark("/"));
  EXPECT_NE(OwnerMark("/nowhere/a"), OwnerMark("/nowhere/b"));
}

}  // namespace
}  // namespace belljar::cell::docker
