// Runtime: gVisor's runsc on this machine, and what it can be asked for.
//
// runsc is the only OCI runtime that is accepted, because it brings a kernel of its own. Behind
// crun or runc a guest would speak to the host's kernel with less between them than a native cell
// has (no Landlock, no checks before the code starts). A program is runsc if its --version says so.
// One that is missing, is another runtime, or lacks the wanted platform is an error that says what
// to install or to change.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "foundation/base/result.h"

namespace belljar::cell::oci {

struct RuntimeOptions {
  std::string program;                       // a path or a name; empty: runsc
  std::string platform;                      // empty: systrap where runsc has that, else ptrace
  std::chrono::milliseconds answer{10'000};  // to what it is asked of itself
};

struct Runtime {
  std::string path;
  std::string version;
  std::string platform;
  // Which program that is: version, size and time of change. A version alone is not enough, since
  // builds from source say none, or the same as the last one.
  std::string build;
};

// Processes and threads that runsc and the keeper have beside the guest's.
struct ProcessRoom {
  std::uint32_t fixed;
  std::uint32_t each;  // on the host, for one process of the guest
};

// With ptrace, runsc has its own threads and its gofer's, and for each process of the guest those
// that trace it, eight or so, which are reaped late on a busy machine. With systrap a process of
// the guest is two of the host's and, when it is busy, a thread more; runsc and its gofer have some
// forty threads, and may have one for each CPU besides.
inline constexpr ProcessRoom kRoomOfPtrace{112, 9};
ProcessRoom RoomOf(const Runtime& runtime);

// How many processes and threads a group may hold whose guest may have `processes`.
std::uint32_t WithRoom(const ProcessRoom& room, std::uint32_t processes);

Result<Runtime> FindRuntime(const RuntimeOptions& options);

// "/usr/bin/runsc with the platform ptrace"
std::string Described(const Runtime& runtime);
// What to change where a runtime does not do what it is told.
inline constexpr const char* kAdviceOnUnfit =
    "name another gvisor.platform or gvisor.runtime in belljar.toml";
// The sentence about a runtime that was started and whose program never began.
std::string AdviceWhenSilent(const Runtime& runtime);

enum class As { kRoot, kUser };

// The command line up to the command: where its state lies, and what every call needs.
std::vector<std::string> RuntimeCommand(const Runtime& runtime, As as, const std::string& state);

// From what `PROGRAM --version` and `runsc flags` print. An error: the program is not runsc.
Result<std::string> VersionFrom(const std::string& program, const std::string& said);
bool HasPlatform(const std::string& flags, const std::string& platform);

}  // namespace belljar::cell::oci
