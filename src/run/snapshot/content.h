// Content: the data of one workspace file, read without its holes.
#pragma once

#include <string_view>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "run/snapshot/bounds.h"
#include "run/snapshot/memory.h"
#include "run/snapshot/scan.h"

namespace belljar::run::snapshot {

// Receives data in pieces.
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;
  virtual Result<> Write(std::string_view bytes) = 0;
  virtual Result<Digest> Finish() = 0;
};

// The remaining part of the bounds while the files of a tree are read.
struct Allowance {
  explicit Allowance(const Bounds& bounds)
      : bytes(bounds.bytes), extents(bounds.extents), attribute_bytes(bounds.xattr_bytes) {}
  Result<> Spend(const Content& content, std::string_view path);

  std::uint64_t bytes;
  std::size_t extents;
  std::size_t attribute_bytes;
};

// Reads a file that a scan has found. If the file differs from the scan, or changes while it is
// read, that is an error. Content that can be relied on later is put into `memory`.
Result<Content> ReadContent(const Fd& workspace, const Found& file, Allowance& allowance,
                            Memory& memory, Sink& sink);

}  // namespace belljar::run::snapshot
