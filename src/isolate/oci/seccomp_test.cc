#include "isolate/oci/seccomp.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "isolate/native/filter_rules.h"

namespace belljar::isolate {
namespace {

using Actions = std::map<std::string, std::set<std::string>>;

// What the profile does with each call, under any condition; "always" beside it where there is
// none.
Actions ActionsOf(GuestMemory memory) {
  Actions actions;
  const json::object profile = SeccompProfile({memory, Addresses::kRandom});
  for (const json::value& rule : profile.at("syscalls").as_array()) {
    const json::object& parts = rule.as_object();
    const std::string name(parts.at("names").as_array().at(0).as_string());
    actions[name].insert(std::string(parts.at("action").as_string()));
    if (!parts.contains("args")) actions[name].insert("always");
  }
  return actions;
}

using Words = std::set<std::string>;

TEST(SeccompProfile, AnswersWhatItDoesNotKnowAsAKernelThatDoesNotHaveIt) {
  const json::object profile = SeccompProfile({});
  EXPECT_EQ(profile.at("defaultAction"), "SCMP_ACT_ERRNO");
  EXPECT_EQ(profile.at("defaultErrnoRet"), ENOSYS);
}

TEST(SeccompProfile, RefusesWhatNativeCellsRefuseWhateverTheArguments) {
  const Actions actions = ActionsOf(GuestMemory::kJit);
  for (const char* name : kDenied) {
    EXPECT_EQ(actions.at(name), (Words{"SCMP_ACT_ERRNO", "always"})) << name;
  }
  for (const char* name : kOnlyForBuilding) {
    EXPECT_EQ(actions.at(name), (Words{"SCMP_ACT_ERRNO", "always"})) << name;
  }
  for (const char* name : kKilled) {
    EXPECT_EQ(actions.at(name), (Words{"SCMP_ACT_KILL_PROCESS", "always"})) << name;
  }
}

TEST(SeccompProfile, AnswersAsDoneWhatNativeCellsAnswerSo) {
  const json::object profile = SeccompProfile({});
  std::set<std::string> done;
  for (const json::value& rule : profile.at("syscalls").as_array()) {
    const json::value* const error = rule.as_object().if_contains("errnoRet");
    if (error == nullptr || *error != 0) continue;
    EXPECT_EQ(rule.at("action"), "SCMP_ACT_ERRNO");
    done.emplace(rule.at("names").as_array().at(0).as_string());
  }
  EXPECT_EQ(done, std::set<std::string>(std::begin(kDone), std::end(kDone)));
}

// libseccomp drops rules with conditions where there is one without.
TEST(SeccompProfile, AllowsNoCallWithoutConditionsThatHasSome) {
  for (const auto& [name, words] : ActionsOf(GuestMemory::kStrict)) {
    EXPECT_FALSE(words.contains("always") && words.size() > 2) << name;
  }
  const Actions strict = ActionsOf(GuestMemory::kStrict);
  for (const char* name : {"clone", "fcntl", "socket", "prctl", "ioctl", "mmap", "mprotect",
                           "setsockopt", "personality", "prlimit64"}) {
    EXPECT_FALSE(strict.at(name).contains("always")) << name;
  }
  EXPECT_FALSE(strict.contains("clone3"));
  EXPECT_TRUE(ActionsOf(GuestMemory::kJit).at("mmap").contains("always"));
}

TEST(SeccompProfile, AllowsNothingThatNativeCellsDoNot) {
  Words known(std::begin(kAllowed), std::end(kAllowed));
  known.insert({"socket", "socketpair", "prctl", "personality", "arch_prctl", "ioctl"});
  for (const auto& [name, words] : ActionsOf(GuestMemory::kJit)) {
    EXPECT_TRUE(!words.contains("SCMP_ACT_ALLOW") || known.contains(name)) << name;
  }
}

}  // namespace
}  // namespace belljar::isolate
