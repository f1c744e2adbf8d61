#include "resource/vault/conflict.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <atomic>
#include <optional>

#include "foundation/base/quote.h"
#include "foundation/base/sys.h"
#include "foundation/tree/copy.h"
#include "foundation/tree/path.h"
#include "request/vault.h"
#include "resource/vault/steps.h"

namespace belljar::resource::vault {
namespace {

std::atomic<bool> left_out{false};

Error Conflict(const std::string& path, std::string_view what) {
  return Error(Kind::kUnavailable, Quote(path) + " " + std::string(what) +
                                       " while the program ran; nothing was written");
}

bool IsAbsence(const Error& error) {
  return error.sys() == ENOENT || error.sys() == ENOTDIR || error.sys() == ELOOP;
}

struct Found {
  Fd dir;
  struct stat status {};
};

// The entry at a path of the host now; nullopt if there is none, or if a link is on the way.
Result<std::optional<Found>> Look(const HostDir& host, const std::string& path) {
  auto dir = OpenParent(host, path);
  if (!dir && IsAbsence(dir.error())) return std::optional<Found>();
  if (!dir) return std::move(dir).error();
  Found found{*std::move(dir)};
  const auto seen = Check("stat", path, [&] {
    const std::string name(tree::NameOf(path));
    return ::fstatat(found.dir.get(), name.c_str(), &found.status, AT_SYMLINK_NOFOLLOW);
  });
  if (!seen && IsAbsence(seen.error())) return std::optional<Found>();
  if (!seen) return seen.error();
  return std::optional<Found>(std::move(found));
}

// Compares the content. Times can be equal although a file has changed (a clock of whole seconds, a
// time that was set), and differ although it has not (touch).
Result<bool> IsStill(const Found& found, const std::string& path, const Node& before) {
  const std::string name(tree::NameOf(path));
  if (before.kind == NodeKind::kLink) {
    if (!S_ISLNK(found.status.st_mode)) return false;
    const std::string target = BJ_TRY(tree::ReadLink(found.dir, name, path));
    return target == before.target;
  }
  if (before.kind == NodeKind::kDirectory) return S_ISDIR(found.status.st_mode);
  if (!S_ISREG(found.status.st_mode) || (found.status.st_mode & 0777) != before.mode ||
      static_cast<std::uint64_t>(found.status.st_size) != before.size) {
    return false;
  }
  const Fd file = BJ_TRY(tree::OpenFile(found.dir, name));
  const tree::Content content = BJ_TRY(tree::CopyFile(file, nullptr, path));
  return content.digest == before.digest;
}

Result<> MustBeStill(const HostDir& host, const Tree& before, const std::string& path) {
  const auto found = BJ_TRY(Look(host, path));
  if (!found) return Conflict(path, "was removed from the host");
  if (!BJ_TRY(IsStill(*found, path, before.at(path)))) {
    return Conflict(path, "was changed on the host");
  }
  return {};
}

// A directory may not be removed if new entries were made in it meanwhile.
Result<> MustHoldNothingNew(const HostDir& host, const Tree& before, const std::string& path) {
  const auto names = BJ_TRY(tree::AllNamesOf(host.fd, path, request::kMaxVaultFiles));
  for (const std::string& name : names) {
    const std::string child = path + "/" + name;
    if (!before.contains(child)) return Conflict(child, "was made on the host");
  }
  return {};
}

Result<> CheckComing(const HostDir& host, const Tree& before, const std::string& path) {
  // If an entry of another kind is replaced, it is checked as a removed one.
  if (before.contains(path)) return MustBeStill(host, before, path);
  const auto found = BJ_TRY(Look(host, path));
  if (found) return Conflict(path, "was made on the host");
  return {};
}

}  // namespace

Result<> CheckUnchanged(const HostDir& host, const Tree& before, const Plan& plan) {
  if (left_out) return {};
  for (const std::string& path : plan.remove) BJ_TRY(MustBeStill(host, before, path));
  for (const std::string& path : plan.remove_dirs) {
    BJ_TRY(MustBeStill(host, before, path));
    BJ_TRY(MustHoldNothingNew(host, before, path));
  }
  for (const std::string& path : plan.make_dirs) BJ_TRY(CheckComing(host, before, path));
  for (const std::string& path : plan.place) BJ_TRY(CheckComing(host, before, path));
  return {};
}

void LeaveOutConflictCheck() { left_out = true; }

}  // namespace belljar::resource::vault
