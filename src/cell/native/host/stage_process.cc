#include "cell/native/host/stage_process.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "cell/native/host/embedded.h"
#include "cell/native/host/runtime_files.h"

namespace belljar::cell::native {
namespace {

using namespace std::chrono_literals;
constexpr auto kStageDeadline = 10s;

Result<> SendStage(const Fd& orders, const StageProcess::Config& config) {
  auto order = BJ_TRY(StageOrderFor(config.image, config.identity));
  order->off = config.off;
  const std::vector<Fd> files = BJ_TRY(RuntimeFiles(config.compiled_guest, config.tools_client));
  std::vector<int> fds;
  for (const Fd& file : files) fds.push_back(file.get());
  return SendWithFds(orders, BytesOf(*order), fds);
}

}  // namespace

Result<Process> Zygote::Ask(const GuestOrder& order, std::span<const int> fds) {
  BJ_TRY(SendWithFds(socket_, BytesOf(order), fds).While("zygote"));
  return ReceiveProcess(socket_, "the zygote");
}

// A zygote that died (for example because it could not import a module) tells the reason on stderr;
// it is read in both cases, whether it died before or after the order.
Result<Process> Zygote::Clone(const GuestOrder& order, std::span<const int> fds) {
  const std::lock_guard lock(mutex_);
  auto born = Ask(order, fds);
  ++born_;
  last_used_ = std::chrono::steady_clock::now();
  if (born) return born;
  ReadStderr();
  if (last_words_.empty()) return born;
  return std::move(born).error().While(last_words_);
}

void Zygote::ReadStderr() {
  std::array<char, 4096> chunk;
  while (last_words_.size() < 65536) {
    const ssize_t n = ::read(errors_.get(), chunk.data(), chunk.size());
    if (n <= 0) break;
    last_words_.append(chunk.data(), static_cast<std::size_t>(n));
  }
  while (!last_words_.empty() && last_words_.back() == '\n') last_words_.pop_back();
}

Result<std::unique_ptr<StageProcess>> StageProcess::Start(const Config& config) {
  auto ends = BJ_TRY(MakeSocketPair(SOCK_SEQPACKET));
  Process process = BJ_TRY(SpawnProgram("belljar-agent", AgentProgram(), ends.theirs));
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
    if (vault.mode == request::VaultMode::kReadOnly) read_only |= 1U << i;
  }
}

std::uint32_t ListenerBits(const CellSpec& spec) {
  static_assert(kListenerCount == kMaxListeners &&
                1U << static_cast<int>(CellListener::kEgress) == kEgressListener &&
                1U << static_cast<int>(CellListener::kTools) == kToolsListener);
  std::uint32_t bits = 0;
  for (const CellListener listener : spec.listeners) bits |= 1U << static_cast<int>(listener);
  return bits;
}

static Result<> RequirePlace(const image::Image& image, const std::string& name) {
  if (::access((image.rootfs + "/" + name).c_str(), F_OK) == 0) return {};
  return Error(Kind::kNotFound, "image \"" + image.name + "\" has no /" + name +
                                    ": it was made by an older version, make it again with "
                                    "belljar image build");
}

// Adds the vaults and the artefacts of a cell to the order, if it has any.
static Result<> OrderPlaces(const CellSpec& spec, const VaultOrder& vaults,
                            const image::Image& image, AgentOrder& order) {
  if (vaults.names.size() > kMaxVaultMounts) {
    return Error(Kind::kInvalid, "a cell has 8 vaults at the most");
  }
  if (!vaults.names.empty()) BJ_TRY(RequirePlace(image, "vault"));
  if (!spec.artefacts.empty()) BJ_TRY(RequirePlace(image, "artefacts"));
  order.vault_bytes = request::kMaxVaultBytes;
  order.vault_inodes = request::kMaxVaultFiles;
  order.vault_read_only = vaults.read_only;
  std::vector<std::string> names = vaults.names;
  for (const ArtefactSpec& artefact : spec.artefacts) names.push_back(artefact.name);
  BJ_TRY(PackArgs(names, order.arg_bytes));
  order.args = static_cast<std::uint32_t>(vaults.names.size());
  order.artefacts = static_cast<std::uint32_t>(spec.artefacts.size());
  return {};
}

Result<StageProcess::NewInit> StageProcess::MakeInit(const CellSpec& spec, std::uint32_t uid,
                                                     std::span<const Fd> views) {
  auto ends = BJ_TRY(MakeSocketPair(SOCK_SEQPACKET));
  AgentOrder order{};
  order.kind = OrderKind::kMakeInit;
  order.uid = uid;
  order.workspace_bytes = spec.limits.workspace_bytes;
  order.workspace_inodes = spec.limits.workspace_inodes;
  order.off = config_.off;
  const VaultOrder vaults(spec);
  BJ_TRY(OrderPlaces(spec, vaults, config_.image, order));
  order.listeners = ListenerBits(spec);
  const Fd net = spec.listeners.empty() ? nets_->Take() : Fd();
  order.has_net = net ? 1 : 0;
  std::vector<int> fds = {ends.theirs.get()};
  if (net) fds.push_back(net.get());
  for (const Fd& view : views) fds.push_back(view.get());
  NewInit init;
  init.process = BJ_TRY(Order(order, fds));
  ends.theirs.Close();
  init.socket = std::move(ends.ours);
  auto received =
      BJ_TRY(AwaitHanded(init.socket, 2 + vaults.places.size() + spec.listeners.size()));
  init.workspace = std::move(received.fds[0]);
  init.procfs = std::move(received.fds[1]);
  init.vaults.resize(vaults.places.size());
  for (std::size_t i = 0; i < vaults.places.size(); ++i) {
    init.vaults[vaults.places[i]] = std::move(received.fds[2 + i]);
  }
  auto handed = received.fds.begin() + static_cast<std::ptrdiff_t>(2 + vaults.places.size());
  for (const CellListener listener : spec.listeners) {
    init.listeners[static_cast<std::size_t>(listener)] = std::move(*handed++);
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

}  // namespace belljar::cell::native
