// A session's interpreter, saved and resumed. See isolate/native/checkpoint.h for how.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sys.h"
#include "engine/live_session.h"

namespace belljar::engine {
namespace {

// Addresses, not memory: what is not written costs nothing.
constexpr off_t kMostAddresses = off_t{1} << 40;
constexpr char kFileName[] = "belljar";  // the guest knows its own memory by it
constexpr unsigned kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;

Result<Fd> NewFile() {
  Fd file(static_cast<int>(BJ_TRY(Check("memfd_create", "a checkpoint", [] {
    return ::memfd_create(kFileName, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  }))));
  BJ_TRY(
      Check("ftruncate", "a checkpoint", [&] { return ::ftruncate(file.get(), kMostAddresses); }));
  return file;
}

// Whoever still had it open for writing could change what others become.
Result<std::uint64_t> Seal(const Fd& file) {
  if (::fcntl(file.get(), F_ADD_SEALS, kSeals) != 0) {
    return Error(Kind::kInvalid, "the program keeps hold of its own checkpoint");
  }
  struct stat status {};
  BJ_TRY(Check("fstat", "a checkpoint", [&] { return ::fstat(file.get(), &status); }));
  return static_cast<std::uint64_t>(status.st_blocks) * 512;
}

}  // namespace

Result<> LiveSession::SendWithFile(std::string_view bytes, const Fd& file) {
  const std::array<int, 1> fds = {file.get()};
  return SendWithFds(prepared_.cell->control(), std::as_bytes(std::span(bytes)), fds);
}

Result<SavedMemory> LiveSession::Save(std::uint64_t room) {
  if (lang_ != policy::Lang::kPython) {
    return Error(Kind::kInvalid, fmt::format("a {} session cannot be saved: its interpreter has "
                                             "live threads or processes of its own",
                                             LangName(lang_)));
  }
  SavedMemory saved;
  saved.copy_of = prepared_.cell->copy_of();
  saved.runs = runs_;
  Fd file = BJ_TRY(NewFile());
  BJ_TRY(dialogue_.BeginCheckpoint());
  answer_.reset();
  BJ_TRY(SendWithFile(guest::EncodeCheckpoint(room), file));
  auto answered = ReadUntil([this] { return answer_.has_value(); }, "saved");
  if (!answered) {
    alive_ = false;
    return answered.error();
  }
  const auto* const said = std::get_if<guest::SessionSaved>(&*answer_);
  if (said == nullptr || !said->refused.empty()) {
    return Error(Kind::kInvalid, fmt::format("the session cannot be saved: {}",
                                             said == nullptr ? "it said so" : said->refused));
  }
  saved.bytes = BJ_TRY(Seal(file));
  saved.file = std::make_shared<const Fd>(std::move(file));
  return saved;
}

Result<std::unique_ptr<LiveSession>> LiveSession::Resume(session::PreparedCell prepared,
                                                         const policy::Request& shape,
                                                         const monitor::CgroupSupport& support,
                                                         const SavedMemory& memory,
                                                         guest::RestoreAs as) {
  std::unique_ptr<LiveSession> live(new LiveSession(std::move(prepared), shape, support));
  live->runs_ = memory.runs;
  BJ_TRY(live->SendWithFile(guest::EncodeRestore(as), *memory.file));
  BJ_TRY(live->AwaitReady().While("resume session"));
  BJ_TRY(SetNonBlocking(live->prepared_.cell->control()));
  return live;
}

}  // namespace belljar::engine
