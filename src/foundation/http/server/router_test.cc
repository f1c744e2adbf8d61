#include "foundation/http/server/router.h"

#include <gtest/gtest.h>

namespace belljar::http::server {
namespace {

const Handler kNothing = [](Exchange) {};

Route To(const std::string& scope) { return {.scope = scope, .handler = kNothing}; }

Router Sample() {
  Router router;
  EXPECT_TRUE(router.Add("GET", "/", To("root")));
  EXPECT_TRUE(router.Add("GET", "/v1/sessions", To("list")));
  EXPECT_TRUE(router.Add("POST", "/v1/sessions", To("create")));
  EXPECT_TRUE(router.Add("GET", "/v1/sessions/{id}", To("show")));
  EXPECT_TRUE(router.Add("GET", "/v1/sessions/new", To("new")));
  EXPECT_TRUE(router.Add("GET", "/v1/sessions/{id}/files", To("tree")));
  EXPECT_TRUE(router.Add("GET", "/v1/sessions/{id}/files/{path...}", To("file")));
  return router;
}

std::string ScopeAt(const Router& router, const std::vector<std::string>& segments) {
  const auto found = router.Find("GET", segments);
  if (const auto* match = std::get_if<Match>(&found)) return match->route->scope;
  return std::to_string(std::get<Response>(found).status);
}

TEST(HttpRouter, FindsTheMostLiteralPattern) {
  const Router router = Sample();
  EXPECT_EQ(ScopeAt(router, {}), "root");
  EXPECT_EQ(ScopeAt(router, {"v1", "sessions"}), "list");
  EXPECT_EQ(ScopeAt(router, {"v1", "sessions", "s1"}), "show");
  EXPECT_EQ(ScopeAt(router, {"v1", "sessions", "new"}), "new");
  EXPECT_EQ(ScopeAt(router, {"v1", "sessions", "new", "files"}), "tree") << "new is an id, too";
  EXPECT_EQ(ScopeAt(router, {"v1"}), "404");
  EXPECT_EQ(ScopeAt(router, {"v1", "sessions", "s1", "nothing"}), "404");
}

TEST(HttpRouter, NamesTheParts) {
  const Router router = Sample();
  const auto found = router.Find("GET", {"v1", "sessions", "s1", "files", "a", "b.txt"});
  const Match& match = std::get<Match>(found);
  EXPECT_EQ(match.pattern, "/v1/sessions/{id}/files/{path...}");
  EXPECT_EQ(match.params, (std::map<std::string, std::string>{{"id", "s1"}, {"path", "a/b.txt"}}));
}

TEST(HttpRouter, AllowsWhatItKnowsOfAPath) {
  const Router router = Sample();
  const auto found = router.Find("DELETE", {"v1", "sessions"});
  const Response& refusal = std::get<Response>(found);
  EXPECT_EQ(refusal.status, 405u);
  EXPECT_EQ(refusal.headers.Find("Allow"), "GET, POST, HEAD");
}

TEST(HttpRouter, TellsItsRoutes) {
  Router router;
  EXPECT_TRUE(router.Add("GET", "/a/{name}", To("x")));
  EXPECT_FALSE(router.Add("GET", "/a/{name}", To("x"))) << "a refused one is none";
  EXPECT_TRUE(router.Add("DELETE", "/a/{name}", To("x")));
  EXPECT_EQ(router.routes(), (std::vector<std::pair<std::string, std::string>>{
                                 {"GET", "/a/{name}"}, {"DELETE", "/a/{name}"}}));
}

TEST(HttpRouter, RefusesPatternsThatCannotBe) {
  Router router = Sample();
  EXPECT_FALSE(router.Add("GET", "/v1/sessions", To("again"))) << "taken";
  EXPECT_FALSE(router.Add("GET", "/v1/sessions/{name}", To("x"))) << "another name";
  EXPECT_FALSE(router.Add("GET", "/{a...}/b", To("x"))) << "a tail that is not last";
  EXPECT_FALSE(router.Add("GET", "/{}", To("x")));
  EXPECT_FALSE(router.Add("GET", "/{a", To("x")));
  EXPECT_FALSE(router.Add("GET", "/a//b", To("x")));
  EXPECT_FALSE(router.Add("GET", "a", To("x")));
  EXPECT_FALSE(router.Add("GET", "/open", To(""))) << "no scope";
  EXPECT_FALSE(router.Add("GET", "/idle", Route{.scope = "x", .handler = {}}));
}

}  // namespace
}  // namespace belljar::http::server
