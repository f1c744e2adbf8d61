#include "run/engine.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "cell/docker/strays.h"
#include "foundation/base/sys.h"
#include "run/record.h"
#include "run/vaults.h"

namespace belljar::run {

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
                                               const cell::image::OnProgress& on_progress) {
  auto images = BJ_TRY(cell::image::ImageStore::Open(options.state_dir + "/images"));
  BJ_TRY(images.FreshDefault(on_progress).While("default image"));
  SwitchedOff off;
  if (!options.switch_off.empty()) off = BJ_TRY(ParseSwitchOff(options.switch_off));
  std::unique_ptr<Engine> engine(new Engine(options, off, std::move(images)));
  engine->assessment().UseImages(options.state_dir + "/images");
  BJ_TRY(engine->RecoverFromCrash());
  BJ_TRY(engine->MakeCells(on_progress));
  return engine;
}

// Removes leftovers of a process that was killed.
Result<> Engine::RecoverFromCrash() {
  const Options& options = machinery_.options;
  for (const std::string& sentence : RecoverVaults(options.state_dir)) {
    BJ_TRY(TellRecovery(options, "vaults", sentence));
  }
  if (const auto said = machinery_.artefacts.Recover()) {
    BJ_TRY(TellRecovery(options, "artefacts", *said));
  }
  return {};
}

Result<> Engine::MakeCells(const cell::image::OnProgress& on_progress) {
  const Options& options = machinery_.options;
  const bool for_shells =
      options.pool_target > 0 ||
      (options.terms.own && judgement::policy::NeedsToolsListener(*options.terms.own));
  const auto client =
      for_shells ? cell::native::ForShells::kToolsClient : cell::native::ForShells::kNothing;
  CellOptions of_cells{options.pool_target,
                       options.allow_unenforced,
                       options.walls,
                       {client, machinery_.off.steps},
                       {}};
  of_cells.walls.docker.owner = cell::docker::OwnerMark(options.state_dir);
  const auto on_stray = [&options](const std::string& stray) {
    return TellRecovery(options, "docker", stray);
  };
  of_cells.docker = {on_stray, on_progress};
  machinery_.cells = BJ_TRY(Cells::Create(machinery_.images, of_cells));
  return {};
}

void Engine::SetTerms(Terms terms) {
  machinery_.assessment.Set(std::move(terms));
  machinery_.tools.Recheck();
  machinery_.networks.Recheck();
}

}  // namespace belljar::run
