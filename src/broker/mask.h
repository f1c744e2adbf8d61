// Mask: takes values out of a stream of bytes, each replaced by as many stars.
//
// For answers of servers that were sent a secret: one that repeats it must not tell the guest. The
// length stays, so that whatever frames the bytes stays true. A value that is split by a chunk's
// head, or encoded, is not recognised.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace belljar::broker {

class Mask {
 public:
  explicit Mask(std::vector<std::string> values) : values_(std::move(values)) {}

  bool empty() const { return values_.empty(); }
  // What may go on; the beginning of what may become a value is held back.
  std::string Pass(std::string_view bytes);
  // The rest, at the end.
  std::string Finish();

 private:
  std::vector<std::string> values_;
  std::string held_;
};

}  // namespace belljar::broker
