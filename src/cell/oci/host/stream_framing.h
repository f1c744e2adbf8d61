// PieceReader: splits a container's stream into pieces.
//
// All input is hostile: lengths are checked before anything is buffered, and it never waits for
// more of a piece than its channel allows. Docker sends a container's output in records of its own,
// which also carry its stderr; this framing is removed first.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cell/oci/shim/stream.h"
#include "foundation/base/result.h"

namespace belljar::cell::oci {

enum class Framing {
  kPlain,   // the stream as it is
  kDocker,  // in records: u8 stream (1 stdout, 2 stderr), three zeros, u32 big-endian length
};

class PieceReader {
 public:
  using OnPiece = std::function<Result<>(Channel, std::string_view)>;

  explicit PieceReader(Framing framing) : framing_(framing) {}

  // Calls `on_piece` for every complete piece. An error is final.
  Result<> Feed(std::string_view bytes, const OnPiece& on_piece);

  // The first few hundred bytes on Docker's stderr, which is the runtime's own error output.
  const std::string& errors() const { return errors_; }

 private:
  Result<> FeedRecords(std::string_view bytes, const OnPiece& on_piece);
  Result<> FeedPlain(std::string_view bytes, const OnPiece& on_piece);

  Framing framing_;
  std::string record_header_;
  std::size_t record_left_ = 0;
  bool record_is_output_ = false;
  std::string rest_;  // an incomplete piece
  std::string errors_;
};

}  // namespace belljar::cell::oci
