#include "cell/oci/host/bundle.h"

#include <gtest/gtest.h>

namespace belljar::cell::oci {
namespace {

json::object ConfigOf(const BundlePlan& plan) { return ContainerConfig(CellSpec{}, plan); }

const json::object* MountAt(const json::object& config, std::string_view destination) {
  for (const json::value& mount : config.at("mounts").as_array()) {
    if (mount.at("destination").as_string() == destination) return &mount.as_object();
  }
  return nullptr;
}

bool Has(const json::object& mount, std::string_view option) {
  for (const json::value& has : mount.at("options").as_array()) {
    if (has.as_string() == option) return true;
  }
  return false;
}

BundlePlan PlanWithVaults() {
  BundlePlan plan;
  plan.place = "/keep";
  plan.command = {"/.belljar/belljar-shim", "7", "-"};
  plan.vaults = {"data", "notes"};
  plan.read_only_vaults = 1;
  return plan;
}

TEST(ContainerConfig, HasARootThatNobodyCanWrite) {
  const json::object config = ConfigOf(PlanWithVaults());
  EXPECT_EQ(config.at("root").at("path"), "/keep/rootfs");
  EXPECT_TRUE(config.at("root").at("readonly").as_bool());
  EXPECT_TRUE(Has(*MountAt(config, "/.belljar"), "ro"));
}

TEST(ContainerConfig, GivesNoNetworkAndNoNewPrivileges) {
  const json::object config = ConfigOf(PlanWithVaults());
  EXPECT_TRUE(config.at("process").at("noNewPrivileges").as_bool());
  bool own_network = false;
  for (const json::value& space : config.at("linux").at("namespaces").as_array()) {
    own_network = own_network || space.at("type") == "network";
    EXPECT_FALSE(space.as_object().contains("path")) << "a namespace of somebody else's";
  }
  EXPECT_TRUE(own_network);
}

TEST(ContainerConfig, LeavesProcessOneOnlyWhatItNeeds) {
  BundlePlan plan = PlanWithVaults();
  const json::object rights = ConfigOf(plan).at("process").at("capabilities").as_object();
  EXPECT_EQ(json::serialize(rights.at("effective")), R"(["CAP_SETUID","CAP_SETGID","CAP_KILL"])");
  EXPECT_TRUE(rights.at("inheritable").as_array().empty());
  plan.guest_is_root = true;
  EXPECT_TRUE(ConfigOf(plan).at("process").at("capabilities").at("effective").as_array().empty());
}

TEST(ContainerConfig, ShowsArtefactsToBeReadAndNotRun) {
  CellSpec spec;
  EXPECT_EQ(MountAt(ContainerConfig(spec, PlanWithVaults()), "/artefacts"), nullptr);
  spec.artefacts.push_back({"iris", "/store/objects/1/content", nullptr});
  const json::object config = ContainerConfig(spec, PlanWithVaults());
  for (const char* const place : {"/artefacts", "/artefacts/iris"}) {
    const json::object* const mount = MountAt(config, place);
    ASSERT_NE(mount, nullptr) << place;
    for (const char* const option : {"ro", "nosuid", "nodev", "noexec"}) {
      EXPECT_TRUE(Has(*mount, option)) << place << " " << option;
    }
  }
  // The source is the keeper's view, never the path in the store.
  EXPECT_EQ(MountAt(config, "/artefacts/iris")->at("source"), "/keep/cell/artefacts/iris");
}

TEST(ContainerConfig, MountsEachVaultAsItIsAllowed) {
  const json::object config = ConfigOf(PlanWithVaults());
  EXPECT_TRUE(Has(*MountAt(config, "/vault/data"), "ro"));
  EXPECT_TRUE(Has(*MountAt(config, "/vault/notes"), "rw"));
  for (const char* place : {"/vault/data", "/vault/notes", "/workspace", "/tmp"}) {
    EXPECT_TRUE(Has(*MountAt(config, place), "nosuid") && Has(*MountAt(config, place), "nodev"));
  }
}

TEST(ContainerConfig, TheToolsSocketLiesWhereTheGuestCannotReplaceIt) {
  CellSpec spec;
  EXPECT_EQ(MountAt(ContainerConfig(spec, PlanWithVaults()), "/run/belljar"), nullptr);
  spec.listeners = {CellListener::kTools};
  const json::object config = ContainerConfig(spec, PlanWithVaults());
  const json::object* const place = MountAt(config, "/run/belljar");
  ASSERT_NE(place, nullptr);
  EXPECT_EQ(place->at("type"), "tmpfs");
  EXPECT_TRUE(Has(*place, "mode=755"));
}

}  // namespace
}  // namespace belljar::cell::oci
