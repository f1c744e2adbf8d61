#include "run/session/live_session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <chrono>

#include "cell/guest/protocol/environment.h"
#include "cell/pool/cell_meter.h"
#include "foundation/base/sys.h"
#include "run/supervise.h"
#include "run/tools.h"

namespace belljar::run {
namespace {

using Clock = std::chrono::steady_clock;
using Variables = std::map<std::string, std::string>;
constexpr std::chrono::seconds kReadyDeadline{20};

const char* CellSuffix(request::Lang lang) {
  switch (lang) {
    case request::Lang::kPython:
      return "py";
    case request::Lang::kJavaScript:
    case request::Lang::kTypeScript:
      return "js";
    case request::Lang::kBash:
      return "sh";
  }
  return "txt";
}

}  // namespace

LiveSession::LiveSession(cell::pool::PreparedCell prepared, const request::Request& shape)
    : prepared_(std::move(prepared)),
      lang_(shape.lang),
      backend_(shape.backend.value_or(request::BackendKind::kNative)),
      memory_limit_(shape.limits.memory_bytes) {}

Result<std::unique_ptr<LiveSession>> LiveSession::Begin(cell::pool::PreparedCell prepared,
                                                        const request::Request& shape,
                                                        const cell::limits::CgroupSupport& support,
                                                        std::shared_ptr<Network> network) {
  std::unique_ptr<LiveSession> live(new LiveSession(std::move(prepared), shape));
  live->meter_ = BJ_TRY(cell::pool::MeterFor(live->prepared_, support, shape.limits));
  cell::guest::SessionMessage message;
  message.lang = LanguageOf(shape.lang);
  message.env =
      GuestEnvironment(shape, *live->prepared_.cell, network ? network->env() : Variables());
  live->network_ = std::move(network);
  const Fd& control = live->prepared_.cell->control();
  BJ_TRY(WriteAll(control, cell::guest::EncodeSession(message), "the session to the guest"));
  BJ_TRY(live->AwaitReady().While("start session"));
  BJ_TRY(SetNonBlocking(control));
  live->size_when_empty_ = SizeWhenEmpty(live->workspace());
  return live;
}

Result<> LiveSession::AwaitReady() {
  return ReadUntil([this] { return dialogue_.ready(); }, "ready");
}

// Reads messages until `done` is satisfied. Any other message is a protocol violation or an event
// that `done` examines.
Result<> LiveSession::ReadUntil(const std::function<bool()>& done, std::string_view what) {
  const auto deadline = Clock::now() + kReadyDeadline;
  const Fd& control = prepared_.cell->control();
  std::array<char, 4096> chunk;
  while (!done()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0 || !BJ_TRY(WaitReadable(control, left))) {
      return Error(Kind::kUnavailable, fmt::format("the guest was not {} in time", what));
    }
    const long n = BJ_TRY(Check("read", "the guest's answer",
                                [&] { return ::read(control.get(), chunk.data(), chunk.size()); }));
    if (n == 0) return cell::pool::EndedEarly(prepared_, fmt::format("it was {}", what));
    dialogue_.Append({chunk.data(), static_cast<std::size_t>(n)});
    const auto event = BJ_TRY(dialogue_.Next());
    if (event) answer_ = *event;
  }
  return {};
}

bool LiveSession::HasGone() const {
  pollfd guest{prepared_.cell->ended().get(), POLLIN, 0};
  return ::poll(&guest, 1, 0) > 0;
}

bool LiveSession::Hear(std::string_view bytes, Observed& seen) {
  dialogue_.Append(bytes);
  for (;;) {
    auto event = dialogue_.Next();
    if (!event) return false;
    if (!*event) return true;
    if (auto* error = std::get_if<cell::guest::GuestError>(&**event)) {
      seen.report.error = std::move(*error);
    } else if (auto* display = std::get_if<cell::guest::Display>(&**event)) {
      seen.displays.push_back(std::move(*display));
    } else if (auto* quota = std::get_if<cell::guest::QuotaReached>(&**event)) {
      seen.report.quota = quota->limit;
    } else if (auto* done = std::get_if<cell::guest::StatementDone>(&**event)) {
      seen.report.file_operations = done->file_operations;
      seen.report.refusals = done->refusals;
      seen.said_exit_code =
          done->exit_code.value_or(done->status == cell::guest::StatementStatus::kOk ? 0 : 1);
      leaving_ = done->status == cell::guest::StatementStatus::kExit;
    }
  }
}

Result<> LiveSession::WatchRun(const Run& run, cell::limits::Meter& meter, Observed& seen) {
  cell::Cell& cell = *prepared_.cell;
  cell::limits::Handlers handlers = CaptureInto(seen, run, cell);
  handlers.on_control = [&](std::string_view bytes) { return Hear(bytes, seen); };
  // A program that is exiting is waited for.
  handlers.done = [&] { return !dialogue_.running() && !leaving_; };
  Fd no_stdin;  // stdin was sent with the run
  const cell::limits::Subject subject{
      cell.ended(), cell.control(),        cell.stdout_pipe(),   cell.stderr_pipe(), no_stdin,
      {},           ForkDenied(prepared_), run.requester.cancel, GraceIn(cell)};
  seen.end = BJ_TRY(cell::limits::Watch(subject, run.request.limits, meter, handlers));
  BJ_TRY(EndCalls(run, seen));
  cell::limits::Drain(cell.stdout_pipe(), handlers.on_stdout);
  cell::limits::Drain(cell.stderr_pipe(), handlers.on_stderr);
  FinishOutput(seen, run);
  return {};
}

Result<Observed> LiveSession::Execute(const Run& run) {
  const request::Request& request = run.request;
  Observed seen(request.limits, run.redactor, request.text);
  if (prepared_.group) BJ_TRY(prepared_.group->ShareCpu(run.requester.caller_share));
  cell::limits::SinceMeter meter(*meter_, BJ_TRY(meter_->ReadSums()));
  cell::guest::StatementMessage message;
  message.n = ++runs_;
  message.code = request.code;
  message.name = fmt::format("cell-{}.{}", runs_, CellSuffix(lang_));
  message.args = request.args;
  if (!request.stdin_bytes.empty()) message.stdin_text = request.stdin_bytes;
  message.file_operations = request.limits.file_operations;
  message.guard = run.guard;
  message.same_guard = run.guard == sent_guard_;
  BJ_TRY(dialogue_.Begin(message.n));
  BJ_TRY(Send(cell::guest::EncodeStatement(message)));
  sent_guard_ = run.guard;
  BJ_TRY(WatchRun(run, meter, seen));
  seen.reading = BJ_TRY(meter.Read());
  const bool ended = seen.end.exit_code || seen.end.signal;
  if (ended || leaving_) alive_ = false;
  if (!ended) seen.end.exit_code = seen.said_exit_code;
  return seen;
}

// Sends to the guest, waiting if needed: the guest reads only between two runs, so a large message
// may fill the socket. A guest that accepts nothing until the deadline is considered dead.
Result<> LiveSession::Send(std::string_view bytes) {
  const Fd& control = prepared_.cell->control();
  const auto deadline = Clock::now() + kReadyDeadline;
  while (!bytes.empty()) {
    const ssize_t n = ::send(control.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno == EPIPE || errno == ECONNRESET) return {};  // a guest that has died is judged later
    if (errno != EAGAIN) return SysError("send", "the run to the guest", errno);
    pollfd room{control.get(), POLLOUT, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0 || ::poll(&room, 1, static_cast<int>(left.count())) == 0) {
      return Error(Kind::kUnavailable, "the session's program does not take its next run");
    }
  }
  return {};
}

// ---- Saving and restoring the interpreter; cell/guest/python/checkpoint.h explains the mechanism.
namespace {

// The size of the sparse file; unwritten pages take no memory.
constexpr off_t kMostAddresses = off_t{1} << 40;
constexpr char kFileName[] = "belljar";  // the guest recognises its memory by this name
constexpr unsigned kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;

Result<Fd> NewFile() {
  Fd file(static_cast<int>(BJ_TRY(Check("memfd_create", "a checkpoint", [] {
    return ::memfd_create(kFileName, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  }))));
  BJ_TRY(
      Check("ftruncate", "a checkpoint", [&] { return ::ftruncate(file.get(), kMostAddresses); }));
  return file;
}

// Seals the file, because a process that still had it open for writing could change what restored
// sessions become.
Result<std::uint64_t> Seal(const Fd& file) {
  if (::fcntl(file.get(), F_ADD_SEALS, kSeals) != 0) {
    return Error(Kind::kInvalid, "the program keeps hold of its own checkpoint");
  }
  return BytesOf(file);
}

// Whether reads have grown the file: reading a hole of a memfd allocates a page, which stays after
// the reader is gone. A program could fill the memory that way, from one rollback to the next.
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

Result<> SendWithFiles(const cell::pool::PreparedCell& to, std::string_view bytes, const Fd& file,
                       const Fd* base) {
  const std::array<int, 2> fds = {file.get(), base != nullptr ? base->get() : -1};
  return SendWithFds(to.cell->control(), std::as_bytes(std::span(bytes)),
                     std::span(fds).first(base != nullptr ? 2 : 1));
}

// Checks for free disk space first, because a container whose checkpoint fails is lost.
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

// Checks for free memory in the container's cgroup: the runtime writes the checkpoint within the
// container's limit, and is killed if it exceeds it.
Result<> CheckRoomToSave(const cell::pool::PreparedCell& prepared, std::uint64_t limit) {
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

// Asks the guest to save. True if the new file is a delta of the base.
Result<bool> LiveSession::AskToSave(std::uint64_t room, const Fd& file) {
  const std::uint64_t base = base_ ? BJ_TRY(InodeOf(*base_)) : 0;
  BJ_TRY(dialogue_.BeginCheckpoint());
  answer_.reset();
  BJ_TRY(SendWithFiles(prepared_, cell::guest::EncodeCheckpoint(room, base), file, nullptr));
  auto answered = ReadUntil([this] { return answer_.has_value(); }, "saved");
  if (!answered) {
    alive_ = false;
    return answered.error();
  }
  const auto* const said = std::get_if<cell::guest::SessionSaved>(&*answer_);
  std::string refused = said == nullptr ? "it said so" : said->refused;
  if (refused.empty() && said->part && !base_) refused = "it builds on what was never saved";
  if (refused.empty()) return said->part;
  return Error(Kind::kInvalid, fmt::format("the session cannot be saved: {}", refused));
}

Result<SavedMemory> LiveSession::Save(
    std::uint64_t room, const std::string& state_dir,
    const std::function<Result<>(const Fd& written)>& take_files) {
  if (backend_ != request::BackendKind::kNative) return SaveContainer(room, state_dir, take_files);
  auto saved = BJ_TRY(SaveProcess(room));
  BJ_TRY(take_files(prepared_.cell->written()));
  return saved;
}

// Saves a container. Files that cannot be saved cause a refusal before the container is stopped.
// The files are listed again once it is stopped, since other processes besides the interpreter may
// have written.
Result<SavedMemory> LiveSession::SaveContainer(
    std::uint64_t room, const std::string& state_dir,
    const std::function<Result<>(const Fd&)>& take_files) {
  cell::Cell& cell = *prepared_.cell;
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
  if (lang_ != request::Lang::kPython) {
    return Error(Kind::kInvalid, fmt::format("a {} session cannot be saved: its interpreter has "
                                             "live threads or processes of its own",
                                             LangName(lang_)));
  }
  if (base_ && HasGrown(*base_, base_bytes_)) base_.reset();  // no further save builds on it
  SavedMemory saved;
  saved.copy_of = prepared_.cell->copy_of();
  saved.runs = runs_;
  auto file = std::make_shared<const Fd>(BJ_TRY(NewFile()));
  made_.push_back(file);
  const bool part = BJ_TRY(AskToSave(room, *file));
  if (!part) base_.reset();  // its memory is backed by the new file, not yet sealed
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

// In a restored container the guest already exists. It is told whether it is a branch, and its
// answer shows that the whole container is running again.
Result<std::unique_ptr<LiveSession>> LiveSession::GoOn(std::unique_ptr<LiveSession> live,
                                                       cell::guest::RestoreAs as) {
  const Fd& control = live->prepared_.cell->control();
  BJ_TRY(WriteAll(control, cell::guest::EncodeRestore(as), "what was saved"));
  BJ_TRY(live->AwaitReady().While("resume session"));
  BJ_TRY(SetNonBlocking(control));
  live->prepared_.cell->Speak();
  return live;
}

Result<std::unique_ptr<LiveSession>> LiveSession::Resume(cell::pool::PreparedCell prepared,
                                                         const request::Request& shape,
                                                         const cell::limits::CgroupSupport& support,
                                                         const SavedMemory& memory,
                                                         cell::guest::RestoreAs as,
                                                         std::shared_ptr<Network> network) {
  std::unique_ptr<LiveSession> live(new LiveSession(std::move(prepared), shape));
  live->meter_ = BJ_TRY(cell::pool::MeterFor(live->prepared_, support, shape.limits));
  live->network_ = std::move(network);
  live->runs_ = memory.runs;
  if (memory.container) return GoOn(std::move(live), as);
  live->base_ = memory.base ? memory.base : memory.file;
  live->base_bytes_ = memory.base ? memory.base_bytes : memory.bytes;
  BJ_TRY(CheckGrowth(memory));
  BJ_TRY(SendWithFiles(live->prepared_, cell::guest::EncodeRestore(as), *memory.file,
                       memory.base.get()));
  BJ_TRY(live->AwaitReady().While("resume session"));
  BJ_TRY(SetNonBlocking(live->prepared_.cell->control()));
  return live;
}

}  // namespace belljar::run
