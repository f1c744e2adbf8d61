#include "run/snapshot/content.h"

#include <fcntl.h>
#include <sys/statvfs.h>

#include <algorithm>

#include "foundation/base/sys.h"
#include "foundation/tree/copy.h"
#include "run/snapshot/beneath.h"

namespace belljar::run::snapshot {
namespace {

// Hashing smaller files costs less than arming them.
constexpr off_t kWorthArming = 64 << 10;

Error FilesHaveMore(std::string_view what, std::string_view path) {
  return Error(Kind::kExhausted, "the files of the workspace have more " + std::string(what) +
                                     " than a checkpoint carries, the last of them " + Named(path));
}

Result<std::vector<Extent>> FindExtents(const Fd& file, const Found& found, std::size_t most) {
  std::vector<Extent> extents;
  const auto size = static_cast<std::uint64_t>(found.stat.st_size);
  for (std::uint64_t at = 0; at < size;) {
    const auto data = BJ_TRY(tree::NextData(file, at, Named(found.entry.path)));
    if (!data || data->offset >= size) break;
    if (extents.size() == most) return FilesHaveMore("pieces between holes", found.entry.path);
    extents.push_back({data->offset, std::min(data->bytes, size - data->offset)});
    at = data->offset + extents.back().bytes;
  }
  return extents;
}

Result<> CopyExtent(const Fd& file, std::string_view path, Extent extent, Sink& sink) {
  const std::uint64_t read = BJ_TRY(tree::ReadBytes(
      file, extent, Named(path), [&](std::string_view bytes) { return sink.Write(bytes); }));
  return read == extent.bytes ? Result<>() : ChangedMeanwhile(path);
}

// Arms a file (memory.h): sets the access time back, so that the next mmap() updates it.
void Arm(const Fd& file, const struct stat& stat) {
  const timespec times[] = {stat.st_mtim, {0, UTIME_OMIT}};
  // If this fails, the file is read again by the next snapshot.
  static_cast<void>(::futimens(file.get(), times));
}

bool KeepsAccessTimes(const Fd& file) {
  struct statvfs about {};
  return ::fstatvfs(file.get(), &about) == 0 && (about.f_flag & ST_NOATIME) == 0;
}

// `stat` was the same before and after the file was read under a lease.
void RememberIfProven(const Fd& file, const struct stat& stat, const timespec& tick,
                      const Content& content, Memory& memory) {
  if (!KeepsAccessTimes(file)) return;
  if (Armed(stat)) {
    if (SettledBefore(stat, tick)) memory.Remember(stat, content);
  } else if (stat.st_size >= kWorthArming) {
    Arm(file, stat);
  }
}

}  // namespace

Result<> Allowance::Spend(const Content& content, std::string_view path) {
  if (content.extents.size() > extents) return FilesHaveMore("pieces between holes", path);
  extents -= content.extents.size();
  for (const Extent& extent : content.extents) {
    if (extent.bytes > bytes) return FilesHaveMore("data", path);
    bytes -= extent.bytes;
  }
  for (const Attribute& attribute : content.attributes) {
    const std::size_t size = attribute.name.size() + attribute.value.size();
    if (size > attribute_bytes) return FilesHaveMore("attributes", path);
    attribute_bytes -= size;
  }
  return {};
}

Result<Content> ReadContent(const Fd& workspace, const Found& found, Allowance& allowance,
                            Memory& memory, Sink& sink) {
  const std::string& path = found.entry.path;
  const timespec tick = TickNow();
  const Fd file = BJ_TRY(OpenForReading(workspace, path, 0));
  const ReadLease lease(file);
  const struct stat before = BJ_TRY(StatOf(file, path));
  if (!tree::SameFile(found.stat, before)) return ChangedMeanwhile(path);
  Content content;
  content.attributes = BJ_TRY(AttributesOf(file, path, allowance.attribute_bytes, Acl::kRefused));
  content.extents = BJ_TRY(FindExtents(file, found, allowance.extents));
  BJ_TRY(allowance.Spend(content, path));
  for (const Extent& extent : content.extents) BJ_TRY(CopyExtent(file, path, extent, sink));
  content.digest = BJ_TRY(sink.Finish());
  const struct stat after = BJ_TRY(StatOf(file, path));
  if (!tree::SameFile(before, after)) return ChangedMeanwhile(path);
  if (lease.granted()) RememberIfProven(file, after, tick, content, memory);
  return content;
}

}  // namespace belljar::run::snapshot
