// A trial of an OCI runtime: executes every command of its interface once, on a container that runs
// only a program of Belljar's.
//
// A cell needs from its runtime only that it creates and starts a container; the kernel ends the
// container, regardless of the runtime. But if a runtime hangs or reports something untrue, an
// error that names the command is better than a user's program that never starts. So no report is
// taken on trust: a program run by `exec` must have printed its text, and a container ended by
// `kill` must have closed its stream.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "foundation/base/result.h"

namespace belljar::cell::oci {

// The name of the container in every command.
inline constexpr const char* kContainerName = "cell";

struct TrialPlan {
  // Rootless runsc has no "create"; one "run" is used.
  enum class Begins { kCreated, kRunning };
  Begins begins = Begins::kCreated;
  std::string bundle;
  std::string program;  // path in the container
  std::string says;     // the expected output
  std::chrono::milliseconds time;
};

struct ProbeOps {
  // Has the runtime execute a command within the plan's time; returns its output.
  std::function<Result<std::string>(const std::vector<std::string>& words)> tell;
  // The same for the container's first command, which gets the container's stream.
  std::function<Result<std::string>(const std::vector<std::string>& words)> begin;
  // Whether the container has closed its stream within the time.
  std::function<Result<bool>(std::chrono::milliseconds time)> ended;
};

// An error names the command that failed; the container may then still exist.
Result<> TryInterface(const TrialPlan& plan, const ProbeOps& hands);

// The status in the output of `state`, such as "running"; "" if the output is not a state.
std::string StatusFrom(const std::string& said);

}  // namespace belljar::cell::oci
