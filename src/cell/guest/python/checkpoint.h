// Checkpoint and restore: saves a process into a file, and turns another process into it.
//
// Copies of one zygote have the same libraries at the same addresses, so the memory of one can be
// loaded into another, page for page. The other then continues as if it had returned from
// SaveProcess() a second time. It is in a cell of its own, made like any cell: only bytes come from
// the first cell, and no confinement has to be built, moved or opened for them.
//
// The guest writes the file about itself. Only a guest of the same owner reads it.
//
// The saving process records its kernel state (open files, signal handlers, working directory), and
// the restored one sets it up again. State that cannot be restored is refused by name before
// anything is written: threads, child processes, sockets, pipes, shared memory.
//
// Memory is mapped privately from the file: pages are shared until they are written to
// (copy-on-write). The stack and changed pages of mapped files are copied. The saved process
// continues with its memory mapped from the file, too. From then on the kernel knows which pages
// still equal the file, and as long as few differ, a further checkpoint holds only those (an
// incremental checkpoint): it builds on the first one, its base. Single-threaded; no allocation.
#pragma once

#include <cstddef>
#include <cstdint>

namespace belljar::cell::guest {

// Reserves the memory from which a restore works; call it once, in the zygote, before its first
// copy.
bool ReserveStage();

enum class Saved { kSaved, kRestored, kBranched, kSavedInPart, kRefused };

struct SaveOrder {
  int fd;
  std::uint64_t room;  // bytes of memory for the process and its saved copy together
  std::uint64_t base;  // the inode of a file to build on (kSavedInPart), or 0
};

// Saves this process. A refusal stores its reason in `why`.
Saved SaveProcess(const SaveOrder& order, char* why, std::size_t why_size);

enum class As { kItself, kBranch };

// Becomes the process saved in `fd`, which may build on `base_fd`. Returns only on failure, with
// the reason.
const char* RestoreProcess(int fd, int base_fd, As as);

}  // namespace belljar::cell::guest
