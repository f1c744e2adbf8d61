#include "cell/image/program.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <string_view>
#include <utility>

#include "foundation/base/sys.h"

namespace belljar::cell::image {
namespace {

constexpr std::size_t kMaxOutput = 64U << 10;

using Clock = std::chrono::steady_clock;

// Kills the child when it goes out of scope, unless it was waited for.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    static_cast<void>(Wait());
  }

  Result<int> Wait() {
    int status = 0;
    const pid_t pid = std::exchange(pid_, 0);
    BJ_TRY(Check("waitpid", "", [&] { return ::waitpid(pid, &status, 0); }));
    return status;
  }

 private:
  pid_t pid_;
};

Result<pid_t> Spawn(const std::vector<std::string>& argv, const Fd& output, Answers answers) {
  std::vector<char*> args;
  for (const std::string& arg : argv) args.push_back(const_cast<char*>(arg.c_str()));
  args.push_back(nullptr);
  std::string locale = "LC_ALL=C.UTF-8";
  std::array<char*, 2> env = {locale.data(), nullptr};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output.get(), 1);
  if (answers == Answers::kOnEither) {
    ::posix_spawn_file_actions_adddup2(&actions, output.get(), 2);
  } else {
    ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  }
  pid_t pid = 0;
  const int err = ::posix_spawn(&pid, args[0], &actions, nullptr, args.data(), env.data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (err != 0) return SysError("run", argv[0], err);
  return pid;
}

Result<std::string> ReadUntilEnd(const Fd& fd, const std::string& what,
                                 Clock::time_point deadline) {
  std::string text;
  std::array<char, 4096> chunk;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0 || !BJ_TRY(WaitReadable(fd, left))) {
      return Error(Kind::kUnavailable, what + " did not answer in time");
    }
    const long n =
        BJ_TRY(Check("read", what, [&] { return ::read(fd.get(), chunk.data(), chunk.size()); }));
    if (n == 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(n));
    if (text.size() > kMaxOutput) return Error(Kind::kInvalid, what + " printed too much");
  }
}

}  // namespace

Result<std::string> AskProgram(const std::vector<std::string>& argv,
                               std::chrono::milliseconds timeout, Answers answers) {
  PipeEnds pipe = BJ_TRY(MakePipe());
  Child child(BJ_TRY(Spawn(argv, pipe.write, answers)));
  pipe.write.Close();
  std::string text = BJ_TRY(ReadUntilEnd(pipe.read, argv[0], Clock::now() + timeout));
  const int status = BJ_TRY(child.Wait());
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return Error(Kind::kUnavailable, argv[0] + " failed when asked about itself");
  }
  return text;
}

}  // namespace belljar::cell::image
