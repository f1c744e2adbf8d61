// Watch over real processes of the test, without a cell around them.
#include "cell/limits/watch.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "foundation/base/sys.h"

namespace belljar::cell::limits {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

enum class OnInterrupt { kEnd, kIgnore };

// `sh -c SCRIPT` in a process group of its own, with the control channel as descriptor 3. The
// whole group ends with this object.
class Child {
 public:
  explicit Child(const char* script, OnInterrupt on_interrupt = OnInterrupt::kEnd) {
    // Set before the fork: an interrupt may arrive before the child has executed an instruction.
    const auto ours = ::signal(SIGINT, on_interrupt == OnInterrupt::kIgnore ? SIG_IGN : SIG_DFL);
    pid_ = ::fork();
    if (pid_ == 0) Become(script);
    ::signal(SIGINT, ours);
    ::setpgid(pid_, pid_);
    pidfd_ = Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    for (Fd* theirs : {&stdin_.read, &stdout_.write, &stderr_.write, &control_.theirs}) {
      theirs->Close();
    }
    for (const Fd* end : {&stdin_.write, &stdout_.read, &stderr_.read, &control_.ours}) {
      EXPECT_TRUE(SetNonBlocking(*end));
    }
  }
  ~Child() {
    Kill();
    ::waitpid(pid_, nullptr, 0);  // fails if Watch has already reaped it
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void Interrupt() { ::kill(pid_, SIGINT); }
  void Kill() { ::kill(-pid_, SIGKILL); }
  const Fd& stdout_pipe() const { return stdout_.read; }
  const Fd& ended() const { return pidfd_; }
  Result<Ending> Reap() { return ReapChild(pidfd_); }
  Subject AsSubject(std::string_view input) {
    return {pidfd_, control_.ours, stdout_.read, stderr_.read, stdin_.write, input};
  }

 private:
  [[noreturn]] void Become(const char* script) {
    ::setpgid(0, 0);
    ::signal(SIGPIPE, SIG_DFL);
    ::dup2(stdin_.read.get(), 0);
    ::dup2(stdout_.write.get(), 1);
    ::dup2(stderr_.write.get(), 2);
    // The descriptor may be 3 itself; dup2 would then leave it close-on-exec.
    const int control = ::fcntl(control_.theirs.get(), F_DUPFD_CLOEXEC, 10);
    ::dup2(control, 3);
    ::execl("/bin/sh", "sh", "-c", script, nullptr);
    ::_exit(127);
  }

  PipeEnds stdin_ = *MakePipe();
  PipeEnds stdout_ = *MakePipe();
  PipeEnds stderr_ = *MakePipe();
  SocketEnds control_ = *MakeSocketPair(SOCK_STREAM);
  pid_t pid_;
  Fd pidfd_;
};

class FakeMeter final : public Meter {
 public:
  Result<Reading> Read() override {
    ++looks;
    if (broken) return Error(Kind::kInternal, "the meter is broken");
    return reading;
  }
  std::chrono::milliseconds interval() const override { return 2ms; }

  Reading reading;
  bool broken = false;
  int looks = 0;
};

class WatchTest : public testing::Test {
 protected:
  WatchTest() : old_(::signal(SIGPIPE, SIG_IGN)) {}
  ~WatchTest() override { ::signal(SIGPIPE, old_); }

  Result<WatchEnd> TryWatch(Child& child) {
    const Handlers handlers{[&](std::string_view bytes) {
                              out_ += bytes;
                              return on_stdout_(bytes);
                            },
                            [&](std::string_view bytes) {
                              err_ += bytes;
                              return true;
                            },
                            [&](std::string_view bytes) {
                              control_ += bytes;
                              return control_ != "junk\n";
                            },
                            [&] {
                              ++interrupts_;
                              child.Interrupt();
                            },
                            [&] {
                              ++kills_;
                              child.Kill();
                            },
                            [&] { return child.Reap(); },
                            done_,
                            last_word_,
                            meanwhile_};
    Subject subject = child.AsSubject(input_);
    subject.cancel[cancelled_by_] = cancel_.read.get();
    subject.grace = grace_;
    auto end = Watch(subject, limits_, meter_, handlers);
    Drain(child.stdout_pipe(), handlers.on_stdout);
    return end;
  }
  WatchEnd MustWatch(Child& child) {
    const auto end = TryWatch(child);
    if (!end) {
      ADD_FAILURE() << end.error().message();
      return {};
    }
    return *end;
  }
  void Cancel() { EXPECT_TRUE(WriteAll(cancel_.write, "x", "cancel")); }

  void (*old_)(int);
  request::Limits limits_;
  FakeMeter meter_;
  std::function<bool()> done_;
  std::function<std::optional<Ending>()> last_word_;
  std::function<void()> meanwhile_;
  std::chrono::milliseconds grace_ = kGrace;
  CancelSlot cancelled_by_ = kByCaller;
  PipeEnds cancel_ = *MakePipe();
  std::string input_;
  std::function<bool(std::string_view)> on_stdout_ = [](std::string_view) { return true; };
  std::string out_, err_, control_;
  int interrupts_ = 0;
  int kills_ = 0;
};

TEST_F(WatchTest, TellsTheExitCode) {
  Child child("echo out; echo err >&2; echo word >&3; exit 7");
  const WatchEnd end = MustWatch(child);
  EXPECT_EQ(end.cause, Cause::kItself);
  EXPECT_EQ(end.exit_code, 7);
  EXPECT_EQ(end.signal, std::nullopt);
  EXPECT_EQ(out_, "out\n");
  EXPECT_EQ(interrupts_ + kills_, 0);
  EXPECT_GT(end.wall.count(), 0);
}

TEST_F(WatchTest, TellsTheSignal) {
  Child child("kill -SEGV $$");
  const WatchEnd end = MustWatch(child);
  EXPECT_EQ(end.cause, Cause::kItself);
  EXPECT_EQ(end.signal, SIGSEGV);
  EXPECT_EQ(end.exit_code, std::nullopt);
}

TEST_F(WatchTest, AsksFirstWhenTheTimeIsUp) {
  limits_.wall = 30ms;
  Child child("exec sleep 60");
  const WatchEnd end = MustWatch(child);
  EXPECT_EQ(end.cause, Cause::kWall);
  EXPECT_EQ(end.signal, SIGINT);
  EXPECT_EQ(interrupts_, 1);
  EXPECT_EQ(kills_, 0);
  EXPECT_GE(end.wall, 30ms);
}

TEST_F(WatchTest, KillsAfterTheGraceWhenAskingDidNotHelp) {
  limits_.wall = 30ms;
  Child child("exec sleep 60", OnInterrupt::kIgnore);
  const WatchEnd end = MustWatch(child);
  EXPECT_EQ(end.cause, Cause::kWall);
  EXPECT_EQ(end.signal, SIGKILL);
  EXPECT_EQ(interrupts_, 1);
  EXPECT_EQ(kills_, 1);
  EXPECT_GE(end.wall, 30ms + kGrace);
}

TEST_F(WatchTest, TellsAStopFromACallersWish) {
  cancelled_by_ = kByStop;
  Child child("exec sleep 60");
  Cancel();
  EXPECT_EQ(MustWatch(child).cause, Cause::kStopped);
}

TEST_F(WatchTest, WhatIsKilledByWhoCancelsItIsCancelled) {
  Child child("exec sleep 60");
  Cancel();
  child.Kill();
  ASSERT_TRUE(WaitReadable(child.ended(), 10s));
  EXPECT_EQ(MustWatch(child).cause, Cause::kCancelled);
}

TEST_F(WatchTest, KeepsTheGraceThatItsSubjectHas) {
  limits_.wall = 30ms;
  grace_ = 20ms;
  Child child("exec sleep 60", OnInterrupt::kIgnore);
  const WatchEnd end = MustWatch(child);
  EXPECT_EQ(end.signal, SIGKILL);
  EXPECT_LT(end.wall, kGrace);
}

TEST_F(WatchTest, HearsTheLastWordsOfACancelledProgram) {
  Child child("trap 'echo bye; exit 3' INT; sleep 60 & echo ready; wait");
  on_stdout_ = [&](std::string_view bytes) {
    if (bytes.find("ready") != std::string_view::npos) Cancel();
    return true;
  };
  const WatchEnd end = MustWatch(child);
  EXPECT_EQ(end.cause, Cause::kCancelled);
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_EQ(out_, "ready\nbye\n");
  EXPECT_EQ(interrupts_, 1);
}

TEST_F(WatchTest, TakesACallerThatIsGoneForACancel) {
  Child child("exec sleep 60");
  cancel_.write.Close();
  EXPECT_EQ(MustWatch(child).cause, Cause::kCancelled);
}

TEST_F(WatchTest, KillsAtOnceWhenThereHasBeenEnoughOutput) {
  Child child("while :; do echo yyyyyyyyyyyyyyyyyyyy; done");
  on_stdout_ = [&](std::string_view) { return out_.size() < 1000; };
  const WatchEnd end = MustWatch(child);
  EXPECT_EQ(end.cause, Cause::kOutput);
  EXPECT_EQ(end.signal, SIGKILL);
  EXPECT_EQ(interrupts_, 0);
  EXPECT_EQ(kills_, 1);
}

TEST_F(WatchTest, InterruptsAGuestThatOutlivesItsRunForTooMuchOutput) {
  Child child(
      "trap 'echo done >&3; exec sleep 60' INT; while :; do echo yyyyyyyyyyyyyyyyyyyy; done");
  on_stdout_ = [&](std::string_view) { return out_.size() < 1000; };
  done_ = [&] { return control_ == "done\n"; };
  const WatchEnd end = MustWatch(child);
  EXPECT_EQ(end.cause, Cause::kOutput);
  EXPECT_FALSE(end.signal);
  EXPECT_GE(interrupts_, 1);
  EXPECT_EQ(kills_, 0);
}

TEST_F(WatchTest, KillsAGuestThatPrintsOnAfterItsInterrupts) {
  Child child("while :; do echo yyyyyyyyyyyyyyyyyyyy; done", OnInterrupt::kIgnore);
  on_stdout_ = [&](std::string_view) { return out_.size() < 1000; };
  done_ = [] { return false; };
  const WatchEnd end = MustWatch(child);
  EXPECT_EQ(end.cause, Cause::kOutput);
  EXPECT_EQ(end.signal, SIGKILL);
  EXPECT_EQ(kills_, 1);
}

TEST_F(WatchTest, KeepsTheFirstCause) {
  Child child("echo ready; while :; do echo y; done", OnInterrupt::kIgnore);
  Cancel();
  on_stdout_ = [&](std::string_view) { return interrupts_ == 0; };
  const WatchEnd end = MustWatch(child);
  EXPECT_EQ(end.cause, Cause::kCancelled);
  EXPECT_EQ(end.signal, SIGKILL);
}

TEST_F(WatchTest, KillsAGuestThatBreaksTheProtocol) {
  Child child("echo junk >&3; exec sleep 60");
  const WatchEnd end = MustWatch(child);
  EXPECT_EQ(end.cause, Cause::kProtocol);
  EXPECT_EQ(end.signal, SIGKILL);
  EXPECT_EQ(interrupts_, 0);
}

TEST_F(WatchTest, GoesOnWhenTheGuestClosesEverything) {
  Child child("exec 3>&- >&- 2>&- <&-; exit 5");
  EXPECT_EQ(MustWatch(child).exit_code, 5);
}

TEST_F(WatchTest, FeedsTheInputAndClosesItAfterwards) {
  input_.assign(1 << 20, 'x');
  Child child("exec wc -c");
  EXPECT_EQ(MustWatch(child).exit_code, 0);
  EXPECT_EQ(std::stoul(out_), input_.size());
}

TEST_F(WatchTest, ClosesAnEmptyInputAtOnce) {
  Child child("cat; exit 4");
  EXPECT_EQ(MustWatch(child).exit_code, 4);
}

TEST_F(WatchTest, IsNotHeldUpByAProgramThatNeverReads) {
  input_.assign(1 << 20, 'x');
  {
    Child child("exit 6");
    EXPECT_EQ(MustWatch(child).exit_code, 6);
  }
  {
    Child child("exec <&-; echo closed; exit 8");
    EXPECT_EQ(MustWatch(child).exit_code, 8);
  }
  limits_.wall = 30ms;
  Child child("exec sleep 60");
  EXPECT_EQ(MustWatch(child).cause, Cause::kWall);
}

TEST_F(WatchTest, KillsWhatTheKernelHasBegunToKillForMemory) {
  meter_.reading.oom_kills = 1;
  Child child("exec sleep 60");
  const WatchEnd end = MustWatch(child);
  EXPECT_EQ(end.cause, Cause::kMemory);
  EXPECT_EQ(end.signal, SIGKILL);
  EXPECT_EQ(interrupts_, 0);
}

TEST_F(WatchTest, KillsAboveTheMemoryLimitAndNotAtIt) {
  meter_.reading.memory_peak_bytes = limits_.memory_bytes;
  {
    Child child("exec sleep 0.03");
    EXPECT_EQ(MustWatch(child).cause, Cause::kItself);
    EXPECT_GT(meter_.looks, 0);
  }
  ++*meter_.reading.memory_peak_bytes;
  Child child("exec sleep 60");
  EXPECT_EQ(MustWatch(child).cause, Cause::kMemory);
}

TEST_F(WatchTest, KillsWhoWasRefusedAProcess) {
  meter_.reading.forks_denied = 1;
  Child child("exec sleep 60");
  const WatchEnd end = MustWatch(child);
  EXPECT_EQ(end.cause, Cause::kProcesses);
  EXPECT_EQ(end.signal, SIGKILL);
}

TEST_F(WatchTest, AsksFirstWhenTheCpuTimeIsUp) {
  limits_.cpu_time = 1500ms;
  meter_.reading.cpu_us = 1'499'999;
  {
    Child child("exec sleep 0.03");
    EXPECT_EQ(MustWatch(child).cause, Cause::kItself);
  }
  meter_.reading.cpu_us = 1'500'000;
  Child child("exec sleep 60");
  const WatchEnd end = MustWatch(child);
  EXPECT_EQ(end.cause, Cause::kCpu);
  EXPECT_EQ(end.signal, SIGINT);
  EXPECT_EQ(interrupts_, 1);
}

TEST_F(WatchTest, FailsWhenItCannotMeasure) {
  meter_.broken = true;
  Child child("exec sleep 60");
  const auto end = TryWatch(child);
  ASSERT_FALSE(end);
  EXPECT_THAT(end.error().message(), HasSubstr("the meter is broken"));
}

TEST(Drain, ReadsWhatIsLeftAndDoesNotWait) {
  const PipeEnds pipe = *MakePipe();
  ASSERT_TRUE(SetNonBlocking(pipe.read));
  ASSERT_TRUE(WriteAll(pipe.write, "left", "pipe"));
  std::string read;
  Drain(pipe.read, [&](std::string_view bytes) {
    read += bytes;
    return true;
  });
  EXPECT_EQ(read, "left");
}

TEST(Drain, DropsTheRestWhenThereHasBeenEnough) {
  const PipeEnds pipe = *MakePipe();
  ASSERT_TRUE(SetNonBlocking(pipe.read));
  ASSERT_GT(::fcntl(pipe.write.get(), F_SETPIPE_SZ, 1 << 20), 0);
  ASSERT_TRUE(WriteAll(pipe.write, std::string(200'000, 'x'), "pipe"));
  int calls = 0;
  Drain(pipe.read, [&](std::string_view) { return ++calls < 2; });
  EXPECT_EQ(calls, 2);
  char left = 0;
  EXPECT_EQ(::read(pipe.read.get(), &left, 1), -1);
}

TEST_F(WatchTest, LetsAGuestThatIsDoneLiveOn) {
  Child child("echo out; echo done >&3; sleep 60");
  done_ = [&] { return control_ == "done\n"; };
  const WatchEnd end = MustWatch(child);
  EXPECT_EQ(end.cause, Cause::kItself);
  EXPECT_FALSE(end.exit_code.has_value());
  EXPECT_FALSE(end.signal.has_value());
  EXPECT_EQ(out_, "out\n");
  EXPECT_EQ(kills_, 0);
}

TEST_F(WatchTest, CallsOnceForWhatCanBeDoneMeanwhile) {
  Child child("read go <&3; exit 7");
  int calls = 0;
  meanwhile_ = [&] {
    ++calls;
    EXPECT_TRUE(WriteAll(child.AsSubject("").control, "go\n", "what the program waits for"));
  };
  EXPECT_EQ(MustWatch(child).exit_code, 7);
  EXPECT_EQ(calls, 1);
}

TEST_F(WatchTest, TakesTheWordOfAGuestThatIsAboutToEnd) {
  Child child("echo out; echo 7 >&3; sleep 60");
  last_word_ = [&] { return control_ == "7\n" ? std::optional(Ending{7, {}}) : std::nullopt; };
  const WatchEnd end = MustWatch(child);
  EXPECT_EQ(end.cause, Cause::kItself);
  EXPECT_EQ(end.exit_code, 7);
  EXPECT_EQ(out_, "out\n");
}

TEST_F(WatchTest, AnInterruptThatAGuestHasMissedIsRepeated) {
  Child child("trap 'n=$((n + 1)); [ $n = 2 ] && echo done >&3' INT; while :; do sleep 0.01; done");
  limits_.wall = 50ms;
  done_ = [&] { return control_ == "done\n"; };
  const WatchEnd end = MustWatch(child);
  EXPECT_EQ(end.cause, Cause::kWall);
  EXPECT_EQ(interrupts_, 2);
  EXPECT_EQ(kills_, 0);
}

TEST_F(WatchTest, AGuestThatIsDoneAfterTheInterruptIsNotKilled) {
  Child child("trap 'echo done >&3' INT; while :; do sleep 0.01; done");
  limits_.wall = 50ms;
  done_ = [&] { return control_ == "done\n"; };
  const WatchEnd end = MustWatch(child);
  EXPECT_EQ(end.cause, Cause::kWall);
  EXPECT_EQ(interrupts_, 1);
  EXPECT_EQ(kills_, 0);
}

}  // namespace
}  // namespace belljar::cell::limits
