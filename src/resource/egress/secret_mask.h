// SecretMask: replaces given values in a stream of bytes by asterisks of the same length.
//
// It is applied to answers of servers that were sent a secret, so that a server that echoes the
// secret does not reveal it to the guest. The length is kept, so that the framing of the bytes
// stays valid. A value that is encoded, or split by a chunk header, is not recognised.
//
// The number of bytes held back is always the length of the longest value minus one, whatever the
// bytes are. If only prefixes of a value were held back, a guest that lets a server echo its
// guesses could recognise correct prefixes by their delay, letter by letter. For the same reason
// there is no timeout after which bytes are released: the rest of a value could still arrive.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace belljar::resource::egress {

class SecretMask {
 public:
  explicit SecretMask(std::vector<std::string> values);

  bool empty() const { return values_.empty(); }
  // Processes bytes and returns what may be passed on: all but the last bytes, which could be the
  // beginning of a value.
  std::string Pass(std::string_view bytes);
  // Returns the rest at the end of the stream.
  std::string Finish();

 private:
  std::vector<std::string> values_;
  std::size_t longest_ = 0;
  std::string held_;   // the original bytes: a value may overlap one that was found
  std::string shown_;  // the same bytes, masked
};

}  // namespace belljar::resource::egress
