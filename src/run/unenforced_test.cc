#include "run/unenforced.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belljar::run {
namespace {

using cell::limits::CgroupBy;
using testing::HasSubstr;

const cell::limits::CgroupSupport kNothing;

cell::limits::CgroupSupport WithCpu() {
  cell::limits::CgroupSupport support;
  support.cpu = CgroupBy::kV1;
  return support;
}

std::optional<std::string> RefuseUnenforced(const request::Request& request,
                                            const cell::limits::CgroupSupport& support,
                                            const std::set<std::string>& allowed) {
  const auto backend = request.backend.value_or(request::BackendKind::kNative);
  return run::RefuseUnenforced(request, backend, support, allowed);
}

request::Request WithCpus(std::uint32_t cpu_millis) {
  request::Request request;
  request.limits.cpu_millis = cpu_millis;
  return request;
}

request::Request WithFileOperations(request::Lang lang) {
  request::Request request;
  request.lang = lang;
  request.limits.file_operations = 10;
  return request;
}

std::string Layer(const cell::limits::CgroupSupport& support, const std::string& limit) {
  for (const LimitLayer& layer : LimitLayers(support)) {
    if (layer.limit == limit) return layer.by;
  }
  return "";
}

TEST(RefuseUnenforced, LetsTheDefaultsPassOnAnyMachine) {
  request::Request request;
  for (const auto lang :
       {request::Lang::kPython, request::Lang::kJavaScript, request::Lang::kBash}) {
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
  request::Request command = WithFileOperations(request::Lang::kPython);
  command.command = {"ls"};
  for (const request::Request& request :
       {WithFileOperations(request::Lang::kBash), WithFileOperations(request::Lang::kJavaScript),
        command}) {
    const auto refusal = RefuseUnenforced(request, WithCpu(), {});
    ASSERT_TRUE(refusal);
    EXPECT_THAT(*refusal, HasSubstr("--allow-unenforced file_operations"));
    EXPECT_EQ(RefuseUnenforced(request, WithCpu(), {"file_operations"}), std::nullopt);
  }
  EXPECT_EQ(RefuseUnenforced(WithFileOperations(request::Lang::kPython), kNothing, {}),
            std::nullopt);
}

TEST(RefuseUnenforced, AcceptsOnlyTheLimitThatWasNamed) {
  EXPECT_EQ(RefuseUnenforced(WithCpus(500), kNothing, {"cpus"}), std::nullopt);
  EXPECT_NE(RefuseUnenforced(WithCpus(500), kNothing, {"file_operations"}), std::nullopt);
  request::Request both = WithFileOperations(request::Lang::kBash);
  both.limits.cpu_millis = 500;
  EXPECT_NE(RefuseUnenforced(both, kNothing, {"cpus"}), std::nullopt);
  EXPECT_EQ(RefuseUnenforced(both, kNothing, KnownUnenforced()), std::nullopt);
}

TEST(LimitLayers, NameTheTreeThatServesEachNeed) {
  cell::limits::CgroupSupport support;
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
}  // namespace belljar::run
