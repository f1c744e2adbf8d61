#include "cell/native/host/outside_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace belljar::cell::native {
namespace {

using testing::HasSubstr;

// The checked lines of a sealed guest's /proc/PID/status, in the kernel's order and format.
std::string Sealed() {
  return "Name:\tpython3\n"
         "Umask:\t0022\n"
         "State:\tS (sleeping)\n"
         "Pid:\t4711\n"
         "Uid:\t1879048195\t1879048195\t1879048195\t1879048195\n"
         "Gid:\t1879048195\t1879048195\t1879048195\t1879048195\n"
         "Groups:\t \n"
         "CapInh:\t0000000000000000\n"
         "CapPrm:\t0000000000000000\n"
         "CapEff:\t0000000000000000\n"
         "CapBnd:\t0000000000000000\n"
         "CapAmb:\t0000000000000000\n"
         "NoNewPrivs:\t1\n"
         "Seccomp:\t2\n"
         "Seccomp_filters:\t2\n"
         "Speculation_Store_Bypass:\tvulnerable\n";
}

GuestOrder OrderOf(Identity identity) {
  GuestOrder order{};
  order.identity = identity;
  order.uid = 1879048195;
  return order;
}

// Sealed(), with one line's value replaced; the line is left out if `value` is null.
std::string With(const std::string& field, const char* value) {
  std::string text = Sealed();
  const std::size_t line = text.find("\n" + field + ":\t") + 1;
  const std::size_t end = text.find('\n', line) + 1;
  return text.replace(line, end - line, value == nullptr ? "" : field + ":\t" + value + "\n");
}

std::string Complaint(const std::string& status, Identity identity = Identity::kSlotUid) {
  const Result<> result = CheckStatusText(status, OrderOf(identity));
  return result ? "" : result.error().message();
}

TEST(CheckStatusText, AcceptsASealedGuest) {
  EXPECT_EQ(Complaint(Sealed()), "");
  EXPECT_EQ(Complaint(Sealed(), Identity::kNestedUser), "");
  EXPECT_EQ(Complaint(With("Seccomp_filters", "12")), "");
}

TEST(CheckStatusText, NamesTheCapabilitySetThatIsNotEmpty) {
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}) {
    for (const Identity identity : {Identity::kSlotUid, Identity::kNestedUser}) {
      EXPECT_EQ(Complaint(With(set, "0000000000000001"), identity),
                std::string("the guest is not sealed: ") + set + " is \"0000000000000001\"");
      EXPECT_THAT(Complaint(With(set, nullptr), identity), HasSubstr(set));
    }
  }
}

TEST(CheckStatusText, NamesMissingNoNewPrivileges) {
  EXPECT_THAT(Complaint(With("NoNewPrivs", "0")), HasSubstr("NoNewPrivs is \"0\""));
  EXPECT_THAT(Complaint(With("NoNewPrivs", nullptr)), HasSubstr("NoNewPrivs is \"\""));
}

TEST(CheckStatusText, NamesAMissingFilter) {
  EXPECT_THAT(Complaint(With("Seccomp", "0")), HasSubstr("Seccomp is \"0\""));
  EXPECT_THAT(Complaint(With("Seccomp", "1")), HasSubstr("Seccomp is \"1\"")) << "strict mode";
  EXPECT_THAT(Complaint(With("Seccomp", nullptr)), HasSubstr("Seccomp is"));
}

TEST(CheckStatusText, WantsBothFiltersWhereTheKernelCountsThem) {
  EXPECT_THAT(Complaint(With("Seccomp_filters", "1")), HasSubstr("Seccomp_filters is \"1\""));
  EXPECT_THAT(Complaint(With("Seccomp_filters", "0")), HasSubstr("Seccomp_filters is \"0\""));
  EXPECT_EQ(Complaint(With("Seccomp_filters", nullptr)), "") << "kernels before 5.11 do not";
}

TEST(CheckStatusText, NamesAForeignUserOrGroup) {
  for (const char* field : {"Uid", "Gid"}) {
    for (const char* ids : {"0\t0\t0\t0", "1879048195\t1879048195\t0\t1879048195",
                            "1879048196\t1879048196\t1879048196\t1879048196"}) {
      EXPECT_THAT(Complaint(With(field, ids)), HasSubstr(std::string(field) + " is \"" + ids));
    }
    EXPECT_THAT(Complaint(With(field, nullptr)), HasSubstr(field));
  }
  EXPECT_THAT(Complaint(With("Groups", "0 27 ")), HasSubstr("Groups is \"0 27 \""));
}

// Seen from outside, a guest in a user namespace of its own has the ids of the caller.
TEST(CheckStatusText, LeavesTheIdsOfANestedUserToTheKernel) {
  EXPECT_EQ(Complaint(With("Uid", "1000\t1000\t1000\t1000"), Identity::kNestedUser), "");
}

TEST(CheckStatusText, IsNotFooledByANameThatLooksLikeALine) {
  // The kernel writes a newline in a name as "\n", two characters.
  std::string text = With("Seccomp", "0");
  text.replace(text.find("python3"), 7, "\\nSeccomp:\t2");
  EXPECT_THAT(Complaint(text), HasSubstr("Seccomp is \"0\""));
}

TEST(CheckStatusText, RefusesAnEmptyStatus) { EXPECT_NE(Complaint(""), ""); }

TEST(CheckFromOutside, FindsThatTheTestItselfIsNotSealed) {
  const Result<> result = CheckFromOutside(::getpid(), OrderOf(Identity::kNestedUser));
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message(), HasSubstr("the guest is not sealed"));
}

}  // namespace
}  // namespace belljar::cell::native
