// The file format of a saved process, and the memory that saving and restoring work in (Stage).
#pragma once

#include <cstddef>
#include <cstdint>

namespace belljar::cell::guest {

constexpr std::uint64_t kPage = 4096;
// exit status of a process whose memory is only partly replaced
constexpr int kExitNotRestored = 6;
constexpr std::size_t kMostRegions = 8192;
constexpr std::size_t kMostRuns = 32768;
constexpr std::uint64_t kSavedMagic = 0x31706b636a6c6c65;

enum class RegionKind : std::uint32_t {
  kMemory,    // mapped from the saved file
  kBase,      // mapped from the base file; its other pages are copied into place
  kPlain,     // anonymous memory; its pages are copied into place
  kReserved,  // address space without memory
  kStack,     // grows automatically, so it is copied into place
  kFile,      // mapped from a file; pages that differ from the file are copied into place
};

struct Region {
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t file_offset;
  std::uint64_t inode;
  std::uint64_t device;
  std::uint64_t saved_at;  // kMemory: offset in the saved file
  std::uint32_t prot;
  std::uint32_t map_flags;  // MAP_PRIVATE or MAP_SHARED
  RegionKind kind;
  std::uint32_t path;  // kFile: offset of its path in `paths`
};

// A run of pages that are copied into place.
struct Run {
  std::uint64_t start;
  std::uint64_t bytes;
  std::uint64_t saved_at;
};

struct RegionTable {
  std::uint64_t count;
  std::uint64_t path_bytes;
  Region regions[kMostRegions];
  char paths[128 * 1024];
};

// The header of the file.
struct SavedProcess {
  std::uint64_t magic;
  std::uint64_t heap_end;
  std::uint64_t run_count;
  RegionTable table;
  Run runs[kMostRuns];
};

// The used parts of SavedProcess; the rest is not written.
struct Extent {
  std::size_t at;
  std::size_t size;
};
struct Extents {
  Extent all[4];
};
inline Extents ExtentsOf(const SavedProcess& saved) {
  return {{{0, offsetof(SavedProcess, table) + offsetof(RegionTable, regions)},
           {offsetof(SavedProcess, table) + offsetof(RegionTable, regions),
            saved.table.count * sizeof(Region)},
           {offsetof(SavedProcess, table) + offsetof(RegionTable, paths), saved.table.path_bytes},
           {offsetof(SavedProcess, runs), saved.run_count * sizeof(Run)}}};
}

constexpr std::uint64_t kFirstData = (sizeof(SavedProcess) + kPage - 1) / kPage * kPage;

// Working memory that is no part of a saved process: it stays where the zygote has reserved it, and
// is neither saved nor replaced.
struct Stage {
  SavedProcess saved;
  RegionTable own;
  char maps[1024 * 1024];
  std::uint64_t pages[kPage];
  int fd;
  int base_fd;              // -1: the saved file has no base
  std::uint32_t came_back;  // 1 + As
  alignas(64) char stack[64 * 1024];
};

extern Stage* stage;

// Fills `table` from /proc/self/maps, except the stage and mappings that only the kernel can place
// ([vdso] and the like). On failure returns false with a reason.
bool ReadRegions(RegionTable& table, const char** why);

inline bool SameMapping(const Region& a, const Region& b) {
  return a.start == b.start && a.end == b.end && a.prot == b.prot && a.kind == b.kind &&
         a.file_offset == b.file_offset && a.inode == b.inode && a.device == b.device;
}

// Records the kernel state of this process for saving, and sets it up again in the restored one.
bool TakeKernelState(char* why, std::size_t why_size, int saving_to);
void PutBackKernelState();

}  // namespace belljar::cell::guest
