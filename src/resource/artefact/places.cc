#include "resource/artefact/places.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>

#include "foundation/base/json.h"
#include "foundation/base/random_id.h"
#include "foundation/base/sys.h"
#include "foundation/tree/open.h"
#include "foundation/tree/remove.h"
#include "request/artefact.h"

namespace belljar::resource::artefact {
namespace {

constexpr std::size_t kMaxSmallFile = 4096;
constexpr const char* kHold = "hold";
constexpr const char* kObjectFile = "object.json";
constexpr std::size_t kMaxNames = 1'000'000;

Error Damaged(std::string_view what) {
  return Error(Kind::kInternal, fmt::format("{} of the artefact store cannot be read", what));
}

Result<json::object> ReadSmall(const Fd& dir, const std::string& path) {
  const Fd file = BJ_TRY(OpenBeneath(dir, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  const std::string text = BJ_TRY(ReadAll(file, kMaxSmallFile, path));
  const auto value = ParseJson(text);
  if (!value || !value->is_object()) return Damaged(path);
  return value->get_object();
}

// Writes a whole file or none (rename), and syncs it before it gets its name.
Result<> WriteSmall(const Fd& dir, const std::string& name, const json::object& object) {
  const std::string fresh = BJ_TRY(RandomId(".new."));
  {
    const Fd file = BJ_TRY(OpenBeneath(dir, fresh, O_WRONLY | O_CREAT | O_EXCL, 0600));
    BJ_TRY(WriteAll(file, json::serialize(object) + "\n", name));
    BJ_TRY(Check("sync", name, [&] { return ::fsync(file.get()); }));
  }
  BJ_TRY(Check("rename", name,
               [&] { return ::renameat(dir.get(), fresh.c_str(), dir.get(), name.c_str()); }));
  BJ_TRY(Check("sync", name, [&] { return ::fsync(dir.get()); }));
  return {};
}

std::string TextAt(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  if (value == nullptr || !value->is_string()) return "";
  return {value->get_string().data(), value->get_string().size()};
}

std::uint64_t NumberAt(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  boost::system::error_code failed;
  const auto number = value == nullptr ? 0 : value->to_number<std::uint64_t>(failed);
  return failed ? 0 : number;
}

bool SameInode(const Fd& a, const Fd& dir, const std::string& path) {
  struct stat one {};
  struct stat other {};
  const auto there = OpenBeneath(dir, path, O_PATH | O_NOFOLLOW);
  return there && ::fstat(a.get(), &one) == 0 && ::fstat(there->get(), &other) == 0 &&
         one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

}  // namespace

Result<Fd> LockStore(const Fd& dir) {
  Fd lock = BJ_TRY(OpenBeneath(dir, ".lock", O_RDWR | O_CREAT | O_NOFOLLOW, 0600));
  BJ_TRY(Check("lock", "the artefact store", [&] { return ::flock(lock.get(), LOCK_EX); }));
  return lock;
}

std::string HexOf(const std::string& digest) { return digest.substr(digest.find(':') + 1); }

Result<ObjectFile> ReadObject(const Fd& object) {
  const json::object read = BJ_TRY(ReadSmall(object, kObjectFile));
  ObjectFile file;
  const std::string shape = TextAt(read, "shape");
  file.content.shape = shape == "tree" ? Shape::kTree : Shape::kFile;
  file.content.digest = TextAt(read, "digest");
  file.content.files = NumberAt(read, "files");
  file.content.bytes = NumberAt(read, "bytes");
  file.marks = TextAt(read, "marks");
  const bool whole = NumberAt(read, "v") == 1 && (shape == "tree" || shape == "file") &&
                     request::ValidateArtefactDigest(file.content.digest) && !file.marks.empty();
  if (!whole) return Damaged(kObjectFile);
  return file;
}

Result<> WriteObject(const Fd& object, const ObjectFile& file) {
  return WriteSmall(object, kObjectFile,
                    {{"v", 1},
                     {"shape", ShapeName(file.content.shape)},
                     {"digest", file.content.digest},
                     {"files", file.content.files},
                     {"bytes", file.content.bytes},
                     {"marks", file.marks}});
}

Result<NameFile> ReadName(const Fd& dir, const std::string& name) {
  const json::object read = BJ_TRY(ReadSmall(dir, std::string(kNames) + "/" + name));
  NameFile file{TextAt(read, "digest"), TextAt(read, "added")};
  if (NumberAt(read, "v") != 1 || !request::ValidateArtefactDigest(file.digest)) {
    return Damaged("the name " + name);
  }
  return file;
}

Result<> WriteName(const Fd& dir, const std::string& name, const NameFile& file) {
  const Fd names = BJ_TRY(OpenBeneath(dir, kNames, O_RDONLY | O_DIRECTORY));
  return WriteSmall(names, name, {{"v", 1}, {"digest", file.digest}, {"added", file.added}});
}

Result<Staging> NewStaging(const Fd& dir) {
  Staging staging;
  staging.name = BJ_TRY(RandomId(".adding."));
  BJ_TRY(MakeDirsBeneath(dir, staging.name, 0700));
  staging.folder = BJ_TRY(OpenBeneath(dir, staging.name, O_RDONLY | O_DIRECTORY));
  staging.hold = BJ_TRY(OpenBeneath(staging.folder, kHold, O_RDWR | O_CREAT | O_EXCL, 0600));
  BJ_TRY(Check("lock", staging.name, [&] { return ::flock(staging.hold.get(), LOCK_SH); }));
  return staging;
}

Result<Fd> HoldObject(const Fd& dir, const std::string& hex) {
  const std::string path = fmt::format("{}/{}/{}", kObjects, hex, kHold);
  for (;;) {
    Fd hold = BJ_TRY(OpenBeneath(dir, path, O_RDWR | O_NOFOLLOW));
    BJ_TRY(Check("lock", path, [&] { return ::flock(hold.get(), LOCK_SH); }));
    // The object may have been deleted or put aside while we waited; then the path is another
    // inode.
    if (SameInode(hold, dir, path)) return hold;
  }
}

Result<bool> DeleteUnlessHeld(const Fd& dir, const std::string& parent, const std::string& name) {
  const Fd folder = BJ_TRY(OpenBeneath(dir, parent, O_RDONLY | O_DIRECTORY));
  const auto hold = OpenBeneath(folder, name + "/" + kHold, O_RDWR | O_NOFOLLOW);
  if (hold && ::flock(hold->get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    return SysError("lock", name, errno);
  }
  BJ_TRY(tree::RemoveWhole(folder, name, name));
  return true;
}

Result<> PutAside(const Fd& dir, const std::string& hex) {
  const std::string from = fmt::format("{}/{}", kObjects, hex);
  const std::string to = BJ_TRY(RandomId(".gone."));
  BJ_TRY(Check("rename", from,
               [&] { return ::renameat(dir.get(), from.c_str(), dir.get(), to.c_str()); }));
  return {};
}

Result<> SweepStore(const Fd& dir) {
  std::set<std::string> wanted;
  bool sure = true;
  for (const std::string& name : BJ_TRY(tree::AllNamesOf(dir, kNames, kMaxNames))) {
    if (name.starts_with(".new.")) {
      ::unlinkat(dir.get(), fmt::format("{}/{}", kNames, name).c_str(), 0);
      continue;
    }
    const auto file = ReadName(dir, name);
    if (file) wanted.insert(HexOf(file->digest));
    // The name's file is unreadable, so its digest is unknown: no object is deleted.
    sure = sure && file;
  }
  for (const std::string& hex : BJ_TRY(tree::AllNamesOf(dir, kObjects, kMaxNames))) {
    if (sure && !wanted.contains(hex)) BJ_TRY(DeleteUnlessHeld(dir, kObjects, hex));
  }
  for (const std::string& name : BJ_TRY(tree::AllNamesOf(dir, "", kMaxNames))) {
    const bool ours = name.starts_with(".adding.") || name.starts_with(".gone.") ||
                      name.starts_with(tree::kRemovedPrefix);  // left by a removal that was killed
    if (!ours) continue;
    BJ_TRY(DeleteUnlessHeld(dir, ".", name));
  }
  return {};
}

}  // namespace belljar::resource::artefact
