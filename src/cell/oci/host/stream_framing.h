// PieceReader: cuts what a container says into pieces.
//
// Everything it reads is hostile: lengths are judged before anything is kept, and of a piece no
// more than its channel allows is ever waited for. Docker sends a container's output in records of
// its own, with what was written to stderr between; those are taken off first.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cell/oci/shim/stream.h"
#include "foundation/base/result.h"

namespace belljar::cell::oci {

enum class Framing {
  kPlain,   // the stream itself
  kDocker,  // in records: u8 stream (1 stdout, 2 stderr), three zeros, u32 big-endian length
};

class PieceReader {
 public:
  using OnPiece = std::function<Result<>(Channel, std::string_view)>;

  explicit PieceReader(Framing framing) : framing_(framing) {}

  // Hands out every piece that is whole. An error is final.
  Result<> Feed(std::string_view bytes, const OnPiece& on_piece);

  // What came on Docker's stderr: the runtime's own words, the first few hundred bytes of them.
  const std::string& errors() const { return errors_; }

 private:
  Result<> FeedRecords(std::string_view bytes, const OnPiece& on_piece);
  Result<> FeedPlain(std::string_view bytes, const OnPiece& on_piece);

  Framing framing_;
  std::string record_header_;
  std::size_t record_left_ = 0;
  bool record_is_output_ = false;
  std::string rest_;  // of a piece that is not whole
  std::string errors_;
};

}  // namespace belljar::cell::oci
