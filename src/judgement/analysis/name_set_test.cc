#include "judgement/analysis/name_set.h"

#include <gtest/gtest.h>

#include <string>

namespace belljar::judgement::analysis {
namespace {

TEST(NameSet, HasWhatItWasMadeOf) {
  const std::string longest(200, 'x');
  const std::string_view names[] = {"os", "os.path", "", longest, "\xC3\xA9t\xC3\xA9", "C"};
  const NameSet set(std::begin(names), std::end(names));
  for (const std::string_view name : names) EXPECT_TRUE(set.contains(name)) << name;
}

TEST(NameSet, HasNothingElse) {
  const NameSet set = {"os", "os.path", "socket"};
  const std::string longer(200, 's');
  // In order: same letter and length as a member, same letter, same length, a letter that shares a
  // bucket with a member's, no letter at all, and a long name.
  for (const std::string_view name :
       {"ok", "os.pat", "os.path.", "packet", "\xEFs", "s", "", longer.c_str()}) {
    EXPECT_FALSE(set.contains(name)) << name;
  }
  EXPECT_FALSE(NameSet({}).contains(""));
}

}  // namespace
}  // namespace belljar::judgement::analysis
