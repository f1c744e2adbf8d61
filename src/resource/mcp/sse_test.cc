#include "resource/mcp/sse.h"

#include <gtest/gtest.h>

#include <vector>

namespace belljar::resource::mcp {
namespace {

std::vector<std::string> Events(std::string_view stream, std::size_t step) {
  SseReader reader(64);
  std::vector<std::string> events;
  for (std::size_t at = 0; at < stream.size(); at += step) {
    EXPECT_TRUE(reader.Feed(stream.substr(at, step), [&](std::string_view data) {
      events.emplace_back(data);
      return Result<>();
    }));
  }
  return events;
}

TEST(SseReader, GivesTheDataOfEachEvent) {
  const std::string_view stream =
      ": hello\n\nevent: message\nid: 7\ndata: one\n\ndata:two\r\ndata: "
      "three\r\n\r\ndata\n\ndatabase: x\n\n"
      "data: unfinished\n";
  for (std::size_t step = 1; step <= stream.size(); ++step) {
    EXPECT_EQ(Events(stream, step), (std::vector<std::string>{"one", "two\nthree", ""})) << step;
  }
}

TEST(SseReader, StopsAnEventThatDoesNotEnd) {
  const auto ignore = [](std::string_view) { return Result<>(); };
  SseReader line(64);
  EXPECT_FALSE(line.Feed(std::string(65, 'x'), ignore));
  SseReader event(64);
  EXPECT_TRUE(event.Feed("data: 123456789012345678901234567890\n", ignore));
  EXPECT_FALSE(event.Feed("data: 123456789012345678901234567890\n", ignore));
}

}  // namespace
}  // namespace belljar::resource::mcp
