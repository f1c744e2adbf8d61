// ResponseReader: one HTTP answer, from bytes as they come.
//
// By Beast's parser, without its sockets: whoever owns the connection polls it beside other
// descriptors and hands over what has come. Head and body are bounded; a body that ends before its
// stated length, or a stream that is cut, is an error and never taken for a whole.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace belljar::client {

class ResponseReader {
 public:
  // More than `most_body` bytes of body that have not been taken yet are refused.
  explicit ResponseReader(std::size_t most_body);
  ~ResponseReader();
  ResponseReader(ResponseReader&&) noexcept;
  ResponseReader& operator=(ResponseReader&&) noexcept;

  Result<> Feed(std::string_view bytes);
  // The other side has closed.
  Result<> End();

  bool head_done() const;
  bool done() const;
  bool keeps_connection() const;
  unsigned status() const;                  // once the head is done
  const std::string& content_type() const;  // without parameters, in lower case

  // The body so far that has not been taken.
  std::string TakeBody();
  // The next line of it, without its newline; false while there is none.
  bool TakeLine(std::string& line);

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
  std::size_t most_body_;
  std::size_t searched_ = 0;  // bytes of the body that are known to hold no newline
};

}  // namespace belljar::client
