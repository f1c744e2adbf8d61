// Paths inside an image, from any text: absolute, no "..", nothing outside the root, and the same
// again when read again. The input's lines are a path and then links, each "AT TAB TARGET".
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "cell/image/paths.h"

namespace {

using belljar::cell::image::InsidePath;
using belljar::cell::image::IsWithin;
using belljar::cell::image::NameOf;
using belljar::cell::image::ParentOf;
using belljar::cell::image::ResolveInside;

void Require(bool holds) {
  if (!holds) std::abort();
}

void RequireInside(const std::string& path) {
  Require(path.starts_with('/'));
  Require(path == "/" || !path.ends_with('/'));
  const std::string closed = path + "/";
  Require(path == "/" || closed.find("//") == std::string::npos);
  Require(closed.find("/../") == std::string::npos);
  Require(closed.find("/./") == std::string::npos);
  Require(path.find('\0') == std::string::npos);
  Require(InsidePath(path) == path);
  Require(IsWithin(path, "/"));
  Require(path == "/" || InsidePath(ParentOf(path) + "/" + NameOf(path)) == path);
}

std::string_view NextLine(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view path = NextLine(text);
  RequireInside(InsidePath(path));

  std::map<std::string, std::string> links;
  while (!text.empty()) {
    const std::string_view line = NextLine(text);
    const std::size_t tab = std::min(line.find('\t'), line.size());
    links[InsidePath(line.substr(0, tab))] = line.substr(std::min(tab + 1, line.size()));
  }
  const auto read_link = [&](const std::string& at) -> std::optional<std::string> {
    RequireInside(at);
    const auto link = links.find(at);
    return link == links.end() ? std::nullopt : std::optional(link->second);
  };
  const auto resolved = ResolveInside(path, read_link);
  if (!resolved) return 0;
  RequireInside(resolved->path);
  const auto again = ResolveInside(resolved->path, read_link);
  Require(again && again->path == resolved->path && again->links.empty());
  for (const auto& link : resolved->links) RequireInside(link.at);
  return 0;
}
