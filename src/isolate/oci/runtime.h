// Runtime: the OCI runtime of this machine, and what it can be asked for.
//
// gVisor's runsc is the one that brings a kernel of its own; crun, where somebody names it, is
// driven in the same way and holds a guest with namespaces and a seccomp filter. What is not there,
// or not known to work, is an error that says what to install or to change.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace belljar::isolate {

struct RuntimeOptions {
  std::string program;   // a path or a name; empty: runsc
  std::string platform;  // of runsc; empty: systrap where it has that, else ptrace
  std::chrono::milliseconds answer{10'000};  // to what it is asked of itself
};

enum class RuntimeKind { kRunsc, kCrun, kRunc };

struct Runtime {
  RuntimeKind kind = RuntimeKind::kRunsc;
  std::string path;
  std::string version;
  std::string platform;  // of runsc
  // Which program that is: version, size and time of change. A version alone is not enough, since
  // builds from source say none, or the same as the last one.
  std::string build;
};

const char* NameOf(RuntimeKind kind);

// Processes and threads that a runtime and the keeper have beside the guest's.
struct ProcessRoom {
  std::uint32_t fixed;
  std::uint32_t each;       // on the host, for one process of the guest
  std::uint32_t least = 0;  // of all together: what it takes to start a container
};

// Of runsc with ptrace: its own threads and its gofer's, and for each process of the guest those
// that trace it, eight or so, which are buried late on a busy machine. With systrap a process of
// the guest is two of the host's and, when it is busy, a thread more; runsc and its gofer have some
// forty threads, and may have one for each CPU besides. Of the others, which end once a container
// runs: the keeper and process 1, in whose room crun fits; runc has some fifteen threads meanwhile.
inline constexpr ProcessRoom kRoomOfPtrace{112, 9};
ProcessRoom RoomOf(const Runtime& runtime);

// How many a group may hold whose guest may have `processes`.
std::uint32_t WithRoom(const ProcessRoom& room, std::uint32_t processes);

Result<Runtime> FindRuntime(const RuntimeOptions& options);

// "/usr/bin/runsc with the platform ptrace"
std::string Described(const Runtime& runtime);
// What to say of one that does not do what it is told.
std::string AdviceOnUnfit(const Runtime& runtime);
// Of one that was started and whose program never began.
std::string AdviceWhenSilent(const Runtime& runtime);

enum class As { kRoot, kUser };

// The command line up to the command: where its state lies, and what every call needs.
std::vector<std::string> RuntimeCommand(const Runtime& runtime, As as, const std::string& state);

// From what `PROGRAM --version` and `runsc flags` print.
Result<RuntimeKind> KindFromVersion(const std::string& program, const std::string& said);
std::string VersionFrom(const std::string& said);
bool HasPlatform(const std::string& flags, const std::string& platform);

}  // namespace belljar::isolate
