// Runtime: the OCI runtime of this machine, and what it can be asked for.
//
// gVisor's runsc is the one that brings a kernel of its own; crun and runc, where somebody names
// them, are driven in the same way and hold a guest with namespaces only. What is not there, or
// not known to work, is an error that says what to install or to change.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace belljar::isolate {

struct RuntimeOptions {
  std::string program;   // a path or a name; empty: runsc
  std::string platform;  // of runsc; empty: systrap where it has that, else ptrace
};

enum class RuntimeKind { kRunsc, kCrun, kRunc };

struct Runtime {
  RuntimeKind kind = RuntimeKind::kRunsc;
  std::string path;
  std::string version;
  std::string platform;  // of runsc
};

Result<Runtime> FindRuntime(const RuntimeOptions& options);

enum class As { kRoot, kUser };

// The command line up to the command: where its state lies, and what every call needs.
std::vector<std::string> RuntimeCommand(const Runtime& runtime, As as, const std::string& state);

// From what `PROGRAM --version` and `runsc flags` print.
Result<RuntimeKind> KindFromVersion(const std::string& program, const std::string& said);
std::string VersionFrom(const std::string& said);
bool HasPlatform(const std::string& flags, const std::string& platform);

}  // namespace belljar::isolate
