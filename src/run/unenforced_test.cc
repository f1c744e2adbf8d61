#include "engine/unenforced.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belljar::engine {
namespace {

using monitor::CgroupBy;
using testing::HasSubstr;

const monitor::CgroupSupport kNothing;

monitor::CgroupSupport WithCpu() {
  monitor::CgroupSupport support;
  support.cpu = CgroupBy::kV1;
  return support;
}

std::optional<std::string> RefuseUnenforced(const policy::Request& request,
                                            const monitor::CgroupSupport& support,
                                            const std::set<std::string>& allowed) {
  const auto backend = request.backend.value_or(policy::BackendKind::kNative);
  return engine::RefuseUnenforced(request, backend, support, allowed);
}

policy::Request WithCpus(std::uint32_t cpu_millis) {
  policy::Request request;
  request.limits.cpu_millis = cpu_millis;
  return request;
}

policy::Request WithFileOperations(policy::Lang lang) {
  policy::Request request;
  request.lang = lang;
  request.limits.file_operations = 10;
  return request;
}

std::string Layer(const monitor::CgroupSupport& support, const std::string& limit) {
  for (const LimitLayer& layer : LimitLayers(support)) {
    if (layer.limit == limit) return layer.by;
  }
  return "";
}

TEST(RefuseUnenforced, LetsTheDefaultsPassOnAnyMachine) {
  policy::Request request;
  for (const auto lang : {policy::Lang::kPython, policy::Lang::kJavaScript, policy::Lang::kBash}) {
    request.lang = lang;
    EXPECT_EQ(RefuseUnenforced(request, kNothing, {}), std::nullopt);
  }
}

TEST(RefuseUnenforced, RefusesPartsOfACpuWhereNothingCanHoldThem) {
  for (const std::uint32_t cpu_millis : {1u, 500u, 1500u}) {
    const auto refusal = RefuseUnenforced(WithCpus(cpu_millis), kNothing, {});
    ASSERT_TRUE(refusal) << cpu_millis;
    EXPECT_THAT(*refusal, HasSubstr("--allow-unenforced cpus"));
    EXPECT_EQ(RefuseUnenforced(WithCpus(cpu_millis), WithCpu(), {}), std::nullopt);
  }
  EXPECT_THAT(*RefuseUnenforced(WithCpus(500), kNothing, {}), HasSubstr("a limit of 0.5 CPUs"));
  EXPECT_EQ(RefuseUnenforced(WithCpus(2000), kNothing, {}), std::nullopt) << "affinity holds those";
}

TEST(RefuseUnenforced, RefusesAFileQuotaForWhatCannotCount) {
  policy::Request command = WithFileOperations(policy::Lang::kPython);
  command.command = {"ls"};
  for (const policy::Request& request : {WithFileOperations(policy::Lang::kBash),
                                         WithFileOperations(policy::Lang::kJavaScript), command}) {
    const auto refusal = RefuseUnenforced(request, WithCpu(), {});
    ASSERT_TRUE(refusal);
    EXPECT_THAT(*refusal, HasSubstr("--allow-unenforced file_operations"));
    EXPECT_EQ(RefuseUnenforced(request, WithCpu(), {"file_operations"}), std::nullopt);
  }
  EXPECT_EQ(RefuseUnenforced(WithFileOperations(policy::Lang::kPython), kNothing, {}),
            std::nullopt);
}

TEST(RefuseUnenforced, AcceptsOnlyTheLimitThatWasNamed) {
  EXPECT_EQ(RefuseUnenforced(WithCpus(500), kNothing, {"cpus"}), std::nullopt);
  EXPECT_NE(RefuseUnenforced(WithCpus(500), kNothing, {"file_operations"}), std::nullopt);
  policy::Request both = WithFileOperations(policy::Lang::kBash);
  both.limits.cpu_millis = 500;
  EXPECT_NE(RefuseUnenforced(both, kNothing, {"cpus"}), std::nullopt);
  EXPECT_EQ(RefuseUnenforced(both, kNothing, KnownUnenforced()), std::nullopt);
}

TEST(LimitLayers, NameTheTreeThatServesEachNeed) {
  monitor::CgroupSupport support;
  support.memory = CgroupBy::kV1;
  support.processes = CgroupBy::kV2;
  support.cpu_usage = CgroupBy::kV2;
  EXPECT_EQ(Layer(support, "memory"), "cgroup v1");
  EXPECT_EQ(Layer(support, "processes"), "cgroup v2");
  EXPECT_EQ(Layer(support, "cpu_time"), "cgroup v2");
  EXPECT_EQ(Layer(support, "cpus"), "CPU affinity (whole CPUs)");
}

TEST(LimitLayers, SayHowEveryLimitIsHeldWithoutGroups) {
  for (const char* limit : {"wall", "cpu_time", "memory", "cpus", "processes", "output",
                            "workspace", "open_files", "file_size", "file_operations"}) {
    EXPECT_NE(Layer(kNothing, limit), "") << limit;
    EXPECT_THAT(Layer(kNothing, limit), testing::Not(HasSubstr("cgroup"))) << limit;
  }
}

}  // namespace
}  // namespace belljar::engine
