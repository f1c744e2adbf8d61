// ResponseReader: an incremental parser of one HTTP answer.
//
// It uses Beast's parser without its sockets: the owner of the connection polls it together with
// other descriptors and passes on the bytes that arrive. Head and body are bounded. A body that
// ends before its stated length, or a chunked stream that is cut, is an error and never accepted as
// complete.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "foundation/base/result.h"

namespace belljar::http::client {

class ResponseReader {
 public:
  // Feed() fails when more than `most_body` bytes of the body have not been taken yet.
  explicit ResponseReader(std::size_t most_body);
  ~ResponseReader();
  ResponseReader(ResponseReader&&) noexcept;
  ResponseReader& operator=(ResponseReader&&) noexcept;

  Result<> Feed(std::string_view bytes);
  // Tells the parser that the peer has closed the connection.
  Result<> End();

  bool head_done() const;
  bool done() const;
  bool keeps_connection() const;
  unsigned status() const;                  // valid once the head is done
  const std::string& content_type() const;  // without parameters, in lower case

  // Removes and returns the part of the body received so far.
  std::string TakeBody();
  // Removes the next line from the body and returns it without its newline; false if no whole line
  // has arrived.
  bool TakeLine(std::string& line);

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
  std::size_t most_body_;
  std::size_t searched_ = 0;  // bytes of the body known to contain no newline
};

}  // namespace belljar::http::client
