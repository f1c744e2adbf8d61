#include "door/cli/lines.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "foundation/base/sys.h"

namespace belljar::door::cli {
namespace {

// Replaces standard input while this object lives.
class StandardInput {
 public:
  explicit StandardInput(const Fd& fd) : before_(::fcntl(0, F_DUPFD_CLOEXEC, 3)) {
    ::dup2(fd.get(), 0);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;
  ~StandardInput() { ::dup2(before_.get(), 0); }

 private:
  Fd before_;
};

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    out = Fd(ends[0]);
    in = Fd(ends[1]);
  }
  Fd out;
  Fd in;
};

TEST(AnswerLines, AnswersEachLineAndTheLastWithoutItsNewline) {
  const Pipe never;
  Pipe lines;
  ASSERT_TRUE(WriteAll(lines.in, "a\n\nb", "lines"));
  lines.in.Close();
  const StandardInput input(lines.out);
  std::string seen;
  const auto done = AnswerLines(
      1, never.out.get(), [&](const std::string& line, Answers&) { seen += "<" + line + ">"; });
  EXPECT_TRUE(done) << done.error().message();
  EXPECT_EQ(seen, "<a><b>");
}

TEST(AnswerLines, TellsThatLinesCouldNotBeRead) {
  const Pipe never;
  auto directory = Open("/", O_RDONLY | O_DIRECTORY);
  ASSERT_TRUE(directory);
  const StandardInput input(*directory);
  const auto done = AnswerLines(1, never.out.get(), [](const std::string&, Answers&) {});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message(), "read standard input: Is a directory");
}

}  // namespace
}  // namespace belljar::door::cli
