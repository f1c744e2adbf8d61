// LibraryCache: a parser of the host's /etc/ld.so.cache, which lists libraries outside the loader's
// default directories.
//
// Format (glibc 2.2 and later, "glibc-ld.so.cache1.1"): a 48-byte header with the number of
// entries, then 24 bytes per entry: flags, offset of the name, offset of the path (both from the
// header's start), OS version, hardware capabilities. Entries for particular processors are
// ignored, because an image may be moved to another machine. Old caches start with a table of the
// previous format; therefore the magic is searched for.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace belljar::cell::image {

class LibraryCache {
 public:
  // A damaged cache, or one of an unknown format, has no entries.
  static LibraryCache Parse(std::string_view bytes);

  // Paths for a name such as "libz.so.1", best first.
  const std::vector<std::string>& Paths(const std::string& name) const;

 private:
  std::map<std::string, std::vector<std::string>> paths_;
};

}  // namespace belljar::cell::image
