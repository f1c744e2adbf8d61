#include "cell/limits/cgroup_strays.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cell/limits/cgroup_fake.h"
#include "foundation/base/sys.h"

namespace belljar::cell::limits {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<std::string> PathsOf(const FakeCgroups& fake, Groups what) {
  std::vector<std::string> paths;
  for (const StrayGroup& stray : FindStrayGroups(fake, fake.root(), what)) {
    EXPECT_EQ(stray.trouble, "");
    paths.push_back(stray.path.substr(fake.root().size()));
  }
  return paths;
}

class StrayGroups : public testing::Test {
 protected:
  StrayGroups() {
    fake_.MountV2("unified", "/app", "");
    fake_.MountV1("memory", "/app", "memory");
    fake_.Put("unified/old.service/belljar-999999999/cgroup.procs", "");
    fake_.Put("memory/app/belljar-999999999/cell/cgroup.procs", "");
    fake_.Put("memory/app/belljar-1/cgroup.procs", "");
    fake_.Put("memory/app/belljar-mine/cgroup.procs", "");
  }
  FakeCgroups fake_;
};

TEST_F(StrayGroups, AreFoundInEveryHierarchyWhereverTheyAre) {
  EXPECT_THAT(PathsOf(fake_, Groups::kList),
              UnorderedElementsAre("/unified/old.service/belljar-999999999",
                                   "/memory/app/belljar-999999999"));
  EXPECT_THAT(fake_.GroupsAt("unified/old.service"), ElementsAre("belljar-999999999"));
}

TEST_F(StrayGroups, AreRemovedWithTheirCellsAndNothingElseIs) {
  EXPECT_THAT(PathsOf(fake_, Groups::kRemove), testing::SizeIs(2));
  EXPECT_THAT(fake_.GroupsAt("unified/old.service"), IsEmpty());
  EXPECT_THAT(fake_.GroupsAt("memory/app"), ElementsAre("belljar-1", "belljar-mine"));
  EXPECT_THAT(PathsOf(fake_, Groups::kList), IsEmpty());
}

TEST_F(StrayGroups, WhoseOwnerHoldsThemStay) {
  const auto held = Open(fake_.root() + "/memory/app/belljar-999999999", O_RDONLY | O_DIRECTORY);
  ASSERT_TRUE(held);
  ASSERT_TRUE(LockBase(*held));
  EXPECT_THAT(PathsOf(fake_, Groups::kRemove),
              ElementsAre("/unified/old.service/belljar-999999999"));
}

}  // namespace
}  // namespace belljar::cell::limits
