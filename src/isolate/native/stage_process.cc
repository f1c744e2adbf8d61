#include "isolate/native/stage_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "isolate/native/embedded.h"
#include "isolate/native/stage.h"

namespace belljar::isolate {
namespace {

using namespace std::chrono_literals;
constexpr auto kStageDeadline = 10s;
constexpr auto kInitDeadline = 10s;

template <class T>
std::span<const std::byte> BytesOf(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

// A memory file that nobody can change any more: not even a cell that finds its own program
// through /proc/self/exe.
Result<Fd> SealedFile(const char* name, std::string_view content) {
  const long raw = BJ_TRY(Check(
      "memfd_create", name, [&] { return ::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING); }));
  Fd file(static_cast<int>(raw));
  BJ_TRY(WriteAll(file, content, name));
  BJ_TRY(Check("seal", name, [&] {
    return ::fcntl(file.get(), F_ADD_SEALS,
                   F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
  }));
  return file;
}

// What a new program gets: the named descriptors, and signals as they are at the beginning of the
// world, whatever this process ignores or blocks.
class SpawnActions {
 public:
  SpawnActions() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    sigset_t signals;
    ::sigfillset(&signals);
    ::posix_spawnattr_setsigdefault(&attributes_, &signals);
    ::sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes_, &signals);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  ~SpawnActions() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  void Put(const Fd& fd, int number) {
    ::posix_spawn_file_actions_adddup2(&actions_, fd.get(), number);
  }
  posix_spawn_file_actions_t* get() { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

Result<Process> SpawnAgent(const Fd& orders) {
  const Fd program = BJ_TRY(SealedFile("belljar-agent", AgentProgram()));
  const Fd null = BJ_TRY(Open("/dev/null", O_RDWR));
  const Fd high = Fd(::fcntl(orders.get(), F_DUPFD_CLOEXEC, 16));  // not in the way of 0..3
  SpawnActions actions;
  for (int fd = 0; fd < 3; ++fd) actions.Put(null, fd);
  actions.Put(high, 3);
  std::string path = "/proc/self/fd/" + std::to_string(program.get());
  std::array<char, 16> name{"belljar-agent"};
  std::array<char*, 2> argv{name.data(), nullptr};
  std::array<char*, 1> env{nullptr};
  pid_t pid = -1;
  const int err = ::posix_spawn(&pid, path.c_str(), actions.get(), actions.attributes(),
                                argv.data(), env.data());
  if (err != 0) return SysError("start", "belljar-agent", err);
  const long pidfd = BJ_TRY(
      Check("pidfd_open", "belljar-agent", [&] { return ::syscall(SYS_pidfd_open, pid, 0); }));
  return Process(pid, Fd(static_cast<int>(pidfd)));
}

Result<> SendStage(const Fd& orders, const StageProcess::Config& config) {
  auto order = std::make_unique<StageOrder>();
  order->identity = config.identity;
  order->outer_uid = ::geteuid();
  order->outer_gid = ::getegid();
  order->off = config.off;
  const std::string& rootfs = config.image.rootfs;
  if (rootfs.size() >= sizeof(order->rootfs)) {
    return Error(Kind::kInvalid, "the image's path is too long: " + rootfs);
  }
  std::copy(rootfs.begin(), rootfs.end(), order->rootfs);
  std::array<std::string_view, kRuntimeFileCount> contents = {
      config.compiled_guest, PythonModule(), DeterministicLibrary(), config.tools_client};
  std::ranges::copy(GuestFiles(), contents.begin() + kOtherFileCount);
  std::array<Fd, kRuntimeFileCount> files;
  std::array<int, kRuntimeFileCount> fds{};
  for (std::size_t i = 0; i < files.size(); ++i) {
    files[i] = BJ_TRY(SealedFile(RuntimeFileName(static_cast<int>(i)), contents[i]));
    fds[i] = files[i].get();
  }
  return SendWithFds(orders, BytesOf(*order), fds);
}

}  // namespace

Error StepError(const StepReport& report) {
  return Error(report.sys == 0 ? Kind::kInternal : KindOf(report.sys),
               std::string("cell step ") + StepName(report.step) + ": " + std::strerror(report.sys),
               report.sys);
}

Result<StepReport> AwaitReport(const Fd& fd, std::chrono::milliseconds timeout,
                               std::string_view who) {
  if (!BJ_TRY(WaitReadable(fd, timeout))) {
    return Error(Kind::kUnavailable, std::string(who) + " did not get ready in time");
  }
  StepReport report;
  const long n = BJ_TRY(
      Check("read", who, [&] { return ::recv(fd.get(), &report, sizeof(report), MSG_WAITALL); }));
  if (n != sizeof(report)) {
    return Error(Kind::kInternal, std::string(who) + " ended before it was ready");
  }
  if (report.step != Step::kSealed) return StepError(report);
  return report;
}

Result<std::uint32_t> PackArgs(const std::vector<std::string>& args, std::span<char> buffer) {
  std::size_t used = 0;
  for (const std::string& arg : args) {
    if (used + arg.size() + 1 > buffer.size()) {
      return Error(Kind::kInvalid, "the image's start arguments are too long");
    }
    std::copy(arg.begin(), arg.end(), buffer.begin() + static_cast<std::ptrdiff_t>(used));
    used += arg.size();
    buffer[used++] = '\0';
  }
  return static_cast<std::uint32_t>(args.size());
}

// Reads a StartReport and the pidfd that comes with it.
static Result<Process> ReceiveProcess(const Fd& socket, std::string_view who) {
  auto received = BJ_TRY(ReceiveWithFds(socket, sizeof(StartReport), 1));
  StartReport report;
  if (received.bytes.size() != sizeof(report)) {
    return Error(Kind::kUnavailable, std::string(who) + " has ended");
  }
  std::memcpy(&report, received.bytes.data(), sizeof(report));
  if (report.failure.step != Step::kNone) return StepError(report.failure);
  if (received.fds.size() != 1) return Error(Kind::kInternal, "no pidfd from " + std::string(who));
  return Process(report.pid, std::move(received.fds[0]));
}

Result<Process> Zygote::Clone(const GuestOrder& order, std::span<const int> fds) {
  const std::lock_guard lock(mutex_);
  BJ_TRY(SendWithFds(socket_, BytesOf(order), fds).While("zygote"));
  auto born = ReceiveProcess(socket_, "the zygote");
  ++born_;
  last_used_ = std::chrono::steady_clock::now();
  if (born) return born;
  const std::string words = LastWords();
  if (words.empty()) return born;
  return std::move(born).error().While(words);
}

std::string Zygote::LastWords() const {
  std::string words;
  std::array<char, 4096> chunk;
  while (words.size() < 65536) {
    const ssize_t n = ::read(errors_.get(), chunk.data(), chunk.size());
    if (n <= 0) break;
    words.append(chunk.data(), static_cast<std::size_t>(n));
  }
  while (!words.empty() && words.back() == '\n') words.pop_back();
  return words;
}

Result<std::unique_ptr<StageProcess>> StageProcess::Start(const Config& config) {
  auto ends = BJ_TRY(MakeSocketPair(SOCK_SEQPACKET));
  Process process = BJ_TRY(SpawnAgent(ends.theirs));
  ends.theirs.Close();
  BJ_TRY(SendStage(ends.ours, config).While("stage"));
  auto ready = AwaitReport(ends.ours, kStageDeadline, "the agent");
  if (!ready) {
    return std::move(ready).error().While("build the root of image \"" + config.image.name + "\"");
  }
  return std::unique_ptr<StageProcess>(
      new StageProcess(config, std::move(process), std::move(ends.ours)));
}

Result<Process> StageProcess::Order(const AgentOrder& order, std::span<const int> fds) {
  const std::lock_guard lock(mutex_);
  BJ_TRY(SendWithFds(orders_, BytesOf(order), fds).While("agent"));
  return ReceiveProcess(orders_, "the agent");
}

VaultOrder::VaultOrder(const CellSpec& spec) {
  for (std::size_t i = 0; i < spec.vaults.size(); ++i) places.push_back(i);
  std::ranges::sort(places, {}, [&](std::size_t i) { return spec.vaults[i].name; });
  for (std::size_t i = 0; i < places.size(); ++i) {
    const VaultSpec& vault = spec.vaults[places[i]];
    names.push_back(vault.name);
    if (vault.mode == policy::VaultMode::kReadOnly) read_only |= 1U << i;
  }
}

std::uint32_t DoorBits(const CellSpec& spec) {
  static_assert(kDoorCount == kMaxDoors && 1U << static_cast<int>(Door::kEgress) == kEgressDoor &&
                1U << static_cast<int>(Door::kTools) == kToolsDoor);
  std::uint32_t bits = 0;
  for (const Door door : spec.doors) bits |= 1U << static_cast<int>(door);
  return bits;
}

// Asks for the vaults of a cell, if it has any.
static Result<> OrderVaults(const VaultOrder& vaults, const image::Image& image,
                            AgentOrder& order) {
  if (vaults.names.empty()) return {};
  if (vaults.names.size() > kMaxVaultMounts) {
    return Error(Kind::kInvalid, "a cell has 8 vaults at the most");
  }
  if (::access((image.rootfs + "/vault").c_str(), F_OK) != 0) {
    return Error(Kind::kNotFound, "image \"" + image.name +
                                      "\" has no place for vaults: it was made by an older "
                                      "version, make it again with belljar image build");
  }
  order.vault_bytes = policy::kMaxVaultBytes;
  order.vault_inodes = policy::kMaxVaultFiles;
  order.vault_read_only = vaults.read_only;
  order.args = BJ_TRY(PackArgs(vaults.names, order.arg_bytes));
  return {};
}

static Result<Received> AwaitInit(const Fd& socket, std::size_t fds) {
  if (!BJ_TRY(WaitReadable(socket, kInitDeadline))) {
    return Error(Kind::kUnavailable, "a cell's init did not get ready in time");
  }
  auto received = BJ_TRY(ReceiveWithFds(socket, sizeof(InitReport), fds));
  InitReport report;
  if (received.bytes.size() != sizeof(report)) {
    return Error(Kind::kInternal, "a cell's init ended before it was ready");
  }
  std::memcpy(&report, received.bytes.data(), sizeof(report));
  if (report.step != Step::kSealed || received.fds.size() != fds) return StepError(report);
  return received;
}

Result<StageProcess::NewInit> StageProcess::MakeInit(const CellSpec& spec, std::uint32_t uid) {
  auto ends = BJ_TRY(MakeSocketPair(SOCK_SEQPACKET));
  AgentOrder order{};
  order.kind = OrderKind::kMakeInit;
  order.uid = uid;
  order.workspace_bytes = spec.limits.workspace_bytes;
  order.workspace_inodes = spec.limits.workspace_inodes;
  order.off = config_.off;
  const VaultOrder vaults(spec);
  BJ_TRY(OrderVaults(vaults, config_.image, order));
  order.doors = DoorBits(spec);
  const Fd net = spec.doors.empty() ? nets_->Take() : Fd();
  order.has_net = net ? 1 : 0;
  std::vector<int> fds = {ends.theirs.get()};
  if (net) fds.push_back(net.get());
  NewInit init;
  init.process = BJ_TRY(Order(order, fds));
  ends.theirs.Close();
  init.socket = std::move(ends.ours);
  auto received = BJ_TRY(AwaitInit(init.socket, 2 + vaults.places.size() + spec.doors.size()));
  init.workspace = std::move(received.fds[0]);
  init.procfs = std::move(received.fds[1]);
  init.vaults.resize(vaults.places.size());
  for (std::size_t i = 0; i < vaults.places.size(); ++i) {
    init.vaults[vaults.places[i]] = std::move(received.fds[2 + i]);
  }
  auto listener = received.fds.begin() + static_cast<std::ptrdiff_t>(2 + vaults.places.size());
  for (const Door door : spec.doors) {
    init.doors[static_cast<std::size_t>(door)] = std::move(*listener++);
  }
  return init;
}

Result<std::unique_ptr<Zygote>> StageProcess::StartZygote(AgentOrder& order) {
  auto ends = BJ_TRY(MakeSocketPair(SOCK_SEQPACKET));
  auto errors = BJ_TRY(MakePipe());
  BJ_TRY(SetNonBlocking(errors.read));
  order.off = config_.off;
  const std::array<int, 2> fds = {ends.theirs.get(), errors.write.get()};
  Process process = BJ_TRY(Order(order, fds));
  return std::make_unique<Zygote>(std::move(process), std::move(ends.ours), std::move(errors.read));
}

Result<std::unique_ptr<Zygote>> StageProcess::StartLauncher(Deterministic deterministic) {
  AgentOrder order{};
  order.kind = OrderKind::kStartLauncher;
  order.deterministic = deterministic;
  return StartZygote(order);
}

Result<std::unique_ptr<Zygote>> StageProcess::StartPython(Deterministic deterministic) {
  const image::Image& image = config_.image;
  std::vector<std::string> args = {image.python, "-I", "-S", GuestPath(), "--zygote"};
  for (const std::string& path : image.python_paths) args.insert(args.end(), {"--path", path});
  for (const std::string& module : image.preimport)
    args.insert(args.end(), {"--preimport", module});
  AgentOrder order{};
  order.kind = OrderKind::kStartPython;
  order.deterministic = deterministic;
  order.args = BJ_TRY(PackArgs(args, order.arg_bytes));
  return StartZygote(order);
}

}  // namespace belljar::isolate
