// A parser of server-sent events (WHATWG HTML, 9.2), as far as MCP uses them: the data of each
// event.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "foundation/base/result.h"

namespace belljar::resource::mcp {

// An event with more than `most` bytes of data, or a longer line, is an error.
class SseReader {
 public:
  explicit SseReader(std::size_t most) : most_(most) {}

  using OnEvent = std::function<Result<>(std::string_view data)>;
  Result<> Feed(std::string_view bytes, const OnEvent& on_event);

 private:
  Result<> EndLine(const OnEvent& on_event);

  std::size_t most_;
  std::string line_;
  std::string data_;
  bool has_data_ = false;
  bool after_return_ = false;  // the last byte was \r; a following \n belongs to it
};

}  // namespace belljar::resource::mcp
