#include "cell/docker/docker_backend.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <mutex>

#include "cell/docker/docker_cell.h"
#include "cell/docker/docker_images.h"
#include "cell/docker/gather.h"
#include "cell/docker/strays.h"
#include "cell/native/host/compiled_guest.h"
#include "cell/native/host/interpreter.h"
#include "cell/oci/host/orders.h"
#include "foundation/base/sys.h"

namespace belljar::cell::docker {

enum class RuntimeIs { kGvisor, kOther };

namespace {

// Finds the runtime that the daemon would start containers with. An OCI runtime is recognised by
// its binary, a containerd runtime by its type.
Result<RuntimeIs> RuntimeOf(const EngineApi& api, const DockerOptions& options) {
  const auto info = BJ_TRY(api.Get("/info"));
  const json::object runtimes = ObjectAt(info, "/Runtimes");
  const json::value* const found = runtimes.if_contains(options.runtime);
  if (found == nullptr) {
    return Error(
        Kind::kNotFound,
        fmt::format("{} has no runtime \"{}\": install gVisor (on Debian, apt-get install runsc), "
                    "write {{\"runtimes\":{{\"{}\":{{\"path\":\"/usr/bin/runsc\",\"runtimeArgs\":"
                    "[\"--network=none\",\"--ignore-cgroups\"]}}}}}} into "
                    "/etc/docker/daemon.json, and restart Docker",
                    api.product(), options.runtime, options.runtime));
  }
  const std::string program = TextAt(*found, "/path") + TextAt(*found, "/runtimeType");
  return program.find("runsc") == std::string::npos ? RuntimeIs::kOther : RuntimeIs::kGvisor;
}

// Checks by the processes of the host which program holds the container; the daemon's configuration
// is not trusted for that.
Result<> RequireSandbox(const DockerContainer& container) {
  const std::string line = CommandLineOf(container.pid());
  const bool gvisor =
      line.find("runsc") != std::string::npos && line.find(container.id()) != std::string::npos;
  if (gvisor) return {};
  return Error(Kind::kUnavailable,
               "the container is not held by gVisor, or Docker runs in another pid namespace than "
               "belljar: nothing was run in it");
}

Result<> SetSizes(const CellSpec& spec, const DockerContainer& container) {
  for (const PlannedVolume& volume : VolumesOf(spec)) {
    const Fd opened = BJ_TRY(container.OpenVolume(volume.target));
    BJ_TRY(DockerContainer::SetSize(opened, volume.bytes, volume.inodes));
  }
  return {};
}

Result<> RequireGroups(const Placement& placement) {
  if (placement.memory_held && placement.processes_held) return {};
  return Error(Kind::kUnavailable,
               "the docker backend needs control groups for memory and processes; belljar doctor "
               "says what is missing");
}

Result<> RequireRoot() {
  if (::geteuid() == 0) return {};
  return Error(Kind::kDenied,
               "the docker backend needs root: Docker keeps workspaces where only root can open "
               "them; run belljar as root, or use the gvisor backend, which needs no Docker");
}

Result<> RemoveStrays(const EngineApi& api, const std::string& owner, const DockerHooks& hooks) {
  const auto strays = BJ_TRY(FindStrays(api, owner));
  for (const Stray& stray : strays) {
    BJ_TRY(RemoveStray(api, stray).While(Describe(stray)));
    if (!hooks.on_stray) continue;
    BJ_TRY(hooks.on_stray(fmt::format("{} of a Belljar that has ended was removed from {}",
                                      Describe(stray), api.product())));
  }
  return {};
}

}  // namespace

class DockerBackend::Impl {
 public:
  Impl(const image::ImageStore& images, std::shared_ptr<Slots> slots, DockerOptions options,
       image::OnProgress on_progress, EngineApi api, RuntimeIs runtime,
       std::unique_ptr<oci::Relay> relay)
      : images_(images),
        slots_(std::move(slots)),
        options_(std::move(options)),
        on_progress_(std::move(on_progress)),
        api_(std::move(api)),
        runtime_(runtime),
        relay_(std::move(relay)),
        process_(ProcessMark()) {}

  Result<std::unique_ptr<Cell>> Start(const CellSpec& spec, const Placement& placement);
  json::object Layers() const;
  const std::string& UsualImage() const { return options_.image; }
  bool HasGvisor() const { return runtime_ == RuntimeIs::kGvisor; }

 private:
  // An image that has been imported into Docker.
  struct Home {
    image::Image image;
    std::string name;  // in Docker
    const char* guest_path = "/.belljar/guest.py";
  };
  using HomePtr = std::shared_ptr<const Home>;
  Result<HomePtr> HomeOf(const std::string& image);
  Result<HomePtr> OpenHome(const std::string& image) const;
  void Forget(const std::string& image);
  Result<DockerContainer> Create(const CellSpec& spec);
  ContainerPlan PlanFor(const CellSpec& spec, const Home& home) const;
  Result<std::unique_ptr<Cell>> Launch(const CellSpec& spec, const Placement& placement,
                                       DockerContainer container);

  bool IsPodman() const { return api_.product() == "Podman"; }

  const image::ImageStore& images_;
  std::shared_ptr<Slots> slots_;
  DockerOptions options_;
  image::OnProgress on_progress_;
  EngineApi api_;
  RuntimeIs runtime_;
  std::unique_ptr<oci::Relay> relay_;
  std::string process_;
  std::mutex mutex_;  // guards homes_; held while an image is imported
  std::map<std::string, HomePtr> homes_;
};

Result<DockerBackend::Impl::HomePtr> DockerBackend::Impl::OpenHome(const std::string& image) const {
  auto home = std::make_shared<Home>();
  const auto open = [&](const image::Image& found) -> Result<> {
    const std::string compiled = native::ReadCompiledGuest(found);
    home->image = found;
    home->name = BJ_TRY(EnsureImage(api_, found, compiled, {options_.owner, on_progress_}));
    home->guest_path = compiled.empty() ? "/.belljar/guest.py" : "/.belljar/guest.pyc";
    return {};
  };
  // Docker keeps a copy of the image, so only that copy is needed from here on.
  BJ_TRY(images_.Hold(image, open));
  return HomePtr(std::move(home));
}

Result<DockerBackend::Impl::HomePtr> DockerBackend::Impl::HomeOf(const std::string& image) {
  const std::lock_guard lock(mutex_);
  HomePtr& home = homes_[image];
  if (!home) home = BJ_TRY(OpenHome(image));
  return home;
}

ContainerPlan DockerBackend::Impl::PlanFor(const CellSpec& spec, const Home& home) const {
  ContainerPlan plan;
  plan.image = home.name;
  plan.uid = slots_->NextUid();
  plan.process = process_;
  plan.name = fmt::format("belljar-{}-{}", process_, plan.uid);
  if (IsPodman()) plan.volumes = ContainerPlan::Volumes::kNamed;
  plan.command = {std::string("/.belljar/") + oci::kShimName, std::to_string(plan.uid),
                  spec.deterministic ? std::to_string(*spec.deterministic) : "-",
                  oci::ListenerWord(spec.listeners)};
  if (spec.guest != GuestKind::kNative) {
    const auto args = native::InterpreterArgs(spec, home.image, home.guest_path);
    plan.command.insert(plan.command.end(), args.begin(), args.end());
  }
  return plan;
}

void DockerBackend::Impl::Forget(const std::string& image) {
  const std::lock_guard lock(mutex_);
  homes_.erase(image);
}

Result<DockerContainer> DockerBackend::Impl::Create(const CellSpec& spec) {
  const HomePtr home = BJ_TRY(HomeOf(spec.image));
  BJ_TRY(native::RequireInterpreter(spec, home->image));
  const ContainerPlan plan = PlanFor(spec, *home);
  return DockerContainer::Create(api_, CreateBody(spec, plan, options_),
                                 NamedVolumes(spec, plan, options_));
}

Result<std::unique_ptr<Cell>> DockerBackend::Impl::Start(const CellSpec& spec,
                                                         const Placement& placement) {
  BJ_TRY(RequireGroups(placement));
  auto created = Create(spec);
  if (created) return Launch(spec, placement, *std::move(created));
  if (created.error().kind() != Kind::kNotFound) return std::move(created).error();
  // The image was removed from Docker by another program: import it again.
  Forget(spec.image);
  DockerContainer again = BJ_TRY(Create(spec));
  return Launch(spec, placement, std::move(again));
}

Result<std::unique_ptr<Cell>> DockerBackend::Impl::Launch(const CellSpec& spec,
                                                          const Placement& placement,
                                                          DockerContainer container) {
  Fd out = BJ_TRY(container.Attach());
  Fd in(::fcntl(out.get(), F_DUPFD_CLOEXEC, 3));
  auto line = BJ_TRY(
      relay_->Add({std::move(in), std::move(out), oci::Framing::kDocker, nullptr, spec.listeners}));
  BJ_TRY(container.Start());
  if (HasGvisor()) BJ_TRY(RequireSandbox(container));
  BJ_TRY(GatherInto(placement, container.pid(), container.id()).While("start container"));
  if (IsPodman()) BJ_TRY(SetSizes(spec, container).While("start container"));
  Fd workspace = BJ_TRY(container.OpenVolume(kWorkspacePath));
  std::vector<Fd> vaults;
  for (const VaultSpec& vault : spec.vaults) {
    vaults.push_back(BJ_TRY(container.OpenVolume(VaultPath(vault))));
  }
  Fd procfs = BJ_TRY(Open(fmt::format("/proc/{}", container.pid()), O_RDONLY | O_DIRECTORY));
  DockerCell::Parts parts{
      std::move(container), std::move(line),
      std::move(workspace), std::move(vaults),
      std::move(procfs),    DockerProcesses(spec.limits.processes) - spec.limits.processes};
  return std::unique_ptr<Cell>(std::make_unique<DockerCell>(std::move(parts)));
}

json::object DockerBackend::Impl::Layers() const {
  json::object layers;
  layers["backend"] = "docker";
  layers["daemon"] = fmt::format("{} {}", api_.product(), api_.version());
  layers["runtime"] = options_.runtime;
  layers["gvisor"] = HasGvisor();
  layers["identity"] = "host uid per cell";
  layers["network"] = "none";
  layers["image"] = "read-only, own inodes";
  return layers;
}

Result<std::unique_ptr<DockerBackend>> DockerBackend::Create(const image::ImageStore& images,
                                                             std::shared_ptr<Slots> slots,
                                                             const DockerOptions& options,
                                                             const DockerHooks& hooks) {
  BJ_TRY(RequireRoot());
  auto api = BJ_TRY(EngineApi::Open(options.socket));
  const RuntimeIs runtime = BJ_TRY(RuntimeOf(api, options));
  if (options.strict_gvisor && runtime != RuntimeIs::kGvisor) {
    return Error(Kind::kNotFound,
                 fmt::format("docker.strict_gvisor is on, and {}'s runtime \"{}\" is not gVisor's "
                             "runsc: name one that is in docker.runtime",
                             api.product(), options.runtime));
  }
  if (options.removes_strays) BJ_TRY(RemoveStrays(api, options.owner, hooks));
  auto relay = BJ_TRY(oci::Relay::Create());
  return std::unique_ptr<DockerBackend>(
      new DockerBackend(std::make_unique<Impl>(images, std::move(slots), options, hooks.on_progress,
                                               std::move(api), runtime, std::move(relay))));
}

DockerBackend::DockerBackend(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
DockerBackend::~DockerBackend() = default;

Result<std::unique_ptr<Cell>> DockerBackend::Start(const CellSpec& spec,
                                                   const Placement& placement) {
  return impl_->Start(spec, placement);
}

request::Limits DockerBackend::GroupLimits(const CellSpec& spec) const {
  request::Limits limits = spec.limits;
  limits.processes = DockerProcesses(limits.processes);
  return limits;
}

std::string DockerBackend::ImageFor(const std::string& image) const {
  return image == image::kDefaultImage ? impl_->UsualImage() : image;
}

bool DockerBackend::HasGvisor() const { return impl_->HasGvisor(); }

json::object DockerBackend::Layers() const { return impl_->Layers(); }

std::string DefaultDockerSocket() {
  constexpr std::string_view kUnix = "unix://";
  const char* const host = std::getenv("DOCKER_HOST");
  if (host != nullptr && std::string_view(host).starts_with(kUnix)) return host + kUnix.size();
  return "/var/run/docker.sock";
}

}  // namespace belljar::cell::docker
