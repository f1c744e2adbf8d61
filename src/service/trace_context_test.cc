#include "service/trace_context.h"

#include <gtest/gtest.h>

namespace belljar::service {
namespace {

constexpr std::string_view kTrace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

TEST(TraceContext, AreTheCallersTwoHeaders) {
  http::server::Headers headers;
  headers.Add("x-correlation-id", "c-1");
  headers.Add("Traceparent", std::string(kTrace));
  const TraceContext marks = TraceContextOf(headers);
  EXPECT_EQ(marks.correlation_id, "c-1");
  EXPECT_EQ(marks.traceparent, kTrace);
}

TEST(TraceContext, ThatCannotBeKeptAreLeftOut) {
  http::server::Headers headers;
  headers.Add("X-Correlation-Id", std::string(257, 'c'));
  headers.Add("traceparent", "00-0-0-01");
  EXPECT_EQ(TraceContextOf(headers).correlation_id, "");
  EXPECT_EQ(TraceContextOf(headers).traceparent, "");
  http::server::Headers torn;
  torn.Add("X-Correlation-Id", "\xff");
  EXPECT_EQ(TraceContextOf(torn).correlation_id, "") << "no record could hold it";
}

TEST(TraceContext, AreAddedWhereThereAreAny) {
  EXPECT_EQ(json::serialize(WithTraceContext({{"id", 1}}, "", "")), R"({"id":1})");
  EXPECT_EQ(json::serialize(WithTraceContext({{"id", 1}}, "c", "")),
            R"({"id":1,"correlation_id":"c"})");
}

}  // namespace
}  // namespace belljar::service
