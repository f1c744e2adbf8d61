// A process saved into a file, and another process that becomes it.
//
// Copies of one zygote have the same libraries at the same addresses, so the memory of one can be
// put into another, page for page, and goes on there as if it had returned from SaveProcess() a
// second time. The other copy is in a cell of its own, made as any cell is: nothing of the first
// cell comes along but bytes, and no wall has to be built, moved or opened for it.
//
// The file is written by the guest about itself. Nobody but a guest of the same owner reads it.
//
// What the kernel holds for a process (open files, signal handlers, working directory) is asked for
// by the first and asked for again by the second. What cannot be had again is refused by name
// before anything is written: threads, child processes, sockets, pipes, shared memory.
//
// Memory is mapped from the file, privately: pages are shared until somebody writes to them. The
// stack and what lies between pages of files is copied. The saved process itself goes on with its
// memory mapped from the file, too. From then on the kernel knows which pages are still as they are
// there, and as long as the others are few, a further file holds only those: it builds on the first
// one, its base. Single-threaded; no allocation.
#pragma once

#include <cstddef>
#include <cstdint>

namespace belljar::cell::guest {

// Keeps the place that memory is put back from; once, in the zygote, before it has any copies.
bool ReserveStage();

enum class Saved { kSaved, kRestored, kBranched, kSavedInPart, kRefused };

struct SaveOrder {
  int fd;
  std::uint64_t room;  // bytes that may be used for it
  std::uint64_t base;  // the inode of a file that it may build on (kSavedInPart), or 0
};

// Saves this process. A refusal says why, in `why`.
Saved SaveProcess(const SaveOrder& order, char* why, std::size_t why_size);

enum class As { kItself, kBranch };

// Becomes the process that is in `fd`, which may build on `base_fd`. Returns only when it cannot,
// with the reason.
const char* RestoreProcess(int fd, int base_fd, As as);

}  // namespace belljar::cell::guest
