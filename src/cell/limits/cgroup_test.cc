// The logic of CgroupTree and Cgroup on simulated machines (cgroup_fake.h). For the real kernel see
// cgroup_kernel_test.cc.
#include "cell/limits/cgroup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>

#include "cell/limits/cgroup_fake.h"

namespace belljar::cell::limits {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string Base() { return "belljar-" + std::to_string(::getpid()); }
std::string Self() { return std::to_string(::getpid()) + "\n"; }

request::Limits SmallLimits() {
  request::Limits limits;
  limits.memory_bytes = 64 * request::kMiB;
  limits.processes = 9;
  limits.cpu_millis = 250;
  return limits;
}

CgroupTree OpenTree(const FakeCgroups& fake) {
  auto tree = CgroupTree::OpenWith(fake, fake.root());
  EXPECT_TRUE(tree);
  return *std::move(tree);
}

class CgroupTreeOnV2 : public testing::Test {
 protected:
  CgroupTreeOnV2() { fake_.MountV2("", "/app", "cpuset cpu io memory pids"); }
  std::string OfGroup(const std::string& file) const {
    return fake_.Content("app/" + Base() + "/c1/" + file);
  }
  FakeCgroups fake_;
};

TEST_F(CgroupTreeOnV2, ServesEveryNeed) {
  const CgroupTree tree = OpenTree(fake_);
  const CgroupSupport& support = tree.support();
  for (const CgroupBy by :
       {support.memory, support.processes, support.cpu, support.cpu_usage, support.kill}) {
    EXPECT_EQ(by, CgroupBy::kV2);
  }
  EXPECT_THAT(support.notes, IsEmpty());
  EXPECT_THAT(fake_.GroupsAt("app/" + Base()), IsEmpty()) << "the probe was left behind";
}

TEST_F(CgroupTreeOnV2, WritesEveryLimitBeforeAnyoneJoins) {
  CgroupTree tree = OpenTree(fake_);
  const auto group = tree.Create("c1", SmallLimits());
  ASSERT_TRUE(group) << group.error().message();
  EXPECT_EQ(OfGroup("memory.max"), "67108864");
  EXPECT_EQ(OfGroup("memory.swap.max"), "0");
  EXPECT_EQ(OfGroup("memory.oom.group"), "1");
  EXPECT_EQ(OfGroup("pids.max"), "9");
  EXPECT_EQ(OfGroup("cpu.max"), "25000 100000");
  EXPECT_TRUE(group->v2_dir());
  EXPECT_THAT(group->v1_joins(), IsEmpty());
}

TEST_F(CgroupTreeOnV2, AnyLimitThatCannotBeWrittenRefusesTheGroupAndLeavesNothing) {
  CgroupTree tree = OpenTree(fake_);
  for (const char* file :
       {"memory.max", "memory.swap.max", "memory.oom.group", "pids.max", "cpu.max"}) {
    fake_.FailWrites(file, EIO);
    const auto group = tree.Create("c1", SmallLimits());
    ASSERT_FALSE(group) << file;
    EXPECT_THAT(group.error().message(), HasSubstr(file));
    EXPECT_THAT(fake_.GroupsAt("app/" + Base()), IsEmpty()) << file;
    fake_.FailWrites(file, 0);
  }
}

TEST_F(CgroupTreeOnV2, ReadsTheCounters) {
  CgroupTree tree = OpenTree(fake_);
  auto group = tree.Create("c1", SmallLimits());
  ASSERT_TRUE(group);
  const auto counters = group->Read();
  ASSERT_TRUE(counters) << counters.error().message();
  EXPECT_EQ(counters->cpu_us, 4321u);
  EXPECT_EQ(counters->memory_peak_bytes, 1048576u);
  EXPECT_EQ(counters->processes_peak, 7u);
  EXPECT_EQ(counters->oom_kills, 3u);
  EXPECT_EQ(counters->forks_denied, 5u);
}

TEST_F(CgroupTreeOnV2, PagesOfFilesAreNotHeld) {
  CgroupTree tree = OpenTree(fake_);
  auto group = tree.Create("c1", SmallLimits());
  ASSERT_TRUE(group);
  const auto held = group->MemoryHeld();
  ASSERT_TRUE(held) << held.error().message();
  EXPECT_EQ(*held, 400000u);
  fake_.Put("app/" + Base() + "/c1/memory.current", "1000\n");
  EXPECT_EQ(*group->MemoryHeld(), 0u) << "read a moment later";
  fake_.Put("app/" + Base() + "/c1/memory.stat", "anon 1\n");
  EXPECT_FALSE(group->MemoryHeld());
}

TEST_F(CgroupTreeOnV2, AKernelWithoutPeaksOrSwapStillServes) {
  for (const char* file : {"memory.swap.max", "memory.peak", "pids.peak"}) fake_.Lack(file);
  CgroupTree tree = OpenTree(fake_);
  EXPECT_EQ(tree.support().memory, CgroupBy::kV2);
  auto group = tree.Create("c1", SmallLimits());
  ASSERT_TRUE(group) << group.error().message();
  const auto counters = group->Read();
  ASSERT_TRUE(counters) << counters.error().message();
  EXPECT_EQ(counters->memory_peak_bytes, std::nullopt);
  EXPECT_EQ(counters->processes_peak, std::nullopt);
}

TEST_F(CgroupTreeOnV2, OffersBothEventsFromTheFirstCallOn) {
  CgroupTree tree = OpenTree(fake_);
  const auto group = tree.Create("c1", SmallLimits());
  ASSERT_TRUE(group);
  EXPECT_TRUE(group->fork_denied_event());
  EXPECT_TRUE(group->oom_event());
  EXPECT_EQ(&group->oom_event(), &group->oom_event());
}

TEST_F(CgroupTreeOnV2, RemoveKillsWhoeverIsLeft) {
  CgroupTree tree = OpenTree(fake_);
  auto group = tree.Create("c1", SmallLimits());
  ASSERT_TRUE(group);
  fake_.Put("app/" + Base() + "/c1/cgroup.procs", "999999999\n");
  fake_.Put("app/" + Base() + "/c1/cgroup.events", "populated 1\nfrozen 0\n");
  EXPECT_TRUE(*group->Populated());
  EXPECT_EQ(*group->Processes(), 1U);
  const auto removed = group->Remove();
  EXPECT_TRUE(removed) << removed.error().message();
  EXPECT_FALSE(fake_.Exists("app/" + Base() + "/c1"));
}

TEST_F(CgroupTreeOnV2, AGroupThatWillNotDieIsAnErrorNotAHang) {
  CgroupTree tree = OpenTree(fake_);
  auto group = tree.Create("c1", SmallLimits());
  ASSERT_TRUE(group);
  fake_.FailWrites("cgroup.kill", EIO);
  fake_.Put("app/" + Base() + "/c1/cgroup.procs", "999999999\n");
  const auto removed = group->Remove();
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().sys(), EBUSY);
  fake_.Put("app/" + Base() + "/c1/cgroup.procs", "");
}

TEST_F(CgroupTreeOnV2, MovesItselfToALeafWhenItIsAlone) {
  fake_.Put("app/cgroup.procs", Self());
  const CgroupTree tree = OpenTree(fake_);
  EXPECT_EQ(tree.support().memory, CgroupBy::kV2) << tree.support().notes.front();
  EXPECT_EQ(fake_.Content("app/belljar-supervisor/cgroup.procs") + "\n", Self());
  EXPECT_EQ(fake_.Content("app/cgroup.subtree_control"), "memory pids cpu");
}

TEST_F(CgroupTreeOnV2, NeverMovesOtherProcesses) {
  fake_.Put("app/cgroup.procs", "1\n" + Self());
  fake_.Put("cgroup.procs", "2\n");  // no place above either
  const CgroupTree tree = OpenTree(fake_);
  EXPECT_EQ(tree.support().memory, CgroupBy::kNone);
  EXPECT_EQ(tree.support().kill, CgroupBy::kV2) << "kill needs no controller";
  EXPECT_THAT(tree.support().notes, SizeIs(3));
  EXPECT_THAT(tree.support().notes, Contains(HasSubstr("Delegate=yes")));
  EXPECT_FALSE(fake_.Exists("app/belljar-supervisor"));
  EXPECT_EQ(fake_.Content("app/cgroup.procs"), "1\n" + Self());
}

TEST_F(CgroupTreeOnV2, BesideOthersItsGroupsAreMadeBelowTheNextGroupUp) {
  fake_.Put("app/cgroup.procs", "1\n" + Self());
  const CgroupTree tree = OpenTree(fake_);
  EXPECT_EQ(tree.support().memory, CgroupBy::kV2);
  EXPECT_THAT(tree.support().notes, IsEmpty());
  EXPECT_THAT(fake_.GroupsAt(""), ElementsAre("app", Base()));
  EXPECT_THAT(fake_.GroupsAt("app"), IsEmpty());
  EXPECT_EQ(fake_.Content("app/cgroup.procs"), "1\n" + Self());
}

TEST_F(CgroupTreeOnV2, AtItsEndItMovesBackSoThatTheNextCanStartThere) {
  fake_.Put("app/cgroup.procs", Self());
  { const CgroupTree tree = OpenTree(fake_); }
  EXPECT_EQ(fake_.Content("app/cgroup.procs") + "\n", Self());
  EXPECT_EQ(fake_.Content("app/cgroup.subtree_control"), "");
  EXPECT_THAT(fake_.GroupsAt("app"), IsEmpty());
}

// The kernel would accept the write, but make the group a threaded one: then no process can enter
// the groups below it.
TEST(CgroupTreeOnV2WithoutMemory, NeverMakesTheOwnGroupOneOfThreads) {
  FakeCgroups fake;
  fake.MountV2("", "/app", "cpu pids");
  fake.Put("app/cgroup.procs", "1\n" + Self());
  const CgroupTree tree = OpenTree(fake);
  EXPECT_EQ(fake.Content("app/cgroup.subtree_control"), "");
  EXPECT_EQ(tree.support().processes, CgroupBy::kV2) << "made further up";
  EXPECT_EQ(tree.support().memory, CgroupBy::kNone);
}

TEST_F(CgroupTreeOnV2, AGroupOfThreadsServesNothing) {
  fake_.Put("app/cgroup.type", "threaded\n");
  const CgroupTree tree = OpenTree(fake_);
  EXPECT_EQ(tree.support().kill, CgroupBy::kNone);
  EXPECT_THAT(tree.support().notes, Contains("no kill: this process's v2 group is one of threads"));
}

TEST_F(CgroupTreeOnV2, TellsWhyWhenGroupsMayNotBeMade) {
  fake_.FailMaking(EACCES);
  CgroupTree tree = OpenTree(fake_);
  EXPECT_EQ(tree.support().kill, CgroupBy::kNone);
  ASSERT_THAT(tree.support().notes, SizeIs(5));
  EXPECT_THAT(tree.support().notes[0], HasSubstr("no memory limit: mkdir belljar-"));
  EXPECT_THAT(tree.support().notes[0], HasSubstr("Permission denied"));
}

TEST_F(CgroupTreeOnV2, AFileThatExistsButRefusesIsNotServed) {
  fake_.FailWrites("pids.max", EPERM);
  const CgroupTree tree = OpenTree(fake_);
  EXPECT_EQ(tree.support().processes, CgroupBy::kNone);
  EXPECT_EQ(tree.support().memory, CgroupBy::kV2);
  EXPECT_THAT(tree.support().notes,
              ElementsAre(HasSubstr("no process limit: write probe/pids.max")));
}

TEST_F(CgroupTreeOnV2, RemovesGroupsOfDeadProcessesWithTheirCells) {
  fake_.Put("app/belljar-999999999/cgroup.procs", "");
  fake_.Put("app/belljar-999999999/cell/cgroup.procs", "888888888\n");
  fake_.Put("app/belljar-999999999/cell/cgroup.kill", "");
  fake_.Put("app/belljar-999999999/cell/cgroup.events", "populated 1\n");
  fake_.Put("app/belljar-1/cgroup.procs", "");
  fake_.Put("app/belljar-999999999.service/cgroup.procs", "");
  const CgroupTree tree = OpenTree(fake_);
  EXPECT_EQ(tree.support().leftovers_removed, 1);
  EXPECT_THAT(fake_.GroupsAt("app"), ElementsAre("belljar-1", Base(), "belljar-999999999.service"));
}

TEST_F(CgroupTreeOnV2, AnEarlierProcessWithOurNumberIsALeftoverButOurOtherTreeIsNot) {
  fake_.Put("app/" + Base() + "/cgroup.procs", "");
  fake_.Put("app/" + Base() + "/old/cgroup.procs", "");
  const CgroupTree first = OpenTree(fake_);
  EXPECT_EQ(first.support().leftovers_removed, 1);
  const CgroupTree second = OpenTree(fake_);
  EXPECT_EQ(second.support().leftovers_removed, 0);
  EXPECT_THAT(fake_.GroupsAt("app"), ElementsAre(Base(), Base() + "-2"));
}

TEST_F(CgroupTreeOnV2, TheTreeRemovesItsBase) {
  { const CgroupTree tree = OpenTree(fake_); }
  EXPECT_THAT(fake_.GroupsAt("app"), IsEmpty());
}

TEST_F(CgroupTreeOnV2, RefusesNamesThatAreNotOneComponent) {
  CgroupTree tree = OpenTree(fake_);
  for (const char* name : {"", ".", "..", "a/b", "../x", "a\nb"}) {
    const auto group = tree.Create(name, SmallLimits());
    ASSERT_FALSE(group) << name;
    EXPECT_EQ(group.error().kind(), Kind::kInvalid);
  }
}

TEST_F(CgroupTreeOnV2, ATakenNameIsAnErrorAndTheFirstOwnerKeepsItsGroup) {
  CgroupTree tree = OpenTree(fake_);
  const auto first = tree.Create("c1", SmallLimits());
  ASSERT_TRUE(first);
  EXPECT_FALSE(tree.Create("c1", SmallLimits()));
  EXPECT_TRUE(fake_.Exists("app/" + Base() + "/c1"));
}

TEST(CgroupTreeOnV1, JointMountsShareOneGroup) {
  FakeCgroups fake;
  fake.MountV1("memory", "/", "memory");
  fake.MountV1("cpu,cpuacct", "/own", "cpu,cpuacct");
  fake.MountV1("pids", "/", "pids");
  fake.MountV1("freezer", "/", "freezer");
  CgroupTree tree = OpenTree(fake);
  EXPECT_EQ(tree.support().cpu, CgroupBy::kV1);
  EXPECT_EQ(tree.support().cpu_usage, CgroupBy::kV1);
  EXPECT_EQ(tree.support().kill, CgroupBy::kNone);
  EXPECT_FALSE(fake.Exists("freezer/" + Base()));
  auto group = tree.Create("c1", SmallLimits());
  ASSERT_TRUE(group) << group.error().message();
  EXPECT_THAT(group->v1_joins(), SizeIs(3));
  EXPECT_FALSE(group->v2_dir());
  EXPECT_FALSE(group->oom_event());
  EXPECT_FALSE(group->fork_denied_event());
  EXPECT_FALSE(group->Kill());
  EXPECT_EQ(fake.Content("memory/" + Base() + "/c1/memory.limit_in_bytes"), "67108864");
  EXPECT_EQ(fake.Content("memory/" + Base() + "/c1/memory.memsw.limit_in_bytes"), "67108864");
  EXPECT_EQ(fake.Content("cpu,cpuacct/own/" + Base() + "/c1/cpu.cfs_quota_us"), "25000");
  const auto counters = group->Read();
  ASSERT_TRUE(counters) << counters.error().message();
  EXPECT_EQ(counters->cpu_us, 8765u);
  EXPECT_EQ(counters->oom_kills, 1u);
  EXPECT_EQ(counters->processes_peak, std::nullopt);
}

TEST(CgroupTreeOnV1, PagesOfFilesAreNotHeld) {
  FakeCgroups fake;
  fake.MountV1("memory", "/", "memory");
  CgroupTree tree = OpenTree(fake);
  auto group = tree.Create("c1", SmallLimits());
  ASSERT_TRUE(group) << group.error().message();
  const auto held = group->MemoryHeld();
  ASSERT_TRUE(held) << held.error().message();
  EXPECT_EQ(*held, 700000u);
}

TEST(CgroupTreeOnV1, WithoutAGroupNobodyKnowsWhatIsHeld) {
  FakeCgroups fake;
  fake.MountV1("cpuacct", "/", "cpuacct");
  CgroupTree tree = OpenTree(fake);
  auto group = tree.Create("c1", SmallLimits());
  ASSERT_TRUE(group) << group.error().message();
  EXPECT_EQ(*group->MemoryHeld(), std::nullopt);
}

TEST(CgroupTreeOnV1, ManyGroupsOfOneOwnerHaveLessOfTheCpus) {
  FakeCgroups fake;
  fake.MountV1("cpu,cpuacct", "/", "cpu,cpuacct");
  CgroupTree tree = OpenTree(fake);
  auto group = tree.Create("c1", SmallLimits());
  ASSERT_TRUE(group) << group.error().message();
  const auto weight = [&] { return fake.Content("cpu,cpuacct/" + Base() + "/c1/cpu.shares"); };
  EXPECT_TRUE(group->ShareCpu(1));
  EXPECT_EQ(weight(), "1024") << "as it was";
  EXPECT_TRUE(group->ShareCpu(3));
  EXPECT_EQ(weight(), "113");
  EXPECT_TRUE(group->ShareCpu(1'000));
  EXPECT_EQ(weight(), "2") << "the least there is";
  fake.FailWrites("cpu.shares", EACCES);
  EXPECT_FALSE(group->ShareCpu(1));
}

TEST(CgroupTreeOnV1, AsksForNoMoreCpuThanTheOwnGroupHas) {
  FakeCgroups fake;
  fake.MountV1("cpu", "/", "cpu");
  fake.Put("cpu/cpu.cfs_quota_us", "10000\n");
  fake.Put("cpu/cpu.cfs_period_us", "50000\n");
  CgroupTree tree = OpenTree(fake);
  const auto group = tree.Create("c1", SmallLimits());
  ASSERT_TRUE(group);
  EXPECT_EQ(fake.Content("cpu/" + Base() + "/c1/cpu.cfs_quota_us"), "20000");
}

TEST(CgroupTreeOnHybrid, TakesKillAndCpuTimeFromV2AndLimitsFromV1) {
  FakeCgroups fake;
  fake.MountV1("memory", "/", "memory");
  fake.MountV1("cpuacct", "/", "cpuacct");
  fake.MountV2("unified", "/", "");
  const CgroupTree tree = OpenTree(fake);
  EXPECT_EQ(tree.support().memory, CgroupBy::kV1);
  EXPECT_EQ(tree.support().cpu_usage, CgroupBy::kV2);
  EXPECT_EQ(tree.support().kill, CgroupBy::kV2);
  EXPECT_FALSE(fake.Exists("cpuacct/" + Base())) << "a group that serves nothing is not made";
}

TEST(CgroupTreeOnNothing, EveryNeedIsExplained) {
  const FakeCgroups fake;
  const CgroupTree tree = OpenTree(fake);
  ASSERT_THAT(tree.support().notes, SizeIs(5));
  EXPECT_EQ(tree.support().notes[4],
            "no kill: no cgroup that offers it is mounted below " + fake.root());
}

}  // namespace
}  // namespace belljar::cell::limits
