#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "isolate/native/checkpoint.h"
#include "isolate/native/checkpoint_layout.h"

namespace belljar::isolate {
namespace {

// A word of /proc/self/pagemap for each page; see proc_pid_pagemap(5).
constexpr std::uint64_t kPresent = std::uint64_t{1} << 63;
constexpr std::uint64_t kSwapped = std::uint64_t{1} << 62;
constexpr std::uint64_t kOfFile = std::uint64_t{1} << 61;

// In this library's own data, so that it is saved with everything else.
ucontext_t context;

bool IsOurOwn(std::uint64_t page) {
  return (page & (kPresent | kSwapped)) != 0 && (page & kOfFile) == 0;
}

// Of memory that was itself mapped from a saved file, nothing tells which pages have content.
bool MustBeSaved(const Region& region, std::uint64_t page) {
  return region.was_restored != 0 || IsOurOwn(page);
}

struct Pages {
  int pagemap;
  bool failed;
};

// Calls `use(start, bytes)` for each unbroken run of pages of `region` that must be saved.
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
      const bool saved = MustBeSaved(region, stage->pages[i]);
      if (saved && run == 0) run = at;
      if (!saved && run != 0) use(run, at - run);
      if (!saved) run = 0;
    }
  }
  if (run != 0) use(run, region.end - run);
}

const char* WhyNot(const Region& region, const RegionTable& table) {
  if (region.kind == RegionKind::kFile) {
    const char* const path = table.paths + region.path;
    if (region.map_flags == MAP_SHARED && (region.prot & PROT_WRITE) != 0) {
      return "it has mapped memory that is shared";
    }
    const char* const space = ::strrchr(path, ' ');
    if (space != nullptr && ::strcmp(space, " (deleted)") == 0) {
      // What it was restored from itself: pages of memory as any other.
      return ::strncmp(path, "/memfd:belljar", 14) == 0 ? nullptr
                                                        : "it has mapped a file that was deleted";
    }
    return nullptr;
  }
  if (region.map_flags == MAP_SHARED) return "it has memory that is shared";
  if ((region.prot & PROT_EXEC) != 0) return "it has made machine code in memory";
  return nullptr;
}

// Memory that a restored process has from its file becomes plain memory again.
void TakeAsMemory(Region& region, const RegionTable& table) {
  if (region.kind != RegionKind::kFile) return;
  if (::strncmp(table.paths + region.path, "/memfd:belljar", 14) != 0) return;
  region.kind = RegionKind::kMemory;
  region.was_restored = 1;
  region.inode = region.device = region.file_offset = 0;
}

struct Plan {
  std::uint64_t next = kFirstData;  // in the file
  std::uint64_t bytes = 0;          // that will be written
  bool fits = true;
};

void PlanRegion(Pages& pages, Region& region, Plan& plan) {
  SavedProcess& saved = stage->saved;
  if (region.kind == RegionKind::kReserved) return;
  if (region.kind == RegionKind::kMemory) {
    region.saved_at = plan.next;
    plan.next += region.end - region.start;
    ForEachRun(pages, region, [&](std::uint64_t, std::uint64_t size) { plan.bytes += size; });
    return;
  }
  ForEachRun(pages, region, [&](std::uint64_t start, std::uint64_t size) {
    if (saved.run_count == kMostRuns) {
      plan.fits = false;
      return;
    }
    saved.runs[saved.run_count++] = {start, size, plan.next};
    plan.next += size;
    plan.bytes += size;
  });
}

const char* MakePlan(Pages& pages, Plan& plan) {
  SavedProcess& saved = stage->saved;
  saved.run_count = 0;
  saved.magic = kSavedMagic;
  saved.heap_end = reinterpret_cast<std::uint64_t>(::sbrk(0));
  const char* why = nullptr;
  if (!ReadRegions(saved.table, &why)) return why;
  for (std::size_t i = 0; i < saved.table.count; ++i) {
    Region& region = saved.table.regions[i];
    if ((why = WhyNot(region, saved.table)) != nullptr) return why;
    TakeAsMemory(region, saved.table);
    PlanRegion(pages, region, plan);
  }
  if (pages.failed) return "/proc/self/pagemap cannot be read";
  return plan.fits ? nullptr : "its memory is in too many pieces";
}

// A write would be held to the limit on file sizes, which this is not.
class Window {
 public:
  Window(int fd, std::uint64_t offset, std::uint64_t size) : size_(size) {
    place_ =
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(offset));
  }
  ~Window() {
    if (ok()) ::munmap(place_, size_);
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  bool ok() const { return place_ != MAP_FAILED; }
  void Copy(std::uint64_t at, const void* from, std::uint64_t size) const {
    ::memcpy(static_cast<char*>(place_) + at, from, size);
  }

 private:
  void* place_;
  std::uint64_t size_;
};

bool IsZero(const char* page) { return page[0] == 0 && ::memcmp(page, page + 1, kPage - 1) == 0; }

bool WriteRegion(Pages& pages, const Region& region, int fd) {
  if (region.kind != RegionKind::kMemory) return true;
  const Window window(fd, region.saved_at, region.end - region.start);
  if (!window.ok()) return false;
  const bool hidden = (region.prot & PROT_READ) == 0;
  void* const place = reinterpret_cast<void*>(region.start);
  const std::uint64_t size = region.end - region.start;
  if (hidden && ::mprotect(place, size, PROT_READ) != 0) return false;
  ForEachRun(pages, region, [&](std::uint64_t start, std::uint64_t bytes) {
    if (region.was_restored == 0) {
      window.Copy(start - region.start, reinterpret_cast<const void*>(start), bytes);
      return;
    }
    for (std::uint64_t at = start; at < start + bytes; at += kPage) {
      const auto* const page = reinterpret_cast<const char*>(at);
      if (!IsZero(page)) window.Copy(at - region.start, page, kPage);
    }
  });
  return !hidden || ::mprotect(place, size, static_cast<int>(region.prot)) == 0;
}

bool WriteRuns(const SavedProcess& saved, int fd, std::uint64_t end) {
  if (saved.run_count == 0) return true;
  for (std::size_t i = 0; i < saved.run_count; ++i) {
    const Run& run = saved.runs[i];
    const Window window(fd, run.saved_at, run.bytes);
    if (!window.ok() || run.saved_at + run.bytes > end) return false;
    window.Copy(0, reinterpret_cast<const void*>(run.start), run.bytes);
  }
  return true;
}

bool WriteAll(Pages& pages, int fd, std::uint64_t end) {
  const SavedProcess& saved = stage->saved;
  for (std::size_t i = 0; i < saved.table.count; ++i) {
    if (!WriteRegion(pages, saved.table.regions[i], fd)) return false;
  }
  const Window window(fd, 0, kFirstData);
  if (!window.ok() || !WriteRuns(saved, fd, end)) return false;
  const Extents extents = ExtentsOf(saved);
  for (const Extent& extent : extents.all) {
    window.Copy(extent.at, reinterpret_cast<const char*>(&saved) + extent.at, extent.size);
  }
  return true;
}

Saved Refuse(char* why, std::size_t why_size, const char* reason) {
  ::snprintf(why, why_size, "%s", reason);
  return Saved::kRefused;
}

Saved SaveMemory(int fd, std::uint64_t room, char* why, std::size_t why_size, int pagemap) {
  Pages pages{pagemap, false};
  Plan plan;
  const char* const reason = MakePlan(pages, plan);
  if (reason != nullptr) return Refuse(why, why_size, reason);
  // The copy counts as the session's memory, beside the original.
  if (2 * plan.bytes + kFirstData > room) {
    ::snprintf(
        why, why_size,
        "it holds %llu MiB of memory, and twice as much is more than its limit leaves (%llu MiB)",
        static_cast<unsigned long long>(plan.bytes >> 20),
        static_cast<unsigned long long>(room >> 20));
    return Saved::kRefused;
  }
  if (::lseek(fd, 0, SEEK_END) < static_cast<off_t>(plan.next)) {
    return Refuse(why, why_size, "it has reserved too many addresses");
  }
  if (!WriteAll(pages, fd, plan.next) || pages.failed) {
    return Refuse(why, why_size, "its memory cannot be written to the checkpoint");
  }
  return Saved::kSaved;
}

}  // namespace

Saved SaveProcess(int fd, std::uint64_t room, char* why, std::size_t why_size) {
  if (stage == nullptr) return Refuse(why, why_size, "its interpreter is not a copy of a zygote");
  if (!TakeKernelState(why, why_size, fd)) return Saved::kRefused;
  const int pagemap = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (pagemap < 0) return Refuse(why, why_size, "/proc/self/pagemap cannot be opened");
  stage->came_back = 0;
  if (::getcontext(&context) != 0) return Refuse(why, why_size, "its registers cannot be read");
  // From here on twice: once in the process that is saved, once in each that becomes it.
  if (stage->came_back != 0) {
    PutBackKernelState();
    return stage->came_back == 1 + static_cast<std::uint32_t>(As::kBranch) ? Saved::kBranched
                                                                           : Saved::kRestored;
  }
  const Saved saved = SaveMemory(fd, room, why, why_size, pagemap);
  ::close(pagemap);
  return saved;
}

[[noreturn]] void GoOn() {
  ::setcontext(&context);
  ::_exit(6);
}

}  // namespace belljar::isolate
