#include "engine/engine.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <set>

#include "base/fingerprint.h"
#include "base/sys.h"
#include "engine/parts.h"
#include "engine/record.h"
#include "engine/unenforced.h"
#include "engine/vaults.h"
#include "engine/verdict.h"
#include "isolate/docker/strays.h"
#include "isolate/native/compiled_guest.h"
#include "isolate/native/embedded.h"

namespace belljar::engine {

namespace {

Result<std::string> UsualStateDir() {
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

Result<> TellRecovery(const Options& options, std::string_view what, const std::string& sentence) {
  if (options.on_recovered) options.on_recovered(sentence);
  return RecordRecovery(options.log, what, sentence).While("record");
}

}  // namespace

Result<std::string> StateDirOr(const std::string& said) {
  std::string dir = said;
  if (dir.empty()) dir = BJ_TRY(UsualStateDir());
  std::error_code ec;
  const auto path = (std::filesystem::absolute(dir, ec) / "").lexically_normal().parent_path();
  if (ec) return SysError("find", "the working directory", ec.value());
  return path.native();
}

Result<std::unique_ptr<Engine>> Engine::Create(const Options& options,
                                               const image::OnProgress& on_progress) {
  auto images = BJ_TRY(image::ImageStore::Open(options.state_dir + "/images"));
  BJ_TRY(images.FreshDefault(on_progress).While("default image"));
  auto groups = BJ_TRY(monitor::CgroupTree::Open());
  SwitchedOff off;
  if (!options.switch_off.empty()) off = BJ_TRY(ParseSwitchOff(options.switch_off));
  auto parts = std::unique_ptr<Parts>(
      new Parts{options,
                off,
                Assessment(options.terms),
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
                std::make_unique<Tools>(options.on_tool_log, options.log),
                std::make_unique<Artefacts>(options.state_dir, off.artefact_marks),
                {},
                {}});
  parts->assessment.UseImages(options.state_dir + "/images");
  for (const std::string& sentence : RecoverVaults(options.state_dir)) {
    BJ_TRY(TellRecovery(options, "vaults", sentence));
  }
  if (const auto said = parts->artefacts->Recover()) {
    BJ_TRY(TellRecovery(options, "artefacts", *said));
  }
  const bool for_shells =
      options.pool_target > 0 || (options.terms.own && policy::NeedsToolsDoor(*options.terms.own));
  const auto client = for_shells ? isolate::ForShells::kToolsClient : isolate::ForShells::kNothing;
  WallOptions walls = options.walls;
  walls.docker.owner = isolate::OwnerMark(options.state_dir);
  const auto on_stray = [&told = parts->options](const std::string& stray) {
    return TellRecovery(told, "docker", stray);
  };
  parts->backends =
      MakeBackends(parts->images, walls, {client, parts->off.steps}, {on_stray, on_progress});
  BJ_TRY(parts->backends->Get(policy::BackendKind::kNative));
  parts->factory = std::make_unique<session::CellFactory>(*parts->backends, parts->groups);
  if (options.pool_target > 0) {
    parts->pool = std::make_unique<session::WarmPool>(*parts->factory, options.pool_target);
  }
  return std::unique_ptr<Engine>(new Engine(std::move(parts)));
}

Engine::Engine(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Engine::~Engine() = default;

Assessment& Engine::assessment() { return parts_->assessment; }
Asking& Engine::asking() { return parts_->asking; }
Artefacts& Engine::artefacts() { return *parts_->artefacts; }
Tools& Engine::tools() { return *parts_->tools; }

Result<> Engine::RevokeTools(const std::string& run_id, const std::optional<std::string>& caller) {
  return parts_->tools->Revoke(run_id, caller, Called::kTools);
}

Result<> Engine::RevokeDatabases(const std::string& run_id,
                                 const std::optional<std::string>& caller) {
  return parts_->tools->Revoke(run_id, caller, Called::kDatabases);
}

Result<> Engine::RevokeOfSession(const Origin& session, Called what) {
  return parts_->tools->RevokeOfSession(session, what);
}

void Engine::SetTerms(Terms terms) {
  parts_->assessment.Set(std::move(terms));
  parts_->tools->Recheck();
  parts_->networks.Recheck(parts_->assessment);
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

std::optional<std::string> Engine::CannotBeHeld(policy::Request& request,
                                                const policy::Policy* terms) const {
  auto refusal = ChooseWalls(request, terms, Walls());
  if (refusal) return refusal;
  return RefuseUnenforced(request, cgroups(), AllowedUnenforced());
}

isolate::Backends& Engine::Walls() const { return *parts_->backends; }

Result<> Engine::Require(policy::BackendKind backend) {
  BJ_TRY(Walls().Get(backend));
  return {};
}

Result<> Engine::Examine(policy::BackendKind backend) {
  isolate::Backend* const made = BJ_TRY(Walls().Get(backend));
  return made->Examine(made->ImageFor(policy::Request().image));
}

json::object Engine::Layers(policy::BackendKind backend) const {
  json::object layers = Walls().LayersOf(backend);
  json::object limits;
  for (const LimitLayer& layer : LimitLayers(cgroups())) limits[layer.limit] = layer.by;
  layers["limits"] = std::move(limits);
  return layers;
}

const SwitchedOff& Engine::Off() const { return parts_->off; }

void Engine::LiftForTests(policy::Limits& limits) const { Lift(parts_->off, limits); }

Result<std::shared_ptr<Network>> Engine::OpenNetwork(const policy::Request& request,
                                                     const policy::Policy& terms,
                                                     const isolate::Cell& cell) {
  if (request.allow_hosts.empty()) return std::shared_ptr<Network>();
  {
    const std::lock_guard lock(parts_->mutex);
    broker::Egress::Options egress;
    egress.left_out = Off().broker;
    if (!parts_->egress) parts_->egress = BJ_TRY(broker::Egress::Create(std::move(egress)));
  }
  auto network =
      BJ_TRY(Network::Open(*parts_->egress, cell, request, terms.network, parts_->options.log)
                 .While("network"));
  parts_->networks.Follow(network, parts_->assessment);
  return network;
}

Result<> Engine::RevokeNetwork(const std::string& run_id,
                               const std::optional<std::string>& caller) {
  const auto networks = parts_->networks.Find(run_id, caller);
  for (const auto& network : networks) BJ_TRY(network->Revoke());
  if (!networks.empty()) return {};
  return Error(Kind::kNotFound, "no run of that id has a network now");
}

Result<std::shared_ptr<Network>> Engine::ConnectRun(const policy::Request& request, Judged& judged,
                                                    const isolate::Cell& cell) {
  if (request.allow_hosts.empty()) return std::shared_ptr<Network>();
  auto network = BJ_TRY(OpenNetwork(request, *judged.policy, cell));
  const Origin& origin = judged.hooks.origin;
  network->BeginRun(origin, request.correlation_id);
  judged.hooks.env = network->env();
  return network;
}

Result<json::object> Engine::Draft(const Judged& judged, const policy::Request& request) const {
  const RunTerms terms{judged.policy.get(), judged.hooks.redactor.get(), ImageBuild(request.image)};
  return DraftRecord(*parts_->options.log, request, terms);
}

// Not where it takes long: by the same thread limits are held.
void Engine::BuildRecordDuringRun(const policy::Request& request, Judged& judged) const {
  const bool recorded = parts_->options.log != nullptr && !judged.hooks.aside;
  if (!recorded || !IsCheapToRecord(request)) return;
  judged.hooks.on_started = [this, &request, &judged] { judged.draft = Draft(judged, request); };
}

Result<> Engine::Record(Judged& judged, const policy::Request& request,
                        result::RunResult& result) const {
  const Origin& origin = judged.hooks.origin;
  result.traceparent = origin.traceparent;
  if (!origin.skill.empty()) {
    result.skill = {{"name", origin.skill}, {"version", origin.skill_version}};
  }
  if (parts_->options.log == nullptr || judged.hooks.aside) return {};
  const auto record = [&]() -> Result<> {
    auto draft = BJ_TRY(judged.draft ? *std::move(judged.draft) : Draft(judged, request));
    return RecordRun(*parts_->options.log, origin, request, std::move(draft), result);
  };
  const auto recorded = record().While("record");
  if (recorded) return {};
  // Whatever it is to the log, to the caller it is: not now.
  return Error(Kind::kUnavailable, recorded.error().message(), recorded.error().sys());
}

Result<> Engine::NoteReplay(const Recorded& recorded, const Origin& origin,
                            const policy::Request& request, const ReplayNote& note,
                            result::RunResult& result) {
  if (parts_->options.log == nullptr) return {};
  const auto redactor = BJ_TRY(assessment().RedactorFor(*recorded.policy));
  const RunTerms terms{recorded.policy.get(), redactor.get(), ImageBuild(request.image)};
  auto draft = BJ_TRY(DraftRecord(*parts_->options.log, request, terms).While("record"));
  return RecordReplay(*parts_->options.log, origin, request, std::move(draft), note, result)
      .While("record");
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
void Engine::CompileGuestOnce(const std::string& image) {
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

std::uint32_t WorkspaceOwner(const Fd& workspace) {
  struct stat status {};
  return ::fstat(workspace.get(), &status) == 0 ? status.st_uid : ::geteuid();
}

}  // namespace belljar::engine
