// ResponseReader: where a server's answer ends, by Beast's parser. The bytes go on as they are.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"

namespace belljar::broker {

constexpr std::uint32_t kMaxResponseHeadBytes = 64 << 10;

class ResponseReader {
 public:
  enum class Body { kAsSaid, kNone };  // none: the answer to HEAD

  explicit ResponseReader(Body body);
  ~ResponseReader();
  ResponseReader(const ResponseReader&) = delete;
  ResponseReader& operator=(const ResponseReader&) = delete;

  // How many of the bytes belong to this answer and are not to be given again.
  Result<std::size_t> Feed(std::string_view bytes);
  // Forgets an interim answer: another follows.
  void Restart();
  // The server has closed. False if that is not how this answer may end.
  bool End();

  bool head_done() const;
  bool done() const;
  bool keep_alive() const;  // once it is done
  unsigned status() const;  // once the head is done
  bool interim() const { return status() >= 100 && status() < 200; }

 private:
  class Parser;
  Body body_;
  std::unique_ptr<Parser> parser_;
};

}  // namespace belljar::broker
