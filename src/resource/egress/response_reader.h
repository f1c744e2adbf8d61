// ResponseReader: finds the end of a server's answer with Beast's parser. The bytes themselves are
// relayed unchanged.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "foundation/base/result.h"

namespace belljar::resource::egress {

constexpr std::uint32_t kMaxResponseHeadBytes = 64 << 10;

class ResponseReader {
 public:
  enum class Body { kAsSaid, kNone };  // kNone: an answer to HEAD

  explicit ResponseReader(Body body);
  ~ResponseReader();
  ResponseReader(const ResponseReader&) = delete;
  ResponseReader& operator=(const ResponseReader&) = delete;

  // Returns how many of the bytes belong to this answer; they must not be passed in again.
  Result<std::size_t> Feed(std::string_view bytes);
  // Prepares for the next answer after an interim (1xx) one.
  void Restart();
  // The server has closed the connection. Returns false if the answer is then incomplete.
  bool End();

  bool head_done() const;
  bool done() const;
  bool keep_alive() const;  // valid once done
  unsigned status() const;  // valid once the head is done
  bool interim() const { return status() >= 100 && status() < 200; }

 private:
  class Parser;
  Body body_;
  std::unique_ptr<Parser> parser_;
};

}  // namespace belljar::resource::egress
