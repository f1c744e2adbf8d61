#include "judgement/policy/policy_text.h"

#include <gtest/gtest.h>

namespace belljar::judgement::policy {
namespace {

// Parses the policy's text and expects the same terms; the source text itself may differ.
void ExpectReadsBack(Policy policy) {
  auto again = ParsePolicy(PolicyText(policy), policy.name);
  ASSERT_TRUE(again) << again.error().message() << "\n" << PolicyText(policy);
  policy.content = again->content;
  policy.text = again->text;
  policy.own_examples.clear();
  EXPECT_TRUE(*again == policy) << PolicyText(policy) << "\n---\n" << PolicyText(*again);
}

TEST(PolicyText, OfAPresetReadsBack) {
  for (const std::string_view name : request::kLevels) ExpectReadsBack(**Preset(name));
}

TEST(PolicyText, HasEveryTermOfAFile) {
  const auto policy = ParsePolicy(R"(
extends = "standard"
description = "with \"quotes\", a \\ and a \t"
backend = "gvisor"
[rules]
py-eval = "allow"
[ask]
timeout = "1500ms"
memory = "1500K"
[recovery]
on = ["exception"]
fallback = true
alert = ["log"]
[callers.robot.recovery]
on = ["timeout"]
review = true
[network]
hosts = ["*.example.com"]
methods = ["GET"]
max_requests = 7
[secrets.API_KEY]
host = "api.example.com"
header = "Authorization"
from_env = "REAL_API_KEY"
scheme = "https"
[artefacts]
allow = ["imagenet-*"]
[tools.github]
command = ["github-mcp-server", "stdio"]
env = { A = "b" }
allow = ["search_*"]
ask = ["create_*"]
timeout = "5s"
[[tools.github.rules]]
tool = "create_*"
argument = "owner"
in = ["me"]
[databases.sales]
postgres = "env:SALES"
role = "reader"
write = "ask"
write_role = "writer"
max_rows = 5
[python]
allowed = ["lxml"]
guard = false
[modules.python]
lxml = { files = true, network = true, memory = true, note = "reads XML" }
)",
                                  "mine");
  ASSERT_TRUE(policy) << policy.error().message();
  ExpectReadsBack(*policy);
}

}  // namespace
}  // namespace belljar::judgement::policy
