#include "cell/oci/host/oci_backend.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/socket.h>

#include <array>
#include <map>
#include <mutex>

#include "cell/native/host/embedded.h"
#include "cell/native/host/interpreter.h"
#include "cell/native/host/spawn.h"
#include "cell/native/host/stage_process.h"
#include "cell/native/host/views.h"
#include "cell/oci/host/bundle.h"
#include "cell/oci/host/container_host_process.h"
#include "cell/oci/host/embedded.h"
#include "cell/oci/host/oci_cell.h"
#include "cell/oci/host/trial.h"
#include "foundation/base/sys.h"

namespace belljar::cell::oci {
namespace {

// Address space of an interpreter's own text and libraries.
constexpr std::uint64_t kProgramBytes = 64 * request::kMiB;

// Called while the keeper waits: it has no children yet, and all that it starts are born in the
// groups.
Result<> JoinGroups(const Placement& placement, pid_t pid) {
  const std::string number = std::to_string(pid);
  for (const int join : placement.v1_joins) {
    BJ_TRY(Check("write", "cgroup.procs",
                 [&] { return ::write(join, number.data(), number.size()); }));
  }
  if (placement.v2_dir < 0) return {};
  const long raw = BJ_TRY(Check("open", "cgroup.procs", [&] {
    return ::openat(placement.v2_dir, "cgroup.procs", O_WRONLY | O_CLOEXEC);
  }));
  return WriteAll(Fd(static_cast<int>(raw)), number, "cgroup.procs");
}

// Used where no control group caps the CPU: pins the container to as many CPUs as the limit allows.
Result<> PinCpus(pid_t pid, const request::Limits& limits, std::uint32_t slot) {
  const long there = ::sysconf(_SC_NPROCESSORS_CONF);
  const std::uint32_t wanted = (limits.cpu_millis + 999) / 1000;
  if (there <= 0 || wanted >= static_cast<std::uint32_t>(there)) return {};
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  for (std::uint32_t i = 0; i < wanted; ++i) {
    CPU_SET((slot + i) % static_cast<std::uint32_t>(there), &cpus);
  }
  BJ_TRY(Check("sched_setaffinity", "the container",
               [&] { return ::sched_setaffinity(pid, sizeof(cpus), &cpus); }));
  return {};
}

Result<> Append(const std::vector<std::string>& strings, std::size_t& used, ContainerOrder& order) {
  const std::span<char> room = std::span(order.arg_bytes).subspan(used);
  BJ_TRY(native::PackArgs(strings, room));
  for (const std::string& string : strings) used += string.size() + 1;
  return {};
}

// Identifies what a saved container needs unchanged: the image's files, the runtime, and Belljar's
// own programs.
std::string TreeOf(const image::Image& image, const Runtime& runtime) {
  const std::hash<std::string_view> hash;
  std::size_t ours = hash(ShimProgram());
  for (const std::string_view file : native::GuestFiles()) ours = ours * 31 + hash(file);
  ours = ours * 31 + hash(native::PythonModule());
  return fmt::format("{} of {}, {}, {:x}", image.rootfs, image.created, runtime.build, ours);
}

Result<> Resume(const Resumption& resumption, const KeeperProcess::Container& container,
                const NewStream& stream) {
  BJ_TRY(resumption.fill(container.written));
  return KeeperProcess::Restore(container, resumption.from->dir, stream.errors, stream.theirs);
}

Result<> LetGo(const KeeperProcess::Container& container) {
  const std::byte go[] = {std::byte{1}};
  return SendWithFds(container.life_line, go, {}).While("start container");
}

// Runs the trial with one keeper. Only its container holds the other end of `stream`.
Result<> TryWith(const KeeperProcess::Container& container, SocketEnds stream,
                 const TrialPlan& plan) {
  const auto tell = [&](const std::vector<std::string>& words) {
    return KeeperProcess::Tell(container, words, {Fd(), plan.time});
  };
  const auto begin = [&](const std::vector<std::string>& words) {
    auto begun = KeeperProcess::Tell(container, words, {stream.theirs, plan.time});
    stream.theirs.Close();
    return begun;
  };
  const auto ended = [&](std::chrono::milliseconds time) -> Result<bool> {
    std::array<char, 4096> unread;
    while (BJ_TRY(WaitReadable(stream.ours, time))) {
      if (::read(stream.ours.get(), unread.data(), unread.size()) <= 0) return true;
    }
    return false;
  };
  return TryInterface(plan, {tell, begin, ended});
}

}  // namespace

// The keeper of one image's containers, and a lock that protects the image's tree from removal.
struct OciHome {
  std::shared_ptr<const Fd> hold;
  std::unique_ptr<KeeperProcess> keeper;
};

class OciBackend::Impl {
 public:
  Impl(const image::ImageStore& images, const OciOptions& options, std::unique_ptr<Relay> relay)
      : images_(images), options_(options), views_(options.identity), relay_(std::move(relay)) {}

  Result<std::unique_ptr<Cell>> Start(const CellSpec& spec, const Placement& placement);
  Result<> Examine(const std::string& image);
  json::object Layers() const;
  const Runtime& runtime() const { return options_.runtime; }
  std::chrono::milliseconds patience() const { return options_.patience; }

 private:
  using HomePtr = std::shared_ptr<OciHome>;
  Result<HomePtr> HomeOf(const std::string& image);
  Result<HomePtr> OpenHome(const std::string& image) const;
  Result<> Try(KeeperProcess& keeper) const;
  bool IsRoot() const { return options_.identity == native::Identity::kSlotUid; }
  std::uint32_t UidFor(const CellSpec& spec) const;
  OciCell::Origin OriginFor(const CellSpec& spec, const image::Image& image,
                            std::uint32_t uid) const;
  Result<ContainerOrder> OrderFor(const CellSpec& spec, const native::VaultOrder& vaults,
                                  std::uint32_t uid) const;
  std::string ConfigFor(const CellSpec& spec, const native::VaultOrder& vaults,
                        const KeeperProcess& keeper, const Placement& placement,
                        std::uint32_t uid) const;

  const image::ImageStore& images_;
  OciOptions options_;
  native::Views views_;
  std::unique_ptr<Relay> relay_;
  struct Unfit {
    std::string image;
    Error error;
    std::chrono::steady_clock::time_point until;
  };
  std::mutex mutex_;  // guards homes_ and unfit_; held while a home starts
  std::map<std::string, HomePtr> homes_;
  std::optional<Unfit> unfit_;  // the last failure to start a home
};

Result<OciBackend::Impl::HomePtr> OciBackend::Impl::OpenHome(const std::string& image) const {
  auto home = std::make_shared<OciHome>();
  const auto open = [&](const image::Image& found) -> Result<> {
    home->keeper = BJ_TRY(KeeperProcess::Start(found, options_.identity));
    return options_.trial == Trial::kBeforeCells ? Try(*home->keeper) : Result<>();
  };
  Fd hold = BJ_TRY(images_.Hold(image, open));
  home->hold = std::make_shared<const Fd>(std::move(hold));
  return home;
}

Result<OciBackend::Impl::HomePtr> OciBackend::Impl::HomeOf(const std::string& image) {
  const auto came = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  // A runtime that hangs does so for all callers, so those that waited for the lock during a failed
  // trial get its error.
  if (unfit_ && unfit_->image == image && came <= unfit_->until) return unfit_->error;
  HomePtr& home = homes_[image];
  if (home && home->keeper->IsAlive()) return home;
  auto opened = OpenHome(image);
  if (!opened) {
    unfit_ = {image, opened.error(), std::chrono::steady_clock::now()};
    return std::move(opened).error();
  }
  home = *std::move(opened);
  return home;
}

Result<> OciBackend::Impl::Examine(const std::string& image) {
  const HomePtr home = BJ_TRY(HomeOf(image));
  return Try(*home->keeper);
}

Result<> OciBackend::Impl::Try(KeeperProcess& keeper) const {
  const CellSpec spec;
  const native::VaultOrder vaults(spec);
  const std::uint32_t uid = UidFor(spec);
  ContainerOrder order = BJ_TRY(OrderFor(spec, vaults, uid));
  TrialPlan plan;
  plan.begins = order.runs_at_once != 0 ? TrialPlan::Begins::kRunning : TrialPlan::Begins::kCreated;
  plan.bundle = std::string(kKeepPlace) + "/cell";
  plan.program = std::string("/.belljar/") + kShimName;
  plan.says = kShimIsHere;
  plan.time = options_.patience;
  order.waits = 1;
  Placement placement;
  placement.memory_held = true;  // nothing in it can use much memory
  const Fd config =
      BJ_TRY(native::SealedFile("config.json", ConfigFor(spec, vaults, keeper, placement, uid)));
  SocketEnds stream = BJ_TRY(MakeSocketPair(SOCK_STREAM));
  const auto container = BJ_TRY(keeper.Make(order, stream.theirs, stream.theirs, config, {}));
  BJ_TRY(LetGo(container));
  const auto tried = TryWith(container, std::move(stream), plan);
  if (tried) return {};
  return Error(Kind::kUnavailable, fmt::format("{}: {}: {}", Described(options_.runtime),
                                               tried.error().message(), kAdviceOnUnfit));
}

Result<ContainerOrder> OciBackend::Impl::OrderFor(const CellSpec& spec,
                                                  const native::VaultOrder& vaults,
                                                  std::uint32_t uid) const {
  const std::string cell = std::string(kKeepPlace) + "/cell";
  const auto command =
      RuntimeCommand(options_.runtime, IsRoot() ? As::kRoot : As::kUser, cell + "/state");
  const std::vector<std::string> more = {"--bundle", cell};
  ContainerOrder order{};
  order.runs_at_once = IsRoot() ? 0 : 1;
  order.waits = spec.resumes ? 1 : 0;
  order.uid = uid;
  order.workspace_bytes = spec.limits.workspace_bytes;
  order.workspace_inodes = spec.limits.workspace_inodes;
  order.vault_bytes = request::kMaxVaultBytes;
  order.vault_inodes = request::kMaxVaultFiles;
  order.args = static_cast<std::uint32_t>(command.size());
  order.more_args = static_cast<std::uint32_t>(more.size());
  order.vaults = static_cast<std::uint32_t>(vaults.names.size());
  std::size_t used = 0;
  BJ_TRY(Append(command, used, order));
  BJ_TRY(Append(more, used, order));
  BJ_TRY(Append(vaults.names, used, order));
  order.artefacts = static_cast<std::uint32_t>(spec.artefacts.size());
  for (const ArtefactSpec& each : spec.artefacts) BJ_TRY(Append({each.name}, used, order));
  return order;
}

std::string OciBackend::Impl::ConfigFor(const CellSpec& spec, const native::VaultOrder& vaults,
                                        const KeeperProcess& keeper, const Placement& placement,
                                        std::uint32_t uid) const {
  BundlePlan plan;
  plan.place = kKeepPlace;
  plan.command = {std::string("/.belljar/") + kShimName, std::to_string(uid),
                  spec.deterministic ? std::to_string(*spec.deterministic) : "-",
                  ListenerWord(spec.listeners)};
  if (spec.guest != GuestKind::kNative) {
    const auto args = native::InterpreterArgs(spec, keeper.image(), keeper.GuestPath());
    plan.command.insert(plan.command.end(), args.begin(), args.end());
  }
  plan.vaults = vaults.names;
  plan.read_only_vaults = vaults.read_only;
  plan.guest_is_root = !IsRoot();
  // Node reserves far more address space than it uses.
  const bool by_address = !placement.memory_held && spec.guest != GuestKind::kNode;
  plan.address_bytes = by_address ? spec.limits.memory_bytes + kProgramBytes : 0;
  return json::serialize(ContainerConfig(spec, plan));
}

// A resumed container keeps the uid that it was saved with.
std::uint32_t OciBackend::Impl::UidFor(const CellSpec& spec) const {
  if (spec.resumes) return spec.resumes->from->uid;
  return IsRoot() ? options_.slots->NextUid() : 0;
}

OciCell::Origin OciBackend::Impl::OriginFor(const CellSpec& spec, const image::Image& image,
                                            std::uint32_t uid) const {
  OciCell::Origin origin{*relay_, uid, TreeOf(image, options_.runtime), "", {}};
  if (!IsRoot()) {
    origin.why_not_saved = "runsc saves containers of root only";
  } else if (!spec.listeners.empty()) {
    origin.why_not_saved = "it has connections to hosts or tools, which cannot be saved";
  } else if (!spec.vaults.empty()) {
    origin.why_not_saved = "it has vaults, which are not saved with it";
  }
  return origin;
}

Result<std::unique_ptr<Cell>> OciBackend::Impl::Start(const CellSpec& spec,
                                                      const Placement& placement) {
  const HomePtr home = BJ_TRY(HomeOf(spec.image));
  KeeperProcess& keeper = *home->keeper;
  BJ_TRY(native::RequireInterpreter(spec, keeper.image()));
  const native::VaultOrder vaults(spec);
  if (spec.resumes && spec.resumes->from->tree != TreeOf(keeper.image(), options_.runtime)) {
    return Error(
        Kind::kInvalid,
        fmt::format("the image \"{}\", runsc or Belljar is another than when this was saved, "
                    "and its open files are of the old one",
                    spec.image));
  }
  const std::uint32_t uid = UidFor(spec);
  const ContainerOrder order = BJ_TRY(OrderFor(spec, vaults, uid));
  const auto views = BJ_TRY(views_.Of(spec));
  const Fd config =
      BJ_TRY(native::SealedFile("config.json", ConfigFor(spec, vaults, keeper, placement, uid)));

  NewStream stream = BJ_TRY(OpenStream(*relay_, spec.listeners));
  auto container = BJ_TRY(
      keeper.Make(order, stream.theirs, stream.errors, config, views).While("start container"));
  BJ_TRY(JoinGroups(placement, container.keeper.pid()).While("start container"));
  if (!placement.cpu_held) {
    BJ_TRY(PinCpus(container.keeper.pid(), spec.limits, options_.slots->last()));
  }
  BJ_TRY(LetGo(container));
  if (spec.resumes) BJ_TRY(Resume(*spec.resumes, container, stream).While("resume container"));
  stream.theirs.Close();

  std::vector<Fd> in_order(container.vaults.size());
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    in_order[vaults.places[i]] = std::move(container.vaults[i]);
  }
  container.vaults = std::move(in_order);
  OciCell::Origin origin = OriginFor(spec, keeper.image(), uid);
  if (spec.resumes) origin.unread = BJ_TRY(ReadUnread(spec.resumes->from->dir));
  const std::uint32_t processes = spec.limits.processes;
  return std::unique_ptr<Cell>(std::make_unique<OciCell>(
      home->hold, std::move(container), std::move(stream.line), std::move(origin),
      WithRoom(RoomOf(options_.runtime), processes) - processes));
}

json::object OciBackend::Impl::Layers() const {
  const Runtime& runtime = options_.runtime;
  json::object layers;
  layers["backend"] = "gvisor";
  layers["runtime"] = "runsc " + runtime.version;
  layers["gvisor"] = true;
  layers["platform"] = runtime.platform;
  layers["identity"] = IsRoot() ? "host uid per cell" : "user namespace, no capabilities";
  layers["network"] = "none";
  layers["image"] = "read-only, own inodes";
  return layers;
}

Result<std::unique_ptr<OciBackend>> OciBackend::Create(const image::ImageStore& images,
                                                       const OciOptions& options) {
  auto relay = BJ_TRY(Relay::Create());
  return std::unique_ptr<OciBackend>(
      new OciBackend(std::make_unique<Impl>(images, options, std::move(relay))));
}

OciBackend::OciBackend(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
OciBackend::~OciBackend() = default;

Result<std::unique_ptr<Cell>> OciBackend::Start(const CellSpec& spec, const Placement& placement) {
  return impl_->Start(spec, placement);
}

Result<> OciBackend::Examine(const std::string& image) { return impl_->Examine(image); }

// The memory of the runtime counts as the cell's: one limit applies to both.
request::Limits OciBackend::GroupLimits(const CellSpec& spec) const {
  request::Limits limits = spec.limits;
  limits.processes = WithRoom(RoomOf(impl_->runtime()), limits.processes);
  return limits;
}

Patience OciBackend::PatienceFor(const CellSpec&) const {
  return {impl_->patience(), AdviceWhenSilent(impl_->runtime())};
}

json::object OciBackend::Layers() const { return impl_->Layers(); }

}  // namespace belljar::cell::oci
