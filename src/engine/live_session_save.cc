// A session's interpreter, saved and resumed. See isolate/native/checkpoint.h for how.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/sys.h"
#include "engine/live_session.h"
#include "session/cell_meter.h"

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
  return BytesOf(file);
}

// A page of a sealed file that nobody wrote takes memory when it is read, and whoever read it may
// be gone: a program could fill the machine that way, from one rollback to the next.
bool HasGrown(const Fd& file, std::uint64_t sealed_bytes) {
  constexpr std::uint64_t kMostGrowth = 128 << 20;
  return BytesOf(file) > sealed_bytes + kMostGrowth;
}

Result<> CheckGrowth(const SavedMemory& memory) {
  const bool base_has = memory.base && HasGrown(*memory.base, memory.base_bytes);
  if (!base_has && !HasGrown(*memory.file, memory.bytes)) return {};
  return Error(Kind::kExhausted,
               "empty memory of this checkpoint has been used by sessions restored from it, more "
               "than is allowed for: delete it and make another");
}

Result<std::uint64_t> InodeOf(const Fd& file) {
  struct stat status {};
  BJ_TRY(Check("fstat", "a checkpoint", [&] { return ::fstat(file.get(), &status); }));
  return status.st_ino;
}

Result<> SendWithFiles(const session::PreparedCell& to, std::string_view bytes, const Fd& file,
                       const Fd* base) {
  const std::array<int, 2> fds = {file.get(), base != nullptr ? base->get() : -1};
  return SendWithFds(to.cell->control(), std::as_bytes(std::span(bytes)),
                     std::span(fds).first(base != nullptr ? 2 : 1));
}

// An image that finds no room costs the container.
Result<> CheckDisk(const std::string& state_dir, std::uint64_t memory_limit) {
  constexpr std::uint64_t kSpare = 256 << 20;
  struct statvfs disk {};
  BJ_TRY(Check("statvfs", state_dir, [&] { return ::statvfs(state_dir.c_str(), &disk); }));
  const std::uint64_t there = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
  if (there >= memory_limit + kSpare) return {};
  return Error(Kind::kInvalid,
               fmt::format("the session cannot be saved: {} has {} MiB left, and it "
                           "may take {}",
                           state_dir, there >> 20, (memory_limit + kSpare) >> 20));
}

// The runtime that writes a container down does so within the container's own limit, and is killed
// beyond it.
Result<> CheckRoomToSave(const session::PreparedCell& prepared, std::uint64_t limit) {
  constexpr std::uint64_t kSavingBytes = 64 << 20;
  if (!prepared.group) return {};
  const auto counted = BJ_TRY(prepared.group->MemoryHeld());
  const std::uint64_t held = counted.value_or(0);
  if (held + kSavingBytes <= limit) return {};
  return Error(Kind::kInvalid,
               fmt::format("the session cannot be saved: that takes {} MiB besides the {} it uses "
                           "of its {}: give it more memory, or free some",
                           kSavingBytes >> 20, held >> 20, limit >> 20));
}

}  // namespace

std::uint64_t BytesOf(const Fd& file) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return 0;
  return static_cast<std::uint64_t>(status.st_blocks) * 512;
}

// Whether what was saved builds on the base.
Result<bool> LiveSession::AskToSave(std::uint64_t room, const Fd& file) {
  const std::uint64_t base = base_ ? BJ_TRY(InodeOf(*base_)) : 0;
  BJ_TRY(dialogue_.BeginCheckpoint());
  answer_.reset();
  BJ_TRY(SendWithFiles(prepared_, guest::EncodeCheckpoint(room, base), file, nullptr));
  auto answered = ReadUntil([this] { return answer_.has_value(); }, "saved");
  if (!answered) {
    alive_ = false;
    return answered.error();
  }
  const auto* const said = std::get_if<guest::SessionSaved>(&*answer_);
  std::string refused = said == nullptr ? "it said so" : said->refused;
  if (refused.empty() && said->part && !base_) refused = "it builds on what was never saved";
  if (refused.empty()) return said->part;
  return Error(Kind::kInvalid, fmt::format("the session cannot be saved: {}", refused));
}

Result<SavedMemory> LiveSession::Save(
    std::uint64_t room, const std::string& state_dir,
    const std::function<Result<>(const Fd& written)>& take_files) {
  if (backend_ != policy::BackendKind::kNative) return SaveContainer(room, state_dir, take_files);
  auto saved = BJ_TRY(SaveProcess(room));
  BJ_TRY(take_files(prepared_.cell->written()));
  return saved;
}

// What cannot be carried of its files is refused before it is stopped, and what they are is taken
// once more when it is: what runs besides the interpreter may have written.
Result<SavedMemory> LiveSession::SaveContainer(
    std::uint64_t room, const std::string& state_dir,
    const std::function<Result<>(const Fd&)>& take_files) {
  isolate::Cell& cell = *prepared_.cell;
  BJ_TRY(CheckRoomToSave(prepared_, memory_limit_));
  BJ_TRY(CheckDisk(state_dir, memory_limit_));
  SavedMemory saved;
  saved.backend = backend_;
  saved.runs = runs_;
  auto place = BJ_TRY(SavedContainer::NewPlace(state_dir));
  BJ_TRY(take_files(cell.written()));
  Fd dir = BJ_TRY(place->Open());
  auto container = cell.Save(std::move(dir), [&] { return take_files(cell.written()); });
  if (!container && container.error().kind() != Kind::kInvalid) alive_ = !HasGone();
  if (!container) {
    return std::move(container).error().While(
        fmt::format("a session of the backend {} cannot be saved", BackendName(backend_)));
  }
  BJ_TRY(SetNonBlocking(cell.control()));
  place->Keep(*std::move(container));
  saved.bytes = place->bytes();
  if (saved.bytes > room) {
    return Error(Kind::kInvalid,
                 "the session cannot be saved: its checkpoints would hold more than "
                 "its limit of memory: delete one first");
  }
  saved.container = std::move(place);
  return saved;
}

Result<SavedMemory> LiveSession::SaveProcess(std::uint64_t room) {
  if (lang_ != policy::Lang::kPython) {
    return Error(Kind::kInvalid, fmt::format("a {} session cannot be saved: its interpreter has "
                                             "live threads or processes of its own",
                                             LangName(lang_)));
  }
  if (base_ && HasGrown(*base_, base_bytes_)) base_.reset();  // nothing more is to build on it
  SavedMemory saved;
  saved.copy_of = prepared_.cell->copy_of();
  saved.runs = runs_;
  auto file = std::make_shared<const Fd>(BJ_TRY(NewFile()));
  made_.push_back(file);
  const bool part = BJ_TRY(AskToSave(room, *file));
  if (!part) base_.reset();  // its memory is on the new file now, which is not sealed yet
  saved.bytes = BJ_TRY(Seal(*file));
  if (part) {
    saved.base = base_;
    saved.base_bytes = base_bytes_;
  } else {
    base_ = file;
    base_bytes_ = saved.bytes;
  }
  saved.file = std::move(file);
  return saved;
}

std::vector<std::shared_ptr<const Fd>> LiveSession::Files() {
  std::erase_if(made_, [](const auto& file) { return file.expired(); });
  std::vector<std::shared_ptr<const Fd>> files;
  if (base_) files.push_back(base_);
  for (const auto& made : made_) files.push_back(made.lock());
  return files;
}

// In a container that was restored the guest is there already. It is told whether it is a branch,
// and that it answers shows that all of it is back.
Result<std::unique_ptr<LiveSession>> LiveSession::GoOn(std::unique_ptr<LiveSession> live,
                                                       guest::RestoreAs as) {
  const Fd& control = live->prepared_.cell->control();
  BJ_TRY(WriteAll(control, guest::EncodeRestore(as), "what was saved"));
  BJ_TRY(live->AwaitReady().While("resume session"));
  BJ_TRY(SetNonBlocking(control));
  live->prepared_.cell->Speak();
  return live;
}

Result<std::unique_ptr<LiveSession>> LiveSession::Resume(session::PreparedCell prepared,
                                                         const policy::Request& shape,
                                                         const monitor::CgroupSupport& support,
                                                         const SavedMemory& memory,
                                                         guest::RestoreAs as,
                                                         std::shared_ptr<Network> network) {
  std::unique_ptr<LiveSession> live(new LiveSession(std::move(prepared), shape));
  live->meter_ = BJ_TRY(session::MeterFor(live->prepared_, support, shape.limits));
  live->network_ = std::move(network);
  live->runs_ = memory.runs;
  if (memory.container) return GoOn(std::move(live), as);
  live->base_ = memory.base ? memory.base : memory.file;
  live->base_bytes_ = memory.base ? memory.base_bytes : memory.bytes;
  BJ_TRY(CheckGrowth(memory));
  BJ_TRY(SendWithFiles(live->prepared_, guest::EncodeRestore(as), *memory.file, memory.base.get()));
  BJ_TRY(live->AwaitReady().While("resume session"));
  BJ_TRY(SetNonBlocking(live->prepared_.cell->control()));
  return live;
}

}  // namespace belljar::engine
