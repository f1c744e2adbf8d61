#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cell/guest/python/checkpoint.h"
#include "cell/guest/python/checkpoint_layout.h"

namespace belljar::cell::guest {

Stage* stage = nullptr;

bool ReserveStage() {
  constexpr std::size_t kSize = (sizeof(Stage) + kPage - 1) / kPage * kPage;
  // An inaccessible page before and after it keeps the kernel from merging it with a neighbouring
  // mapping.
  void* const place = ::mmap(nullptr, kSize + 2 * kPage, PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return false;
  char* const inside = static_cast<char*>(place) + kPage;
  if (::mprotect(inside, kSize, PROT_READ | PROT_WRITE) != 0) return false;
  stage = reinterpret_cast<Stage*>(inside);
  return true;
}

namespace {

std::size_t ReadWhole(const char* path, char* into, std::size_t size) {
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  std::size_t have = 0;
  for (;;) {
    const ssize_t n = ::read(fd, into + have, size - have);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    have += static_cast<std::size_t>(n);
  }
  ::close(fd);
  return have;
}

// Parses one line of /proc/self/maps from left to right.
class Line {
 public:
  Line(const char* at, const char* end) : at_(at), end_(end) {}

  std::uint64_t Number(unsigned base) {
    std::uint64_t value = 0;
    for (; at_ < end_; ++at_) {
      const unsigned digit = Digit(*at_);
      if (digit >= base) break;
      value = value * base + digit;
    }
    if (at_ < end_) ++at_;  // the separator
    return value;
  }
  const char* Word() {
    const char* const word = at_;
    while (at_ < end_ && *at_ != ' ') ++at_;
    if (at_ < end_) ++at_;
    return word;
  }
  const char* Rest() {
    while (at_ < end_ && *at_ == ' ') ++at_;
    return at_;
  }

 private:
  static unsigned Digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    return c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a' + 10) : 99;
  }

  const char* at_;
  const char* end_;
};

bool StartsWith(const char* text, const char* end, const char* prefix) {
  const std::size_t size = ::strlen(prefix);
  return static_cast<std::size_t>(end - text) >= size && ::memcmp(text, prefix, size) == 0;
}

bool IsTheKernels(const char* name, const char* end) {
  return StartsWith(name, end, "[v");  // [vdso], [vvar], [vvar_vclock], [vsyscall]
}

bool IsTheStage(const Region& region) {
  const auto begin = reinterpret_cast<std::uint64_t>(stage);
  return region.start >= begin && region.start < begin + sizeof(Stage);
}

bool KeepPath(RegionTable& table, Region& region, const char* path, const char* end) {
  const auto size = static_cast<std::size_t>(end - path);
  if (table.path_bytes + size + 1 > sizeof(table.paths)) return false;
  region.path = static_cast<std::uint32_t>(table.path_bytes);
  ::memcpy(table.paths + table.path_bytes, path, size);
  table.paths[table.path_bytes + size] = '\0';
  table.path_bytes += size + 1;
  return true;
}

RegionKind KindOf(const Region& region, const char* name, const char* end) {
  if (region.inode != 0) return RegionKind::kFile;
  if (StartsWith(name, end, "[stack]")) return RegionKind::kStack;
  return region.prot == PROT_NONE ? RegionKind::kReserved : RegionKind::kMemory;
}

bool AddRegion(RegionTable& table, const char* text, const char* end, const char** why) {
  Line line(text, end);
  Region region{};
  region.start = line.Number(16);
  region.end = line.Number(16);
  const char* const perms = line.Word();
  region.prot = (perms[0] == 'r' ? PROT_READ : 0U) | (perms[1] == 'w' ? PROT_WRITE : 0U) |
                (perms[2] == 'x' ? PROT_EXEC : 0U);
  region.map_flags = perms[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
  region.file_offset = line.Number(16);
  region.device = line.Number(16) << 32;
  region.device |= line.Number(16);
  region.inode = line.Number(10);
  const char* const name = line.Rest();
  if (IsTheKernels(name, end) || IsTheStage(region)) return true;
  region.kind = KindOf(region, name, end);
  *why = "its memory is in too many pieces";
  if (table.count == kMostRegions) return false;
  if (region.kind == RegionKind::kFile && !KeepPath(table, region, name, end)) return false;
  table.regions[table.count++] = region;
  return true;
}

}  // namespace

bool ReadRegions(RegionTable& table, const char** why) {
  table.count = table.path_bytes = 0;
  const std::size_t size = ReadWhole("/proc/self/maps", stage->maps, sizeof(stage->maps));
  *why = "/proc/self/maps cannot be read whole";
  if (size == 0 || size == sizeof(stage->maps)) return false;
  const char* const end = stage->maps + size;
  for (const char* at = stage->maps; at < end;) {
    const auto* newline =
        static_cast<const char*>(::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    if (newline == nullptr) return false;
    if (!AddRegion(table, at, newline, why)) return false;
    at = newline + 1;
  }
  return true;
}

}  // namespace belljar::cell::guest
