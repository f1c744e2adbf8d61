// Tar archives: unpacking them into a workspace and packing trees into them.
//
// Both archive and workspace are hostile. A caller's archive may name paths outside, make a link
// and then write through it, name a path twice, or never end; a workspace may hold FIFOs, links and
// files that grow while they are read. So an archive is read twice, the first time only to check
// it: one bad entry refuses the whole archive before anything is written. Only files and
// directories are accepted. Every place is reached from the workspace's descriptor, never by a path
// of the host. When packing, everything except directories and regular files with one link is left
// out and counted.
//
// Uses libarchive, plain tar only (ustar, pax, GNU): a compressed archive can inflate without end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "foundation/tree/copy.h"
#include "foundation/tree/walk.h"

namespace belljar::tree {

struct Unpacked {
  std::size_t files = 0;
  std::size_t directories = 0;
  std::uint64_t bytes = 0;
};

// Unpacks `tar`, a regular file, below `workspace`; the files are owned by `uid`. Existing files
// are replaced.
Result<Unpacked> UnpackTar(const Fd& tar, const Fd& workspace, std::uint32_t uid,
                           const Bounds& bounds);

struct Packed {
  std::size_t files = 0;
  std::size_t left_out = 0;  // links, devices, FIFOs, names that no archive should carry
  bool cut = false;          // there was more than the bounds allow
};

// Returns what PackTar() would do, by names and sizes alone.
Result<Packed> MeasureTar(const Fd& workspace, const Bounds& bounds);
// Writes everything below `workspace` as a pax archive, in the order of a walk.
Result<Packed> PackTar(const Fd& workspace, const Bounds& bounds, const Sink& sink);

// A file that is added to an archive and not in the tree; its directory must be in the tree.
struct AddedFile {
  std::string path;  // relative
  std::string_view content;
  unsigned mode = 0644;
};

// Packs a trusted root tree as a GNU archive, exactly as it is, for programs that import whole
// roots. Links stay links; every owner becomes root; sockets, FIFOs and devices are an error, since
// no image has them.
Result<> PackTree(const std::string& root, const std::vector<AddedFile>& added, const Sink& sink);

}  // namespace belljar::tree
