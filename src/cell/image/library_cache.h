// LibraryCache: the host's /etc/ld.so.cache, which says where libraries lie that are in none of
// the loader's default directories.
//
// Format (glibc 2.2 and later, "glibc-ld.so.cache1.1"): a 48-byte header with the number of
// entries, then 24 bytes an entry: flags, offset of the name, offset of the path (both from the
// header's start), OS version, hardware capabilities. Entries for particular processors are left
// out: an image may be used after a move to another machine. Old caches put a table of the first
// format before it; the magic is therefore searched.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace belljar::cell::image {

class LibraryCache {
 public:
  // A cache that is damaged or of an unknown format has no entries.
  static LibraryCache Parse(std::string_view bytes);

  // Paths for a name such as "libz.so.1", best first.
  const std::vector<std::string>& Paths(const std::string& name) const;

 private:
  std::map<std::string, std::vector<std::string>> paths_;
};

}  // namespace belljar::cell::image
