#include "cell/native/host/native_backend.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include "cell/native/host/compiled_guest.h"
#include "cell/native/host/embedded.h"
#include "cell/native/host/interpreter.h"
#include "cell/native/host/outside_check.h"
#include "cell/native/host/stage_process.h"
#include "cell/native/host/views.h"
#include "cell/native/launcher/landlock_abi.h"

namespace belljar::cell::native {
namespace {

using namespace std::chrono_literals;
constexpr auto kSealDeadline = 10s;
constexpr std::uint32_t kNestedUid = 1000;
// RLIMIT_NPROC is this much above the control group's limit: the group must be the one that
// refuses, because it counts its refusals.
constexpr std::uint32_t kRoomAboveGroup = 64;
constexpr std::size_t kMostZygotes = 8;  // per image

struct Streams {
  SocketEnds control;
  PipeEnds in;
  PipeEnds out;
  PipeEnds err;
};

// A guest may open /dev/stdout again, so its user owns the pipes.
Result<> GivePipe(const Fd& end, std::uint32_t uid) {
  BJ_TRY(Check("fchown", "pipe", [&] { return ::fchown(end.get(), uid, uid); }));
  return {};
}

Result<Streams> MakeStreams(std::optional<std::uint32_t> owner) {
  Streams streams;
  streams.control = BJ_TRY(MakeSocketPair(SOCK_STREAM));
  streams.in = BJ_TRY(MakePipe());
  streams.out = BJ_TRY(MakePipe());
  streams.err = BJ_TRY(MakePipe());
  if (owner) {
    for (const Fd* end : {&streams.in.read, &streams.out.write, &streams.err.write}) {
      BJ_TRY(GivePipe(*end, *owner));
    }
  }
  for (const Fd* end : {&streams.in.write, &streams.out.read, &streams.err.read}) {
    BJ_TRY(SetNonBlocking(*end));
  }
  return streams;
}

}  // namespace

// The processes behind one image: the agent, and the zygotes that clone guests.
struct ImageHome {
  std::shared_ptr<const Fd> hold;  // shared with its cells, which may outlive the agent
  std::unique_ptr<StageProcess> stage;
  // Shared: a cell that is being cloned keeps its zygote when a newer one replaces it in the map.
  std::map<std::string, std::shared_ptr<Zygote>> zygotes;
};

Deterministic DeterministicOf(const CellSpec& spec) {
  return {spec.deterministic ? 1U : 0U, spec.deterministic.value_or(0)};
}

// A shell or a command may start any program of the image, including engines with a JIT.
bool PythonOnly(const CellSpec& spec) {
  return spec.guest == GuestKind::kPythonWarm || spec.guest == GuestKind::kPythonCold;
}

FilterKind FilterFor(const CellSpec& spec) {
  if (spec.listeners.contains(CellListener::kEgress)) {
    return PythonOnly(spec) ? FilterKind::kStrictMemoryEgress : FilterKind::kJitEgress;
  }
  return PythonOnly(spec) ? FilterKind::kStrictMemory : FilterKind::kJit;
}

bool IsCopy(const CellSpec& spec) { return spec.guest == GuestKind::kPythonWarm; }

std::string ZygoteName(const CellSpec& spec) {
  if (spec.guest != GuestKind::kPythonWarm) {
    return spec.deterministic ? "launcher/fixed addresses" : "launcher";
  }
  return spec.deterministic ? "python/" + std::to_string(*spec.deterministic) : "python";
}

class NativeBackend::Impl {
 public:
  Impl(const image::ImageStore& images, const NativeOptions& options)
      : images_(images), options_(options), views_(options.identity, options.off) {}

  Result<std::unique_ptr<Cell>> Start(const CellSpec& spec, const Placement& placement);
  Result<> Prepare(const CellSpec& spec);
  json::object Layers() const;

 private:
  struct CellTemplateImpl final : CellTemplate {
    CellTemplateImpl(std::shared_ptr<ImageHome> its_home, std::shared_ptr<Zygote> its_zygote)
        : home(std::move(its_home)), zygote(std::move(its_zygote)) {}
    bool Is(const CellTemplate& other) const override {
      return static_cast<const CellTemplateImpl&>(other).zygote == zygote;
    }
    std::shared_ptr<ImageHome> home;
    std::shared_ptr<Zygote> zygote;
  };
  using MakersPtr = std::shared_ptr<CellTemplateImpl>;
  Result<MakersPtr> MakersFor(const CellSpec& spec);
  Result<std::shared_ptr<ImageHome>> OpenHome(const std::string& image) const;
  void Retire(const CellSpec& spec, const CellTemplateImpl& makers);
  Result<std::unique_ptr<Cell>> Build(const CellSpec& spec, const Placement& placement,
                                      const MakersPtr& makers);
  Result<GuestOrder> OrderFor(const CellSpec& spec, const Placement& placement,
                              const StageProcess& stage, std::uint32_t uid) const;
  std::uint32_t NextUid() {
    return options_.identity == Identity::kNestedUser ? kNestedUid : options_.slots->NextUid();
  }

  const image::ImageStore& images_;
  NativeOptions options_;
  Views views_;
  std::mutex mutex_;  // guards the homes and their contents; held while one of them starts
  std::map<std::string, std::shared_ptr<ImageHome>> homes_;
};

Result<std::shared_ptr<ImageHome>> NativeBackend::Impl::OpenHome(const std::string& image) const {
  auto home = std::make_shared<ImageHome>();
  const auto open = [&](const image::Image& found) -> Result<> {
    home->stage = BJ_TRY(
        StageProcess::Start({found, options_.identity, options_.off, ReadCompiledGuest(found),
                             options_.for_shells == ForShells::kToolsClient ? ToolsClient() : ""}));
    return {};
  };
  Fd hold = BJ_TRY(images_.Hold(image, open));
  home->hold = std::make_shared<const Fd>(std::move(hold));
  return home;
}

// Each seed of a deterministic run needs a zygote of its own, so the least recently used is
// evicted.
void MakeRoom(ImageHome& home, const std::string& name) {
  if (home.zygotes.size() < kMostZygotes || home.zygotes.contains(name)) return;
  const auto oldest = std::ranges::min_element(home.zygotes, {}, [](const auto& entry) {
    return entry.second ? entry.second->last_used() : std::chrono::steady_clock::time_point();
  });
  home.zygotes.erase(oldest);
}

// Rotates zygotes: one that is too old or has cloned enough guests is replaced before the next
// order, because all its children share one address space layout.
Result<NativeBackend::Impl::MakersPtr> NativeBackend::Impl::MakersFor(const CellSpec& spec) {
  const std::lock_guard lock(mutex_);
  auto& home = homes_[spec.image];
  if (!home) home = BJ_TRY(OpenHome(spec.image));
  BJ_TRY(RequireInterpreter(spec, home->stage->image()));
  const std::string name = ZygoteName(spec);
  MakeRoom(*home, name);
  auto& zygote = home->zygotes[name];
  if (!zygote || zygote->IsWorn()) {
    zygote = spec.guest == GuestKind::kPythonWarm
                 ? BJ_TRY(home->stage->StartPython(DeterministicOf(spec)))
                 : BJ_TRY(home->stage->StartLauncher(DeterministicOf(spec)));
  }
  return std::make_shared<CellTemplateImpl>(home, zygote);
}

// After a failure, the zygote that took part in it is not used again.
void NativeBackend::Impl::Retire(const CellSpec& spec, const CellTemplateImpl& makers) {
  const std::lock_guard lock(mutex_);
  const auto home = homes_.find(spec.image);
  if (home == homes_.end() || home->second != makers.home) return;
  auto& zygote = home->second->zygotes[ZygoteName(spec)];
  if (zygote == makers.zygote) zygote.reset();
  if (!makers.home->stage->IsAlive()) homes_.erase(home);
}

Result<GuestOrder> NativeBackend::Impl::OrderFor(const CellSpec& spec, const Placement& placement,
                                                 const StageProcess& stage,
                                                 std::uint32_t uid) const {
  const request::Limits& limits = spec.limits;
  GuestOrder order{};
  order.identity = options_.identity;
  order.filter = FilterFor(spec);
  order.listeners = ListenerBits(spec);
  order.uid = uid;
  order.has_v2 = placement.v2_dir >= 0 ? 1 : 0;
  order.v1_joins = static_cast<std::uint32_t>(placement.v1_joins.size());
  order.open_files = limits.open_files;
  order.processes = limits.processes + (placement.processes_held ? kRoomAboveGroup : 0);
  order.file_bytes = limits.file_size_bytes;
  // Above the limit, so that the sampler ends a program that grows and reports the memory limit; a
  // single allocation far beyond the limit fails at once.
  order.data_bytes = placement.memory_held ? 0 : 2 * limits.memory_bytes;
  order.affinity_cpus = placement.cpu_held ? 0 : (limits.cpu_millis + 999) / 1000;
  order.vaults = static_cast<std::uint32_t>(spec.vaults.size());
  order.vault_writes = ~VaultOrder(spec).read_only & ((1U << order.vaults) - 1);
  order.slot = options_.slots->last();
  order.off = options_.off;
  order.deterministic = DeterministicOf(spec);
  if (spec.guest == GuestKind::kNode || spec.guest == GuestKind::kPythonCold) {
    order.args =
        BJ_TRY(PackArgs(InterpreterArgs(spec, stage.image(), stage.GuestPath()), order.arg_bytes));
  }
  return order;
}

Result<> NativeBackend::Impl::Prepare(const CellSpec& spec) {
  BJ_TRY(MakersFor(spec));
  return {};
}

Result<std::unique_ptr<Cell>> NativeBackend::Impl::Start(const CellSpec& spec,
                                                         const Placement& placement) {
  if (spec.copy_of) {
    return Build(spec, placement, std::static_pointer_cast<CellTemplateImpl>(spec.copy_of));
  }
  for (int attempt = 1;; ++attempt) {
    const MakersPtr makers = BJ_TRY(MakersFor(spec));
    auto cell = Build(spec, placement, makers);
    if (cell) return cell;
    Retire(spec, *makers);
    if (attempt == 2) return cell;
  }
}

Result<std::unique_ptr<Cell>> NativeBackend::Impl::Build(const CellSpec& spec,
                                                         const Placement& placement,
                                                         const MakersPtr& makers) {
  StageProcess* const stage = makers->home->stage.get();
  const bool root = options_.identity == Identity::kSlotUid;
  const std::uint32_t uid = NextUid();
  const auto views = BJ_TRY(views_.Of(spec));
  auto init = BJ_TRY(stage->MakeInit(spec, root ? uid : 0, views).While("start cell"));
  auto streams = BJ_TRY(MakeStreams(root ? std::optional(uid) : std::nullopt));
  const GuestOrder order = BJ_TRY(OrderFor(spec, placement, *stage, uid));
  std::vector<int> fds = {init.process.pidfd().get(), streams.in.read.get(),
                          streams.out.write.get(), streams.err.write.get(),
                          streams.control.theirs.get()};
  if (order.has_v2 != 0) fds.push_back(placement.v2_dir);
  fds.insert(fds.end(), placement.v1_joins.begin(), placement.v1_joins.end());
  Process guest = BJ_TRY(makers->zygote->Clone(order, fds).While("start cell"));
  streams.control.theirs.Close();
  streams.in.read.Close();
  streams.out.write.Close();
  streams.err.write.Close();

  BJ_TRY(AwaitReport(streams.control.ours, kSealDeadline, "the guest").While("start cell"));
  BJ_TRY(CheckFromOutside(guest.pid(), order).While("start cell"));
  const std::byte seal[] = {std::byte{1}};
  BJ_TRY(SendWithFds(init.socket, seal, {}).While("seal init"));
  BJ_TRY(AwaitReport(init.socket, kSealDeadline, "init").While("seal init"));
  NativeCell::Parts parts{makers->home->hold,
                          std::move(streams.control.ours),
                          std::move(streams.in.write),
                          std::move(streams.out.read),
                          std::move(streams.err.read),
                          std::move(init.workspace),
                          std::move(init.vaults),
                          std::move(init.procfs),
                          std::move(init.socket),
                          std::move(init.listeners),
                          std::move(init.process),
                          std::move(guest),
                          spec.listeners.empty() ? stage->nets() : nullptr,
                          IsCopy(spec) ? makers : nullptr,
                          spec.guest == GuestKind::kNative};
  return std::unique_ptr<Cell>(std::make_unique<NativeCell>(std::move(parts)));
}

json::object NativeBackend::Impl::Layers() const {
  json::object layers;
  layers["backend"] = "native";
  json::array namespaces = {"pid", "mount", "net", "ipc", "uts", "cgroup"};
  if (options_.identity == Identity::kNestedUser) namespaces.insert(namespaces.begin(), "user");
  layers["namespaces"] = std::move(namespaces);
  layers["identity"] =
      options_.identity == Identity::kNestedUser ? "nested user namespace" : "host uid per cell";
  layers["seccomp"] = "allow list";
  static const int abi = LandlockAbi();  // of the running kernel
  layers["landlock"] = abi < 1 ? json::value(nullptr) : json::value(abi);
  layers["image"] = "read-only, own inodes";
  return layers;
}

Result<std::unique_ptr<NativeBackend>> NativeBackend::Create(const image::ImageStore& images,
                                                             const NativeOptions& options) {
  return std::unique_ptr<NativeBackend>(new NativeBackend(std::make_unique<Impl>(images, options)));
}

NativeBackend::NativeBackend(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
NativeBackend::~NativeBackend() = default;

Result<std::unique_ptr<Cell>> NativeBackend::Start(const CellSpec& spec,
                                                   const Placement& placement) {
  return impl_->Start(spec, placement);
}

Result<> NativeBackend::Prepare(const CellSpec& spec) { return impl_->Prepare(spec); }

json::object NativeBackend::Layers() const { return impl_->Layers(); }

}  // namespace belljar::cell::native
