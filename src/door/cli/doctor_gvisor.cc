#include "door/cli/doctor_gvisor.h"

#include <fmt/format.h>

namespace belljar::door::cli {
namespace {

// Formats the layers: "runsc 20250101, platform systrap (gVisor)".
std::string InWords(const json::object& layers) {
  return fmt::format("{}, platform {} (gVisor)", std::string_view(layers.at("runtime").as_string()),
                     std::string_view(layers.at("platform").as_string()));
}

}  // namespace

GvisorState LookAtGvisor(run::Engine& engine, const run::WallOptions& walls) {
  const bool asked_for = !walls.runtime.empty() || !walls.platform.empty();
  const auto ready = engine.cells().Require(request::BackendKind::kGvisor);
  if (!ready) {
    const bool absent = ready.error().kind() == Kind::kNotFound && !asked_for;
    return {absent, (absent ? "not used: " : "") + ready.error().message()};
  }
  const std::string name = InWords(engine.cells().Layers(request::BackendKind::kGvisor));
  if (const auto fit = engine.cells().Examine(request::BackendKind::kGvisor); !fit) {
    return {false, fmt::format("{}: {}", name, fit.error().message())};
  }
  run::Run run;
  run.request.code = "print(6*7)";
  run.request.backend = request::BackendKind::kGvisor;
  const auto result = engine.Go(run);
  if (!result) return {false, fmt::format("{}: {}", name, result.error().message())};
  if (result->outcome == run::Outcome::kRefused) {
    // Unavailable rather than broken, for example where an ordinary user has no control group.
    return {!asked_for, fmt::format("{}: not used: {}", name, result->reason)};
  }
  if (result->stdout_captured.bytes != "42\n") {
    return {false, fmt::format("{}: {}: {}", name, run::OutcomeName(result->outcome),
                               result->stderr_captured.bytes)};
  }
  return {true, fmt::format("{}: does all that it is told, and a program ran in it in {:.1f} ms",
                            name, result->usage.wall_ms)};
}

}  // namespace belljar::door::cli
