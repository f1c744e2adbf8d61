#include "cell/docker/container_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cell/docker/engine_api.h"

namespace belljar::cell::docker {
namespace {

using testing::HasSubstr;

CellSpec SpecWith(std::vector<VaultSpec> vaults) {
  CellSpec spec;
  spec.limits.memory_bytes = 64 * request::kMiB;
  spec.limits.processes = 10;
  spec.limits.workspace_bytes = 1 * request::kMiB;
  spec.vaults = std::move(vaults);
  return spec;
}

json::value BodyOf(const CellSpec& spec, const DockerOptions& options = {}) {
  ContainerPlan plan;
  plan.image = "belljar/image:x";
  plan.command = {"/.belljar/belljar-shim", "7", "-"};
  plan.uid = 7;
  plan.process = "1.2.3";
  plan.name = "belljar-1";
  return CreateBody(spec, plan, options);
}

TEST(ContainerPlan, BindsArtefactsToBeRead) {
  CellSpec spec = SpecWith({});
  const std::size_t before = BodyOf(spec).at_pointer("/HostConfig/Mounts").as_array().size();
  spec.artefacts.push_back({"iris", "/store/objects/1/content", nullptr});
  const json::value body = BodyOf(spec);
  const json::array& mounts = body.at_pointer("/HostConfig/Mounts").as_array();
  ASSERT_EQ(mounts.size(), before + 1);
  EXPECT_EQ(TextAt(mounts.back(), "/Type"), "bind");
  EXPECT_EQ(TextAt(mounts.back(), "/Source"), "/store/objects/1/content");
  EXPECT_EQ(TextAt(mounts.back(), "/Target"), "/artefacts/iris");
  EXPECT_TRUE(mounts.back().at("ReadOnly").as_bool());
}

TEST(ContainerPlan, HasEveryWall) {
  DockerOptions options;
  options.owner = "me";
  const json::value body = BodyOf(SpecWith({}), options);
  EXPECT_EQ(TextAt(body, "/HostConfig/Runtime"), "runsc");
  EXPECT_EQ(TextAt(body, "/HostConfig/NetworkMode"), "none");
  EXPECT_TRUE(body.at_pointer("/HostConfig/ReadonlyRootfs").as_bool());
  EXPECT_TRUE(body.at_pointer("/HostConfig/AutoRemove").as_bool());
  EXPECT_EQ(TextAt(body, "/HostConfig/CapDrop/0"), "ALL");
  EXPECT_EQ(TextAt(body, "/HostConfig/SecurityOpt/0"), "no-new-privileges");
  EXPECT_EQ(body.at_pointer("/HostConfig/PidsLimit").to_number<int>(), 202);
  EXPECT_EQ(body.at_pointer("/HostConfig/Memory").to_number<int>(), 64 << 20);
  EXPECT_EQ(body.at_pointer("/HostConfig/MemorySwap").to_number<int>(), 64 << 20);
  EXPECT_EQ(TextAt(body, "/Labels/belljar.owner"), "me");
  EXPECT_EQ(TextAt(body, "/Labels/belljar.process"), "1.2.3");
  EXPECT_EQ(TextAt(body, "/HostConfig/Mounts/0/Target"), "/workspace");
  EXPECT_THAT(TextAt(body, "/HostConfig/Mounts/0/VolumeOptions/DriverConfig/Options/o"),
              HasSubstr("mode=0755,uid=7,gid=7,size=1048576,nr_inodes=16385"));
}

TEST(ContainerPlan, TheToolsSocketLiesWhereTheGuestCannotReplaceIt) {
  CellSpec spec = SpecWith({});
  EXPECT_TRUE(BodyOf(spec).at_pointer("/HostConfig/Tmpfs").as_object().empty());
  spec.listeners = {CellListener::kTools};
  EXPECT_THAT(TextAt(BodyOf(spec), "/HostConfig/Tmpfs/~1run~1belljar"), HasSubstr("mode=755"));
}

TEST(ContainerPlan, AQuotaIsACeiling) {
  CellSpec spec = SpecWith({});
  const std::tuple<std::uint32_t, std::uint64_t, std::uint64_t, int> quotas[] = {
      {500, 100'000, 0, 50'000},      {500, 10'000, 0, 5'000}, {2'000, 100'000, 30'000, 30'000},
      {100, 100'000, 30'000, 10'000}, {1, 10'000, 0, 1'000},
  };
  for (const auto& [millis, period, ceiling, quota] : quotas) {
    spec.limits.cpu_millis = millis;
    DockerOptions options;
    options.cpu_period_us = period;
    options.cpu_quota_us = ceiling;
    const json::value body = BodyOf(spec, options);
    EXPECT_EQ(body.at_pointer("/HostConfig/CpuQuota").to_number<int>(), quota);
  }
}

TEST(ContainerPlan, AVaultToReadIsAVolumeWithAName) {
  const CellSpec spec =
      SpecWith({{"mine", request::VaultMode::kReadWrite}, {"kept", request::VaultMode::kReadOnly}});
  const json::value body = BodyOf(spec);
  EXPECT_EQ(TextAt(body, "/HostConfig/Mounts/4/Target"), "/vault/mine");
  EXPECT_EQ(TextAt(body, "/HostConfig/Mounts/4/Source"), "");
  EXPECT_EQ(TextAt(body, "/HostConfig/Mounts/5/Target"), "/vault/kept");
  EXPECT_EQ(TextAt(body, "/HostConfig/Mounts/5/Source"), "belljar-1.vault.kept");
  EXPECT_TRUE(body.at_pointer("/HostConfig/Mounts/5/ReadOnly").as_bool());
  EXPECT_FALSE(body.at_pointer("/HostConfig/AutoRemove").as_bool());
  ContainerPlan plan;
  plan.name = "belljar-1";
  const auto volumes = NamedVolumes(spec, plan, {});
  ASSERT_EQ(volumes.size(), 1U);
  EXPECT_EQ(TextAt(json::value(volumes[0]), "/Name"), "belljar-1.vault.kept");
}

TEST(ContainerPlan, ForPodmanEveryVolumeHasAName) {
  ContainerPlan plan;
  plan.name = "belljar-1";
  plan.volumes = ContainerPlan::Volumes::kNamed;
  const CellSpec spec = SpecWith({});
  EXPECT_EQ(NamedVolumes(spec, plan, {}).size(), 4U);
  const json::value body = CreateBody(spec, plan, {});
  EXPECT_EQ(TextAt(body, "/HostConfig/Mounts/0/Source"), "belljar-1.workspace");
  EXPECT_FALSE(body.at_pointer("/HostConfig/Mounts/0/ReadOnly").as_bool());
  EXPECT_FALSE(body.at_pointer("/HostConfig/AutoRemove").as_bool());
}

}  // namespace
}  // namespace belljar::cell::docker
