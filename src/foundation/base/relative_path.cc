#include "foundation/base/relative_path.h"

#include <algorithm>

#include "foundation/base/quote.h"
#include "foundation/base/text.h"

namespace belljar {
namespace {

Result<> CheckPart(std::string_view path, std::string_view part) {
  constexpr std::size_t kMaxNameBytes = 255;  // the kernel's NAME_MAX
  if (part.empty()) return Invalid("the path {} has an empty part", Quote(path));
  if (part == "." || part == "..") {
    return Invalid("the path {} has a {} part", Quote(path), Quote(part));
  }
  if (part.size() <= kMaxNameBytes) return {};
  return Invalid("the path {} has a part of {} bytes; at most {} are allowed", Quote(path),
                 part.size(), kMaxNameBytes);
}

Result<> CheckText(std::string_view path) {
  if (path.empty()) return Invalid("a path is empty");
  if (path.size() > kMaxPathBytes) {
    return Invalid("the path {} has {} bytes; at most {} are allowed", Quote(path), path.size(),
                   kMaxPathBytes);
  }
  const std::size_t nul = path.find('\0');
  if (nul != path.npos) return Invalid("the path {} has a NUL byte at offset {}", Quote(path), nul);
  const std::size_t bad = FindInvalidUtf8(path);
  if (bad != path.npos) {
    return Invalid("the path {} is not UTF-8: byte 0x{:02x} at offset {}", Quote(path),
                   static_cast<unsigned char>(path[bad]), bad);
  }
  const TroubleAt found = FindTrouble(path);
  if (found.trouble == Trouble::kNone) return {};
  return Invalid("the path {} has a {} character at offset {}", Quote(path),
                 found.trouble == Trouble::kControl ? "control" : "bidirectional", found.offset);
}

}  // namespace

Result<> CheckRelativePath(std::string_view path) {
  BJ_TRY(CheckText(path));
  if (path[0] == '/') {
    return Invalid("the path {} is absolute; paths are relative to the workspace", Quote(path));
  }
  std::size_t depth = 0;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    BJ_TRY(CheckPart(path, path.substr(begin, end - begin)));
    ++depth;
    begin = end + 1;
  }
  if (depth <= kMaxPathDepth) return {};
  return Invalid("the path {} is {} levels deep; at most {} are allowed", Quote(path), depth,
                 kMaxPathDepth);
}

}  // namespace belljar
