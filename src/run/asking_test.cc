#include "engine/asking.h"

#include <gtest/gtest.h>

namespace belljar::engine {
namespace {

policy::Request Eval() {
  policy::Request request;
  request.code = "print(eval('6*7'))";
  request.stdin_bytes = "in";
  request.args = {"a"};
  return request;
}

TEST(DigestOf, IsTheSameWhoeverAsksWhyAndUnderWhichName) {
  const policy::Policy terms;
  const std::string digest = DigestOf(Eval(), terms);
  for (std::string policy::Request::*const said :
       {&policy::Request::id, &policy::Request::correlation_id, &policy::Request::reason,
        &policy::Request::session}) {
    policy::Request request = Eval();
    request.*said = "something";
    EXPECT_EQ(DigestOf(request, terms), digest);
  }
}

TEST(DigestOf, ChangesWithWhatIsRun) {
  const policy::Policy terms;
  const std::string digest = DigestOf(Eval(), terms);
  policy::Request request = Eval();
  request.code += " ";
  EXPECT_NE(DigestOf(request, terms), digest);
  request = Eval();
  request.args = {"b"};
  EXPECT_NE(DigestOf(request, terms), digest);
}

}  // namespace
}  // namespace belljar::engine
