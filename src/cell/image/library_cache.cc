#include "cell/image/library_cache.h"

#include <cstdint>
#include <cstring>

namespace belljar::cell::image {
namespace {

constexpr std::string_view kMagic = "glibc-ld.so.cache1.1";
constexpr std::size_t kHeaderBytes = 48;

struct CacheEntry {
  std::int32_t flags;
  std::uint32_t name;
  std::uint32_t path;
  std::uint32_t os_version;
  std::uint64_t hwcap;
};
static_assert(sizeof(CacheEntry) == 24);

std::string TextAt(std::string_view bytes, std::uint32_t offset) {
  if (offset >= bytes.size()) return "";
  const std::string_view rest = bytes.substr(offset);
  const std::size_t end = rest.find('\0');
  return end == std::string_view::npos ? "" : std::string(rest.substr(0, end));
}

}  // namespace

LibraryCache LibraryCache::Parse(std::string_view bytes) {
  LibraryCache cache;
  const std::size_t start = bytes.find(kMagic);
  if (start == std::string_view::npos) return cache;
  bytes.remove_prefix(start);
  std::uint32_t count = 0;
  if (bytes.size() < kHeaderBytes) return cache;
  std::memcpy(&count, bytes.data() + kMagic.size(), sizeof(count));
  if (count > (bytes.size() - kHeaderBytes) / sizeof(CacheEntry)) return cache;
  for (std::size_t i = 0; i < count; ++i) {
    CacheEntry entry{};
    std::memcpy(&entry, bytes.data() + kHeaderBytes + i * sizeof(entry), sizeof(entry));
    if (entry.hwcap != 0) continue;
    const std::string path = TextAt(bytes, entry.path);
    if (path.starts_with('/')) cache.paths_[TextAt(bytes, entry.name)].push_back(path);
  }
  return cache;
}

const std::vector<std::string>& LibraryCache::Paths(const std::string& name) const {
  static const std::vector<std::string> kNone;
  const auto found = paths_.find(name);
  return found == paths_.end() ? kNone : found->second;
}

}  // namespace belljar::cell::image
