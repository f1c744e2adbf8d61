// A trial of an OCI runtime: all of its interface once, with one container in which nothing runs
// but a program of ours.
//
// A cell needs of its runtime that it creates and starts a container; the kernel ends it, whatever
// the runtime thinks. But one that says what is not so, or hangs, is better known by the name of
// the command than by the first program that waits in it. So nothing is taken on its word alone:
// what `exec` ran must have spoken, and what `kill` ended must have closed its stream.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "foundation/base/result.h"

namespace belljar::cell::oci {

// The container is called so in every command.
inline constexpr const char* kContainerName = "cell";

struct TrialPlan {
  // runsc as an ordinary user knows no "create": then one "run".
  enum class Begins { kCreated, kRunning };
  Begins begins = Begins::kCreated;
  std::string bundle;
  std::string program;  // in the container
  std::string says;     // what it prints
  std::chrono::milliseconds time;
};

struct ProbeOps {
  // Has the runtime do it, within the plan's time; what it printed.
  std::function<Result<std::string>(const std::vector<std::string>& words)> tell;
  // The container's first command: its stream is the container's.
  std::function<Result<std::string>(const std::vector<std::string>& words)> begin;
  // Whether the container has let go of its stream, within the time.
  std::function<Result<bool>(std::chrono::milliseconds time)> ended;
};

// An error names the command. The container may still be there then.
Result<> TryInterface(const TrialPlan& plan, const ProbeOps& hands);

// "running", from what `state` prints; "" of what is no state.
std::string StatusFrom(const std::string& said);

}  // namespace belljar::cell::oci
