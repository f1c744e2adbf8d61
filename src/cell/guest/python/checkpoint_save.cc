#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include "cell/guest/python/checkpoint.h"
#include "cell/guest/python/checkpoint_layout.h"

namespace belljar::cell::guest {
namespace {

// Bits of an entry in /proc/self/pagemap, which has one for each page; see proc_pid_pagemap(5).
constexpr std::uint64_t kPresent = std::uint64_t{1} << 63;
constexpr std::uint64_t kSwapped = std::uint64_t{1} << 62;
constexpr std::uint64_t kOfFile = std::uint64_t{1} << 61;

constexpr std::uint64_t kMuchEmpty = 4 << 20;

// Static data of this library, so that it is saved with the rest of the memory.
ucontext_t context;

// Whether the page has been written to since it was mapped, or is anonymous.
bool IsOurOwn(std::uint64_t page) {
  return (page & (kPresent | kSwapped)) != 0 && (page & kOfFile) == 0;
}

struct Pages {
  int pagemap;
  bool failed;
};

// Calls `use(start, bytes)` for each contiguous run of the region's own pages (IsOurOwn).
template <class Use>
void ForEachRun(Pages& pages, const Region& region, const Use& use) {
  std::uint64_t run = 0;
  for (std::uint64_t at = region.start; at < region.end;) {
    std::uint64_t count = (region.end - at) / kPage;
    if (count > kPage) count = kPage;
    const auto want = static_cast<ssize_t>(count * sizeof(std::uint64_t));
    const auto where = static_cast<off_t>(at / kPage * sizeof(std::uint64_t));
    if (::pread(pages.pagemap, stage->pages, static_cast<std::size_t>(want), where) != want) {
      pages.failed = true;
      return;
    }
    for (std::uint64_t i = 0; i < count; ++i, at += kPage) {
      const bool own = IsOurOwn(stage->pages[i]);
      if (own && run == 0) run = at;
      if (!own && run != 0) use(run, at - run);
      if (!own) run = 0;
    }
  }
  if (run != 0) use(run, region.end - run);
}

bool IsZero(const char* page) { return page[0] == 0 && ::memcmp(page, page + 1, kPage - 1) == 0; }

// The same for runs of pages that are not zero. Memory mapped from a saved file needs it, because
// pagemap does not tell which of its pages have content.
template <class Use>
void ForEachFilled(const Region& region, const Use& use) {
  std::uint64_t run = 0;
  for (std::uint64_t at = region.start; at < region.end; at += kPage) {
    const bool filled = !IsZero(reinterpret_cast<const char*>(at));
    if (filled && run == 0) run = at;
    if (!filled && run != 0) use(run, at - run);
    if (!filled) run = 0;
  }
  if (run != 0) use(run, region.end - run);
}

bool IsFromSaved(const Region& region, const RegionTable& table) {
  return region.kind == RegionKind::kFile &&
         ::strncmp(table.paths + region.path, "/memfd:belljar", 14) == 0;
}

const char* WhyNot(const Region& region, const RegionTable& table) {
  if (region.kind == RegionKind::kFile) {
    const char* const path = table.paths + region.path;
    if (region.map_flags == MAP_SHARED && (region.prot & PROT_WRITE) != 0) {
      return "it has mapped memory that is shared";
    }
    const char* const space = ::strrchr(path, ' ');
    if (space != nullptr && ::strcmp(space, " (deleted)") == 0) {
      // The file that the process was saved to or restored from counts as ordinary memory.
      return IsFromSaved(region, table) ? nullptr : "it has mapped a file that was deleted";
    }
    return nullptr;
  }
  if (region.map_flags == MAP_SHARED) return "it has memory that is shared";
  if ((region.prot & PROT_EXEC) != 0) return "it has made machine code in memory";
  return nullptr;
}

bool IsMapped(const Region& region) {
  return region.kind == RegionKind::kMemory || region.kind == RegionKind::kBase;
}
bool IsHidden(const Region& region) { return (region.prot & PROT_READ) == 0; }

struct Plan {
  std::uint64_t next = kFirstData;  // next free offset in the file
  std::uint64_t bytes = 0;          // bytes that will be written
  std::uint64_t own = 0;            // bytes of pages that only this process has
  std::uint64_t based = 0;          // bytes of regions mapped from a base
  bool one_base = true;             // all of them are mapped from the given base
  bool fits = true;
};

void AddRun(std::uint64_t start, std::uint64_t size, Plan& plan) {
  SavedProcess& saved = stage->saved;
  if (saved.run_count == kMostRuns) {
    plan.fits = false;
    return;
  }
  saved.runs[saved.run_count++] = {start, size, plan.next};
  plan.next += size;
  plan.bytes += size;
}

// Plans an incremental file, which builds on `base`.
void PlanPart(Pages& pages, std::uint64_t base, Plan& plan) {
  SavedProcess& saved = stage->saved;
  saved.run_count = 0;
  for (std::size_t i = 0; i < saved.table.count; ++i) {
    const Region& region = saved.table.regions[i];
    if (region.kind == RegionKind::kReserved) continue;
    if (region.kind == RegionKind::kBase) {
      plan.based += region.end - region.start;
      plan.one_base = plan.one_base && region.inode == base;
    }
    ForEachRun(pages, region, [&](std::uint64_t start, std::uint64_t size) {
      if (IsHidden(region)) plan.fits = false;  // it would have to be made readable first
      plan.own += size;
      AddRun(start, size, plan);
    });
  }
}

// Restoring an incremental file copies its pages, so there must be few of them.
bool PartIsWorthIt(const Plan& plan) {
  constexpr std::uint64_t kFew = 4 << 20;
  constexpr std::uint64_t kMany = 32 << 20;
  const std::uint64_t share = plan.based / 8 < kMany ? plan.based / 8 : kMany;
  const std::uint64_t most = share > kFew ? share : kFew;
  return plan.fits && plan.based > 0 && plan.one_base && plan.bytes <= most;
}

void TurnIntoPart() {
  RegionTable& table = stage->saved.table;
  for (std::size_t i = 0; i < table.count; ++i) {
    if (table.regions[i].kind == RegionKind::kMemory) table.regions[i].kind = RegionKind::kPlain;
  }
}

struct Filled {
  std::uint64_t bytes = 0;
  std::size_t runs = 0;
};

Filled LookAt(Pages& pages, const Region& region) {
  Filled filled;
  const auto count = [&](std::uint64_t, std::uint64_t size) {
    filled.bytes += size;
    ++filled.runs;
  };
  if (region.kind == RegionKind::kBase && !IsHidden(region)) {
    ForEachFilled(region, count);
  } else {
    ForEachRun(pages, region, count);
  }
  return filled;
}

// Reading an empty page of a file permanently allocates memory for it in the file. So a mostly
// empty region is not mapped from the file: it is restored as anonymous memory and runs.
bool IsSparse(const Region& region, const Filled& filled) {
  const std::uint64_t size = region.end - region.start;
  const std::uint64_t empty = size - filled.bytes;
  return region.kind == RegionKind::kMemory && !IsHidden(region) && empty > 2 * kMuchEmpty &&
         empty > size / 8 && stage->saved.run_count + filled.runs <= kMostRuns / 2;
}

void PlanWhole(Pages& pages, Plan& plan) {
  SavedProcess& saved = stage->saved;
  saved.run_count = 0;
  for (std::size_t i = 0; i < saved.table.count; ++i) {
    Region& region = saved.table.regions[i];
    if (region.kind == RegionKind::kReserved) continue;
    if (IsMapped(region)) {
      const Filled filled = LookAt(pages, region);
      if (!IsSparse(region, filled)) {
        region.saved_at = plan.next;
        plan.next += region.end - region.start;
        plan.bytes += filled.bytes;
        continue;
      }
      region.kind = RegionKind::kPlain;
    }
    ForEachRun(pages, region,
               [&](std::uint64_t start, std::uint64_t size) { AddRun(start, size, plan); });
  }
}

const char* ReadTable() {
  SavedProcess& saved = stage->saved;
  saved.magic = kSavedMagic;
  saved.heap_end = reinterpret_cast<std::uint64_t>(::sbrk(0));
  const char* why = nullptr;
  if (!ReadRegions(saved.table, &why)) return why;
  for (std::size_t i = 0; i < saved.table.count; ++i) {
    Region& region = saved.table.regions[i];
    if ((why = WhyNot(region, saved.table)) != nullptr) return why;
    if (IsFromSaved(region, saved.table)) region.kind = RegionKind::kBase;
  }
  return nullptr;
}

// Writes to the file. pwrite() is faster than copying into mapped pages, but RLIMIT_FSIZE applies
// to it.
class Writer {
 public:
  explicit Writer(int fd) : fd_(fd) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_FSIZE, &limit) == 0) limit_ = limit.rlim_cur;
  }

  bool Put(std::uint64_t at, const void* from, std::uint64_t size) const {
    if (at + size > limit_) return Copy(at, from, size);
    for (std::uint64_t done = 0; done < size;) {
      const ssize_t n = ::pwrite(fd_, static_cast<const char*>(from) + done, size - done,
                                 static_cast<off_t>(at + done));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      done += static_cast<std::uint64_t>(n);
    }
    return true;
  }

 private:
  bool Copy(std::uint64_t at, const void* from, std::uint64_t size) const {
    const std::uint64_t before = at % kPage;
    void* const place = ::mmap(nullptr, before + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd_,
                               static_cast<off_t>(at - before));
    if (place == MAP_FAILED) return false;
    ::memcpy(static_cast<char*>(place) + before, from, size);
    return ::munmap(place, before + size) == 0;
  }

  int fd_;
  std::uint64_t limit_ = 0;
};

// Returns false if the region could not be written completely. Adds the bytes written to `written`.
bool WriteRegion(Pages& pages, const Region& region, const Writer& writer, std::uint64_t& written) {
  void* const place = reinterpret_cast<void*>(region.start);
  const std::uint64_t size = region.end - region.start;
  if (IsHidden(region) && ::mprotect(place, size, PROT_READ) != 0) return false;
  bool good = true;
  const auto put = [&](std::uint64_t start, std::uint64_t bytes) {
    good = good && writer.Put(region.saved_at + (start - region.start),
                              reinterpret_cast<const void*>(start), bytes);
    written += bytes;
  };
  if (region.kind == RegionKind::kBase) {
    ForEachFilled(region, put);
  } else {
    ForEachRun(pages, region, put);
  }
  good = good && !pages.failed;
  if (!IsHidden(region)) return good;
  return ::mprotect(place, size, static_cast<int>(region.prot)) == 0 && good;
}

// Whether the region is to be mapped from the file from now on. A small region is not worth a
// mapping of its own. A mostly empty one must not have one: reading an empty page of a file
// allocates memory, reading one of anonymous memory does not. But no region may stay mapped from
// another file.
bool IsToMove(const Region& region, std::uint64_t written) {
  constexpr std::uint64_t kSmall = 64 << 10;
  const std::uint64_t size = region.end - region.start;
  const bool empty = size - written > kMuchEmpty && written < size / 8 * 7;
  return region.kind == RegionKind::kBase || (size >= kSmall && !empty);
}

// Maps the region from the file. From here on pagemap tells which of its pages this process has
// changed.
void MoveOnto(const Region& region, int fd) {
  void* const place = reinterpret_cast<void*>(region.start);
  const void* const there =
      ::mmap(place, region.end - region.start, static_cast<int>(region.prot),
             MAP_PRIVATE | MAP_FIXED, fd, static_cast<off_t>(region.saved_at));
  if (there != place) ::_exit(kExitNotRestored);  // the old mapping may be gone
}

bool WriteRegions(Pages& pages, int fd, const Writer& writer) {
  RegionTable& table = stage->saved.table;
  for (std::size_t i = 0; i < table.count; ++i) {
    Region& region = table.regions[i];
    if (!IsMapped(region)) continue;
    std::uint64_t written = 0;
    if (!WriteRegion(pages, region, writer, written)) return false;
    if (IsToMove(region, written)) MoveOnto(region, fd);
    region.kind = RegionKind::kMemory;
  }
  return true;
}

bool WriteRunsAndTable(const Writer& writer) {
  const SavedProcess& saved = stage->saved;
  for (std::size_t i = 0; i < saved.run_count; ++i) {
    const Run& run = saved.runs[i];
    if (!writer.Put(run.saved_at, reinterpret_cast<const void*>(run.start), run.bytes))
      return false;
  }
  for (const Extent& extent : ExtentsOf(saved).all) {
    const char* const from = reinterpret_cast<const char*>(&saved) + extent.at;
    if (extent.size > 0 && !writer.Put(extent.at, from, extent.size)) return false;
  }
  return true;
}

Saved Refuse(char* why, std::size_t why_size, const char* reason) {
  ::snprintf(why, why_size, "%s", reason);
  return Saved::kRefused;
}

// While both exist, the copy counts as the session's memory in addition to the original.
bool HasRoom(const Plan& plan, std::uint64_t room, char* why, std::size_t why_size) {
  if (plan.own + plan.bytes + kFirstData <= room) return true;
  ::snprintf(
      why, why_size,
      "it holds %llu MiB of memory, and twice as much is more than its limit leaves (%llu MiB)",
      static_cast<unsigned long long>(plan.bytes >> 20),
      static_cast<unsigned long long>(room >> 20));
  return false;
}

Saved SaveMemory(const SaveOrder& order, char* why, std::size_t why_size, int pagemap) {
  Pages pages{pagemap, false};
  if (const char* const reason = ReadTable()) return Refuse(why, why_size, reason);
  Plan part;
  PlanPart(pages, order.base, part);
  const bool in_part = PartIsWorthIt(part);
  Plan plan = part;
  if (in_part) {
    TurnIntoPart();
  } else {
    plan = Plan{.own = part.own};
    PlanWhole(pages, plan);
  }
  if (pages.failed) return Refuse(why, why_size, "/proc/self/pagemap cannot be read");
  if (!plan.fits) return Refuse(why, why_size, "its memory is in too many pieces");
  if (!HasRoom(plan, order.room, why, why_size)) return Saved::kRefused;
  if (::lseek(order.fd, 0, SEEK_END) < static_cast<off_t>(plan.next)) {
    return Refuse(why, why_size, "it has reserved too many addresses");
  }
  const Writer writer(order.fd);
  if ((!in_part && !WriteRegions(pages, order.fd, writer)) || !WriteRunsAndTable(writer) ||
      pages.failed) {
    return Refuse(why, why_size, "its memory cannot be written to the checkpoint");
  }
  return in_part ? Saved::kSavedInPart : Saved::kSaved;
}

}  // namespace

Saved SaveProcess(const SaveOrder& order, char* why, std::size_t why_size) {
  if (stage == nullptr) return Refuse(why, why_size, "its interpreter is not a copy of a zygote");
  if (!TakeKernelState(why, why_size, order.fd)) return Saved::kRefused;
  const int pagemap = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (pagemap < 0) return Refuse(why, why_size, "/proc/self/pagemap cannot be opened");
  stage->came_back = 0;
  if (::getcontext(&context) != 0) return Refuse(why, why_size, "its registers cannot be read");
  // Execution continues here twice: once in the saved process, and once in each restored one.
  if (stage->came_back != 0) {
    PutBackKernelState();
    return stage->came_back == 1 + static_cast<std::uint32_t>(As::kBranch) ? Saved::kBranched
                                                                           : Saved::kRestored;
  }
  const Saved saved = SaveMemory(order, why, why_size, pagemap);
  ::close(pagemap);
  return saved;
}

[[noreturn]] void GoOn() {
  ::setcontext(&context);
  ::_exit(kExitNotRestored);
}

}  // namespace belljar::cell::guest
