#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cell/guest/python/checkpoint.h"
#include "cell/guest/python/checkpoint_layout.h"

namespace belljar::cell::guest {

[[noreturn]] void GoOn();  // checkpoint_save.cc

namespace {

// A raw system call: libc's wrappers write errno, into memory that may not be mapped.
long Raw(long number, std::uint64_t a = 0, std::uint64_t b = 0, std::uint64_t c = 0,
         std::uint64_t d = 0, std::uint64_t e = 0, std::uint64_t f = 0) {
  long result = 0;
  register std::uint64_t r10 asm("r10") = d;
  register std::uint64_t r8 asm("r8") = e;
  register std::uint64_t r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

void Insist(bool good) {
  if (!good) Raw(SYS_exit_group, kExitNotRestored);
}

void Map(const Region& region, std::uint32_t flags, int fd, std::uint64_t offset) {
  const long at = Raw(SYS_mmap, region.start, region.end - region.start, region.prot,
                      flags | MAP_FIXED, static_cast<std::uint64_t>(fd), offset);
  Insist(static_cast<std::uint64_t>(at) == region.start);
}

void Unmap(std::uint64_t start, std::uint64_t end) {
  if (start < end) Insist(Raw(SYS_munmap, start, end - start) == 0);
}

// Unmaps what this process has mapped and the saved one had not. Both tables are sorted by address.
void UnmapOthers(const RegionTable& own, const RegionTable& saved) {
  std::size_t s = 0;
  for (std::size_t i = 0; i < own.count; ++i) {
    const Region& region = own.regions[i];
    if (region.kind == RegionKind::kStack) continue;
    std::uint64_t at = region.start;
    while (s < saved.count && saved.regions[s].end <= at) ++s;
    for (std::size_t k = s; at < region.end; ++k) {
      const bool meets = k < saved.count && saved.regions[k].start < region.end;
      const std::uint64_t until = meets ? saved.regions[k].start : region.end;
      if (until > at) Unmap(at, until);
      if (!meets) break;
      at = saved.regions[k].end;
    }
  }
}

bool IsThere(const RegionTable& own, const Region& region) {
  for (std::size_t i = 0; i < own.count; ++i) {
    if (SameMapping(own.regions[i], region)) return true;
  }
  return false;
}

void MapFile(const RegionTable& table, const Region& region) {
  const auto path = reinterpret_cast<std::uint64_t>(table.paths + region.path);
  const long fd = Raw(SYS_open, path, O_RDONLY | O_CLOEXEC);
  Insist(fd >= 0);
  Map(region, region.map_flags, static_cast<int>(fd), region.file_offset);
  Raw(SYS_close, static_cast<std::uint64_t>(fd));
}

void MapAll() {
  const RegionTable& table = stage->saved.table;
  for (std::size_t i = 0; i < table.count; ++i) {
    const Region& region = table.regions[i];
    switch (region.kind) {
      case RegionKind::kMemory:
        Map(region, MAP_PRIVATE, stage->fd, region.saved_at);
        break;
      case RegionKind::kBase:
        Map(region, MAP_PRIVATE, stage->base_fd, region.file_offset);
        break;
      case RegionKind::kPlain:
        Map(region, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        break;
      case RegionKind::kReserved:
        Map(region, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        break;
      case RegionKind::kFile:
        if (!IsThere(stage->own, region)) MapFile(table, region);
        break;
      case RegionKind::kStack:
        break;
    }
  }
}

// Finds the region of a run. Runs are in the order of the regions.
const Region& RegionOf(const Run& run, std::size_t& from) {
  const RegionTable& table = stage->saved.table;
  while (from < table.count && table.regions[from].end <= run.start) ++from;
  Insist(from < table.count && table.regions[from].start <= run.start);
  return table.regions[from];
}

void CopyRun(const Run& run, const Region& region) {
  const bool locked = (region.prot & PROT_WRITE) == 0;
  if (locked) Insist(Raw(SYS_mprotect, run.start, run.bytes, PROT_READ | PROT_WRITE) == 0);
  for (std::uint64_t done = 0; done < run.bytes;) {
    const long n = Raw(SYS_pread64, static_cast<std::uint64_t>(stage->fd), run.start + done,
                       run.bytes - done, run.saved_at + done);
    Insist(n > 0);
    done += static_cast<std::uint64_t>(n);
  }
  if (locked) Insist(Raw(SYS_mprotect, run.start, run.bytes, region.prot) == 0);
}

// Runs on the stage's own stack, because the stack of this process is replaced.
void PutBack() {
  const SavedProcess& saved = stage->saved;
  UnmapOthers(stage->own, saved.table);
  Insist(static_cast<std::uint64_t>(Raw(SYS_brk, saved.heap_end)) == saved.heap_end);
  MapAll();
  std::size_t region = 0;
  for (std::size_t i = 0; i < saved.run_count; ++i) {
    CopyRun(saved.runs[i], RegionOf(saved.runs[i], region));
  }
  Raw(SYS_close, static_cast<std::uint64_t>(stage->fd));
  if (stage->base_fd >= 0) Raw(SYS_close, static_cast<std::uint64_t>(stage->base_fd));
  GoOn();
}

[[noreturn]] void OnTheStage(void (*work)()) {
  char* const top = stage->stack + sizeof(stage->stack);
  asm volatile("mov %0, %%rsp\n\txor %%ebp, %%ebp\n\tcall *%1\n\tud2"
               :
               : "r"(top), "r"(work)
               : "memory");
  __builtin_unreachable();
}

bool ReadExtent(int fd, const Extent& extent) {
  auto* const into = reinterpret_cast<char*>(&stage->saved);
  for (std::size_t have = 0; have < extent.size;) {
    const std::size_t at = extent.at + have;
    const ssize_t n = ::pread(fd, into + at, extent.size - have, static_cast<off_t>(at));
    if (n <= 0) return false;
    have += static_cast<std::size_t>(n);
  }
  return true;
}

bool ReadSaved(int fd) {
  const SavedProcess& saved = stage->saved;
  if (!ReadExtent(fd, ExtentsOf(saved).all[0])) return false;
  if (saved.magic != kSavedMagic || saved.table.count > kMostRegions ||
      saved.table.path_bytes > sizeof(saved.table.paths) || saved.run_count > kMostRuns) {
    return false;
  }
  for (const Extent& extent : ExtentsOf(saved).all) {
    if (!ReadExtent(fd, extent)) return false;
  }
  return true;
}

// Checked while the restore can still be refused: every file to be mapped exists and is the same.
bool FilesAreThere() {
  const RegionTable& table = stage->saved.table;
  for (std::size_t i = 0; i < table.count; ++i) {
    const Region& region = table.regions[i];
    if (region.kind != RegionKind::kFile || IsThere(stage->own, region)) continue;
    struct stat status {};
    if (region.path >= sizeof(table.paths) || ::stat(table.paths + region.path, &status) != 0) {
      return false;
    }
    // The files of the workspace have been recreated with the same content, so their inodes differ.
    const bool anew = ::strncmp(table.paths + region.path, "/workspace/", 11) == 0;
    if (!anew && status.st_ino != region.inode) return false;
  }
  return true;
}

bool BaseIsThere(int base_fd) {
  struct stat status {};
  const bool given = base_fd >= 0 && ::fstat(base_fd, &status) == 0;
  const RegionTable& table = stage->saved.table;
  for (std::size_t i = 0; i < table.count; ++i) {
    const Region& region = table.regions[i];
    if (region.kind != RegionKind::kBase) continue;
    if (!given || status.st_ino != region.inode) return false;
  }
  return true;
}

// Moves a descriptor out of the range of those that will be restored.
int MoveAway(int fd) {
  const int away = ::fcntl(fd, F_DUPFD_CLOEXEC, 64);
  if (away >= 0) ::close(fd);
  return away;
}

}  // namespace

const char* RestoreProcess(int fd, int base_fd, As as) {
  if (stage == nullptr) return "this interpreter is not a copy of a zygote";
  if (!ReadSaved(fd)) return "the checkpoint cannot be read";
  if (!BaseIsThere(base_fd)) return "what the checkpoint builds on is not there";
  stage->fd = MoveAway(fd);
  stage->base_fd = base_fd < 0 ? -1 : MoveAway(base_fd);
  if (stage->fd < 0 || (base_fd >= 0 && stage->base_fd < 0)) return "there is no descriptor left";
  const char* why = nullptr;
  if (!ReadRegions(stage->own, &why)) return why;
  if (!FilesAreThere()) return "a file that it has mapped is no longer there";
  stage->came_back = 1 + static_cast<std::uint32_t>(as);
  OnTheStage(PutBack);
}

}  // namespace belljar::cell::guest
