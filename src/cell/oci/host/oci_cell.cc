#include "cell/oci/host/oci_cell.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "cell/oci/host/trial.h"
#include "foundation/base/sys.h"

namespace belljar::cell::oci {
namespace {

constexpr std::string_view kDeleted = " (deleted)";
constexpr std::chrono::seconds kSilence{10};
constexpr std::chrono::seconds kStateTime{3};

bool IsNumber(const char* name) { return *name >= '1' && *name <= '9'; }

using Dir = std::unique_ptr<DIR, int (*)(DIR*)>;

Dir OpenDir(int at, const std::string& path) {
  const int fd = ::openat(at, path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  Dir dir(fd < 0 ? nullptr : ::fdopendir(fd), ::closedir);
  if (!dir && fd >= 0) ::close(fd);
  return dir;
}

// Finds a deleted file of the guest's among the open files of one process of the runtime.
std::optional<std::string> DeletedFileOf(const Fd& procfs, const std::string& pid) {
  const Dir fds = OpenDir(procfs.get(), pid + "/fd");
  if (!fds) return std::nullopt;  // it has ended
  while (const dirent* const entry = ::readdir(fds.get())) {
    std::array<char, 4096> target;
    const ssize_t size =
        ::readlinkat(::dirfd(fds.get()), entry->d_name, target.data(), target.size());
    if (size <= 0) continue;
    std::string_view name(target.data(), static_cast<std::size_t>(size));
    if (!name.ends_with(kDeleted) || name.starts_with("/memfd:")) continue;
    name.remove_suffix(kDeleted.size());
    return std::string(name.substr(name.rfind('/') + 1));
  }
  return std::nullopt;
}

// gVisor loses the whole container when it saves one with an open deleted file, so it is refused
// first. The runtime's processes hold the descriptors of the files that the guest has open.
Result<> RefuseDeletedFiles(const Fd& procfs) {
  const Dir processes = OpenDir(procfs.get(), ".");
  if (!processes) return SysError("open", "the container's processes", errno);
  while (const dirent* const entry = ::readdir(processes.get())) {
    if (!IsNumber(entry->d_name)) continue;
    const auto name = DeletedFileOf(procfs, entry->d_name);
    if (!name) continue;
    return Error(Kind::kInvalid, "a deleted file is still open, \"" + *name + "\": close it first");
  }
  return {};
}

}  // namespace

Result<NewStream> OpenStream(Relay& relay, const std::set<CellListener>& listeners) {
  NewStream made;
  auto stream = BJ_TRY(MakeSocketPair(SOCK_STREAM));
  Fd in(::fcntl(stream.ours.get(), F_DUPFD_CLOEXEC, 3));
  made.line = BJ_TRY(
      relay.Add({std::move(in), std::move(stream.ours), Framing::kPlain, &made.errors, listeners}));
  made.theirs = std::move(stream.theirs);
  return made;
}

// A keeper that is still waiting for an earlier command does not answer.
std::string OciCell::Condition() {
  const auto said = KeeperProcess::Tell(container_, {"state", kContainerName}, {Fd(), kStateTime});
  if (!said && said.error().kind() == Kind::kUnavailable) {
    return "the runtime has neither started it nor says its state";
  }
  const std::string status = said ? StatusFrom(*said) : "";
  return status.empty() ? "the runtime knows no state of it"
                        : "the runtime says that it is " + status;
}

// The keeper stays, and with it all files that the guest has written; only the state in the runtime
// is saved and restored.
Result<SavedContainer> OciCell::Save(Fd dir, const std::function<Result<>()>& meanwhile) {
  if (!origin_.why_not_saved.empty()) return Error(Kind::kInvalid, origin_.why_not_saved);
  BJ_TRY(RefuseDeletedFiles(container_.procfs));
  NewStream stream = BJ_TRY(OpenStream(origin_.relay, {}));
  Unread unread = BJ_TRY(line_->Hush(kSilence));
  auto saved = WriteUnread(dir, unread);
  if (saved) saved = KeeperProcess::Save(container_, dir);
  // A runtime that has not answered in time may still stop the container later.
  if (!saved && saved.error().kind() == Kind::kUnavailable) Kill();
  if (!saved) {
    line_->Speak(std::move(unread));
    const bool gone = BJ_TRY(WaitReadable(line_->ends().ended, std::chrono::milliseconds(0)));
    return Error(gone ? Kind::kInternal : Kind::kInvalid,
                 "the runtime cannot save it: " + saved.error().message());
  }
  const auto done = meanwhile();
  BJ_TRY(KeeperProcess::Restore(container_, dir, stream.errors, stream.theirs).While("go on"));
  line_ = std::move(stream.line);
  line_->Speak(std::move(unread));
  BJ_TRY(done);
  return SavedContainer{std::move(dir), origin_.uid, origin_.tree};
}

}  // namespace belljar::cell::oci
