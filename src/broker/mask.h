// Mask: takes values out of a stream of bytes, each replaced by as many stars.
//
// For answers of servers that were sent a secret: one that repeats it must not tell the guest. The
// length stays, so that whatever frames the bytes stays true. A value that is split by a chunk's
// head, or encoded, is not recognised.
//
// As many bytes are held back as the longest value has, less one, whatever they are: were it only
// those that begin a value, a guest that has its guesses repeated would learn from what is late
// which of them are right, letter by letter. For the same reason nothing is let go by time: the
// rest of a value could still come.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace belljar::broker {

class Mask {
 public:
  explicit Mask(std::vector<std::string> values);

  bool empty() const { return values_.empty(); }
  // What may go on: all but the last bytes, of which a value could be made.
  std::string Pass(std::string_view bytes);
  // The rest, at the end.
  std::string Finish();

 private:
  std::vector<std::string> values_;
  std::size_t longest_ = 0;
  std::string held_;   // as it came: a value may overlap with one that has been found
  std::string shown_;  // the same with its stars
};

}  // namespace belljar::broker
