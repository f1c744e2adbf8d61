#include "engine/engine.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <set>

#include "base/fingerprint.h"
#include "base/sys.h"
#include "engine/asking.h"
#include "engine/judge.h"
#include "engine/judgement.h"
#include "engine/network.h"
#include "engine/record.h"
#include "engine/switch_off.h"
#include "engine/tools.h"
#include "engine/unenforced.h"
#include "engine/vaults.h"
#include "isolate/docker/strays.h"
#include "isolate/native/compiled_guest.h"
#include "isolate/native/embedded.h"

namespace belljar::engine {

struct Engine::Parts {
  Options options;
  SwitchedOff off;
  Judgement judgement;
  Asking asking;
  image::ImageStore images;
  monitor::CgroupTree groups;
  std::unique_ptr<isolate::Backends> backends;
  std::unique_ptr<session::CellFactory> factory;
  std::unique_ptr<session::WarmPool> pool;  // null: cells are built one by one
  std::mutex mutex;
  std::set<std::string> guest_compiled;  // images whose guest is, or was tried to be
  std::map<std::string, std::string> image_builds;
  std::vector<std::string> recovered;
  Networks networks;
  std::unique_ptr<broker::Egress> egress;  // made when it is first wanted
  std::unique_ptr<Tools> tools;
};

Result<std::string> DefaultStateDir() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (auto dir = variable("BELLJAR_STATE"); !dir.empty()) return dir;
  if (::geteuid() == 0) return std::string("/var/lib/belljar");
  if (auto dir = variable("XDG_STATE_HOME"); !dir.empty()) return dir + "/belljar";
  if (auto home = variable("HOME"); !home.empty()) return home + "/.local/state/belljar";
  return Error(Kind::kInvalid, "HOME is not set: set it, or BELLJAR_STATE, to a directory");
}

Result<std::unique_ptr<Engine>> Engine::Create(const Options& options,
                                               const image::OnProgress& on_progress) {
  auto images = BJ_TRY(image::ImageStore::Open(options.state_dir + "/images"));
  BJ_TRY(images.FreshDefault(on_progress).While("default image"));
  auto groups = BJ_TRY(monitor::CgroupTree::Open());
  auto parts =
      std::unique_ptr<Parts>(new Parts{options,
                                       {},
                                       Judgement(options.terms),
                                       Asking(options.approvals, options.log),
                                       std::move(images),
                                       std::move(groups),
                                       {},
                                       {},
                                       {},
                                       {},
                                       {},
                                       {},
                                       {},
                                       {},
                                       {},
                                       std::make_unique<Tools>(options.on_tool_log, options.log)});
  parts->judgement.UseImages(options.state_dir + "/images");
  parts->recovered = RecoverVaults(options.state_dir);
  BJ_TRY(RecordRecovery(options.log, parts->recovered).While("record"));
  if (!options.switch_off.empty()) parts->off = BJ_TRY(ParseSwitchOff(options.switch_off));
  const bool for_shells =
      options.pool_target > 0 || (options.terms.own && !options.terms.own->tools.empty());
  const auto client = for_shells ? isolate::ForShells::kToolsClient : isolate::ForShells::kNothing;
  WallOptions walls = options.walls;
  walls.docker.owner = isolate::OwnerMark(options.state_dir);
  parts->backends = MakeBackends(parts->images, walls, {client, parts->off.steps});
  BJ_TRY(parts->backends->Get(policy::BackendKind::kNative));
  parts->factory = std::make_unique<session::CellFactory>(*parts->backends, parts->groups);
  if (options.pool_target > 0) {
    parts->pool = std::make_unique<session::WarmPool>(*parts->factory, options.pool_target);
  }
  return std::unique_ptr<Engine>(new Engine(std::move(parts)));
}

Engine::Engine(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Engine::~Engine() = default;

Judgement& Engine::judgement() { return parts_->judgement; }
Asking& Engine::asking() { return parts_->asking; }
Tools& Engine::tools() { return *parts_->tools; }

Result<> Engine::RevokeTools(const std::string& run_id, const std::optional<std::string>& caller) {
  return parts_->tools->Revoke(run_id, caller);
}

void Engine::SetTerms(Terms terms) {
  parts_->judgement.Set(std::move(terms));
  parts_->tools->Recheck();
}

const monitor::CgroupSupport& Engine::cgroups() const { return parts_->groups.support(); }

const std::set<std::string>& Engine::AllowedUnenforced() const {
  return parts_->options.allow_unenforced;
}

audit::Log* Engine::Log() const { return parts_->options.log; }
const std::function<std::string(const Alert&)>& Engine::OnAlert() const {
  return parts_->options.on_alert;
}

const std::string& Engine::StateDir() const { return parts_->options.state_dir; }

const std::vector<std::string>& Engine::recovered() const { return parts_->recovered; }

isolate::Backends& Engine::Walls() const { return *parts_->backends; }

Result<> Engine::Require(policy::BackendKind backend) {
  BJ_TRY(Walls().Get(backend));
  return {};
}

json::object Engine::Layers(policy::BackendKind backend) const {
  json::object layers = Walls().LayersOf(backend);
  json::object limits;
  for (const LimitLayer& layer : LimitLayers(cgroups())) limits[layer.limit] = layer.by;
  layers["limits"] = std::move(limits);
  return layers;
}

// Only what a cell is built to; what the watch enforces from outside does not make another cell.
isolate::CellSpec Engine::SpecFor(const policy::Request& request) const {
  isolate::CellSpec spec;
  spec.backend = request.backend.value_or(policy::BackendKind::kNative);
  spec.image = request.image;
  spec.limits = request.limits;
  const policy::Limits defaults;
  spec.limits.wall = defaults.wall;
  spec.limits.cpu_time = defaults.cpu_time;
  spec.limits.output_bytes = defaults.output_bytes;
  spec.limits.output_lines = defaults.output_lines;
  spec.limits.file_operations = defaults.file_operations;
  spec.deterministic = request.deterministic;
  for (const policy::Vault& vault : request.vaults) {
    spec.vaults.push_back({std::string(policy::VaultName(vault)), vault.mode});
  }
  if (!request.allow_hosts.empty()) spec.doors.insert(isolate::Door::kEgress);
  if (!request.command.empty() || request.lang == policy::Lang::kBash) {
    spec.guest = isolate::GuestKind::kNative;
  } else if (request.lang == policy::Lang::kJavaScript) {
    spec.guest = isolate::GuestKind::kNode;
  } else {
    // A zygote pays off from the second cell on.
    const bool native = spec.backend == policy::BackendKind::kNative;
    const bool warm = parts_->pool != nullptr || (native && request.deterministic.has_value());
    spec.guest = warm ? isolate::GuestKind::kPythonWarm : isolate::GuestKind::kPythonCold;
  }
  return spec;
}

const SwitchedOff& Engine::Off() const { return parts_->off; }

void Engine::LiftForTests(policy::Limits& limits) const { Lift(parts_->off, limits); }

namespace {

// Seeds, vaults and networks are many, and seldom asked for twice: no cells are built ahead for
// one. Tools follow from the policy, which is the same for most.
bool IsCommon(const isolate::CellSpec& spec) {
  return !spec.deterministic && spec.vaults.empty() && !spec.doors.contains(isolate::Door::kEgress);
}

}  // namespace

Result<session::PreparedCell> Engine::Place(const policy::Request& request,
                                            const std::set<isolate::Door>& doors) {
  isolate::CellSpec spec = SpecFor(request);
  spec.doors.insert(doors.begin(), doors.end());
  if (parts_->pool && IsCommon(spec)) return parts_->pool->Take(spec);
  return parts_->factory->Make(spec);
}

// A ready cell will do if it has the same addresses; as a rule it has.
Result<session::PreparedCell> Engine::PlaceCopy(const policy::Request& request,
                                                const std::shared_ptr<isolate::CellTemplate>& of) {
  isolate::CellSpec spec = SpecFor(request);
  const auto terms = BJ_TRY(judgement().PolicyFor(request));
  spec.doors.merge(DoorsFor(terms.get()));
  if (parts_->pool && IsCommon(spec)) {
    auto ready = parts_->pool->TakeReady(spec);
    if (ready && ready->cell->copy_of()->Is(*of)) return *std::move(ready);
    if (ready) parts_->pool->Discard(*std::move(ready));
  }
  spec.copy_of = of;
  return parts_->factory->Make(spec);
}

std::unique_ptr<session::WarmPool::Quiet> Engine::QuietPool() {
  if (!parts_->pool) return nullptr;
  return std::make_unique<session::WarmPool::Quiet>(*parts_->pool);
}

Result<std::shared_ptr<Network>> Engine::OpenNetwork(const policy::Request& request,
                                                     const policy::Policy& terms,
                                                     const isolate::Cell& cell) {
  if (request.allow_hosts.empty()) return std::shared_ptr<Network>();
  {
    const std::lock_guard lock(parts_->mutex);
    if (!parts_->egress) parts_->egress = BJ_TRY(broker::Egress::Create({}));
  }
  return Network::Open(*parts_->egress, cell, request, terms.network, parts_->options.log)
      .While("network");
}

Result<> Engine::RevokeNetwork(const std::string& run_id,
                               const std::optional<std::string>& caller) {
  const auto network = parts_->networks.Find(run_id, caller);
  if (network) return network->Revoke();
  return Error(Kind::kNotFound, "no run of that id has a network now");
}

Result<std::shared_ptr<Network>> Engine::ConnectRun(const policy::Request& request, Judged& judged,
                                                    const isolate::Cell& cell) {
  if (request.allow_hosts.empty()) return std::shared_ptr<Network>();
  auto network = BJ_TRY(OpenNetwork(request, *judged.policy, cell));
  const Origin& origin = judged.hooks.origin;
  network->BeginRun(origin, request.correlation_id);
  judged.hooks.env = network->env();
  parts_->networks.Add(network);
  return network;
}

void Engine::Settle(session::PreparedCell used) {
  if (parts_->pool) parts_->pool->Discard(std::move(used));
}

Result<> Engine::Record(const Judged& judged, const policy::Request& request,
                        result::RunResult& result) const {
  const Origin& origin = judged.hooks.origin;
  result.traceparent = origin.traceparent;
  if (!origin.skill.empty()) {
    result.skill = {{"name", origin.skill}, {"version", origin.skill_version}};
  }
  if (parts_->options.log == nullptr || judged.hooks.aside) return {};
  const RunTerms terms{judged.policy.get(), judged.hooks.redactor.get(), ImageBuild(request.image)};
  const auto recorded =
      RecordRun(*parts_->options.log, origin, request, terms, result).While("record");
  if (recorded) return {};
  // Whatever it is to the log, to the caller it is: not now.
  return Error(Kind::kUnavailable, recorded.error().message(), recorded.error().sys());
}

Result<> Engine::NoteReplay(const Recorded& recorded, const Origin& origin,
                            const policy::Request& request, const ReplayNote& note,
                            result::RunResult& result) {
  if (parts_->options.log == nullptr) return {};
  const auto redactor = BJ_TRY(judgement().RedactorFor(*recorded.policy));
  const RunTerms terms{recorded.policy.get(), redactor.get(), ImageBuild(request.image)};
  return RecordReplay(*parts_->options.log, origin, request, terms, note, result).While("record");
}

// Asked for once: cells go on with the tree that the first of them was made of.
std::string Engine::ImageBuild(const std::string& image) const {
  const std::lock_guard lock(parts_->mutex);
  std::string& build = parts_->image_builds[image];
  if (!build.empty()) return build;
  const auto found = parts_->images.Find(image);
  if (!found) return "";
  Fingerprint content;
  for (const std::string* const text : {&found->source, &found->origin, &found->python_version,
                                        &found->node_version, &found->created}) {
    content.Add(*text);
  }
  content.Add(found->files);
  content.Add(found->bytes);
  build = content.Text();
  return build;
}

Result<result::RunResult> Engine::Refuse(const policy::Request& request, std::string reason,
                                         const Origin& origin) {
  result::RunResult refused = RefusedResult(
      request, std::move(reason), Layers(request.backend.value_or(policy::BackendKind::kNative)));
  Judged judged;
  judged.hooks.origin = origin;
  BJ_TRY(Record(judged, request, refused));
  return refused;
}

// For the interpreters that will be started later. A failure costs them time and nothing else.
void Engine::CompileGuestOnce(const policy::Request& of) {
  if (of.lang != policy::Lang::kPython || !of.command.empty()) return;
  const std::string& image = of.image;
  {
    const std::lock_guard lock(parts_->mutex);
    if (!parts_->guest_compiled.insert(image).second) return;
  }
  const auto found = parts_->images.Find(image);
  if (!found || !isolate::ReadCompiledGuest(*found).empty()) return;
  policy::Request request;
  request.image = image;
  request.code = std::string(isolate::CompileProgram());
  request.fetch = {std::string(isolate::kCompiledGuest)};
  RunHooks hooks;
  hooks.aside = Aside{};
  const auto made = RunOnce(std::move(request), hooks);
  if (!made) return;
  const auto bytes = made->files.fetched.find(std::string(isolate::kCompiledGuest));
  if (made->outcome != result::Outcome::kOk || bytes == made->files.fetched.end()) return;
  static_cast<void>(isolate::KeepCompiledGuest(*found, bytes->second));
}

Result<> Engine::Warm(const policy::Request& request, std::size_t count) {
  if (!parts_->pool) return {};
  return parts_->pool->Fill(SpecFor(request), count);
}

std::uint32_t WorkspaceOwner(const Fd& workspace) {
  struct stat status {};
  return ::fstat(workspace.get(), &status) == 0 ? status.st_uid : ::geteuid();
}

}  // namespace belljar::engine
