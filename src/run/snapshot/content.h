// Content: the data of one file of a workspace, read without its holes.
#pragma once

#include <string_view>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "run/snapshot/bounds.h"
#include "run/snapshot/memory.h"
#include "run/snapshot/scan.h"

namespace belljar::run::snapshot {

// Where data goes, piece after piece.
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;
  virtual Result<> Write(std::string_view bytes) = 0;
  virtual Result<Digest> Finish() = 0;
};

// What is left of the bounds while the files of a tree are read.
struct Allowance {
  explicit Allowance(const Bounds& bounds)
      : bytes(bounds.bytes), extents(bounds.extents), attribute_bytes(bounds.xattr_bytes) {}
  Result<> Spend(const Content& content, std::string_view path);

  std::uint64_t bytes;
  std::size_t extents;
  std::size_t attribute_bytes;
};

// Reads a file that a scan has found. A file that is not as the scan found it, or changes while it
// is read, is an error. What can be relied on later is put into `memory`.
Result<Content> ReadContent(const Fd& workspace, const Found& file, Allowance& allowance,
                            Memory& memory, Sink& sink);

}  // namespace belljar::run::snapshot
