#include "run/asking.h"

#include <gtest/gtest.h>

namespace belljar::run {
namespace {

request::Request Eval() {
  request::Request request;
  request.code = "print(eval('6*7'))";
  request.stdin_bytes = "in";
  request.args = {"a"};
  return request;
}

TEST(DigestOf, IsTheSameWhoeverAsksWhyAndUnderWhichName) {
  const judgement::policy::Policy terms;
  const std::string digest = DigestOf(Eval(), terms);
  for (std::string request::Request::*const said :
       {&request::Request::id, &request::Request::correlation_id, &request::Request::reason,
        &request::Request::session}) {
    request::Request request = Eval();
    request.*said = "something";
    EXPECT_EQ(DigestOf(request, terms), digest);
  }
}

TEST(DigestOf, ChangesWithWhatIsRun) {
  const judgement::policy::Policy terms;
  const std::string digest = DigestOf(Eval(), terms);
  request::Request request = Eval();
  request.code += " ";
  EXPECT_NE(DigestOf(request, terms), digest);
  request = Eval();
  request.args = {"b"};
  EXPECT_NE(DigestOf(request, terms), digest);
}

}  // namespace
}  // namespace belljar::run
