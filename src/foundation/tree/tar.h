// Trees as tar: into a workspace and out of it.
//
// Both ends are hostile. A caller's archive may name places outside, link and then write through
// the link, name a place twice or never end; a workspace may hold FIFOs, links and files that grow
// while they are read. So an archive is read twice, first only to be judged: one bad entry refuses
// the whole, before anything is written. Files and directories are all there is; every place is
// reached from the workspace's descriptor, never by a path of the host. On the way out, whatever is
// not a regular file with one link, or a directory, is left out and counted.
//
// By libarchive, plain tar (ustar, pax, GNU) only: a compressed one can inflate without end.
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

// Puts the files of `tar`, a regular file, below `workspace`, owned by `uid`. A file that is
// already there is replaced.
Result<Unpacked> UnpackTar(const Fd& tar, const Fd& workspace, std::uint32_t uid,
                           const Bounds& bounds);

struct Packed {
  std::size_t files = 0;
  std::size_t left_out = 0;  // links, devices, FIFOs, names that no archive should carry
  bool cut = false;          // there was more than the bounds allow
};

// What PackTar would do, by looking at names and sizes alone.
Result<Packed> MeasureTar(const Fd& workspace, const Bounds& bounds);
// Writes everything below `workspace` as a pax archive, in the order of a walk.
Result<Packed> PackTar(const Fd& workspace, const Bounds& bounds, const Sink& sink);

// A file that is not in the tree; its directory is.
struct AddedFile {
  std::string path;  // relative
  std::string_view content;
  unsigned mode = 0644;
};

// A file tree of our own as a GNU archive, exactly as it lies there, for who takes whole roots.
// Links stay links; every owner becomes root; sockets, FIFOs and devices are an
// error, since no image has them.
Result<> PackTree(const std::string& root, const std::vector<AddedFile>& added, const Sink& sink);

}  // namespace belljar::tree
