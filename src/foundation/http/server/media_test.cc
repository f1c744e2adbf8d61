#include "foundation/http/server/media.h"

#include <gtest/gtest.h>

namespace belljar::http::server {
namespace {

std::optional<StreamKind> Wanted(const std::string& accept) {
  Headers headers;
  headers.Add("Accept", accept);
  return StreamWanted(headers);
}

TEST(Media, AStreamIsWantedByItsName) {
  EXPECT_EQ(StreamWanted({}), std::nullopt);
  EXPECT_EQ(Wanted("*/*"), std::nullopt);
  EXPECT_EQ(Wanted("application/x-ndjson"), StreamKind::kNdjson);
  EXPECT_EQ(Wanted("Application/X-NDJSON; bytes=base64"), StreamKind::kNdjson);
  EXPECT_EQ(Wanted("text/event-stream, */*;q=0.1"), StreamKind::kSse);
  EXPECT_EQ(Wanted("application/json, text/event-stream"), StreamKind::kSse);
}

TEST(Media, AWeightOfNoughtIsARefusal) {
  EXPECT_EQ(Wanted("application/x-ndjson;q=0, application/json"), std::nullopt);
  EXPECT_EQ(Wanted("application/x-ndjson ; Q=0.000"), std::nullopt);
  EXPECT_EQ(Wanted("application/x-ndjson;q=0, text/event-stream"), StreamKind::kSse);
}

TEST(Media, TheGreaterWeightWins) {
  EXPECT_EQ(Wanted("application/x-ndjson;q=0.5, application/json"), std::nullopt);
  EXPECT_EQ(Wanted("application/x-ndjson;q=0.5, application/json;q=0.25"), StreamKind::kNdjson);
  EXPECT_EQ(Wanted("application/x-ndjson;q=0.5, text/event-stream;q=0.501"), StreamKind::kSse);
  EXPECT_EQ(Wanted("text/event-stream, application/x-ndjson"), StreamKind::kNdjson);
  EXPECT_EQ(Wanted("application/x-ndjson;q=0.5, */*"), std::nullopt);
}

TEST(Media, WhatIsNoWeightCountsAsOne) {
  for (const char* const weight : {"", "x", "2", "0.1234", "1.5", "-1"}) {
    Headers headers;
    headers.Add("Accept", std::string("a/b;q=") + weight);
    EXPECT_EQ(NamedWeight(headers, "a/b"), 1000U) << weight;
  }
}

}  // namespace
}  // namespace belljar::http::server
