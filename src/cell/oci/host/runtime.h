// Runtime: gVisor's runsc on this machine, and its capabilities.
//
// runsc is the only OCI runtime that is accepted, because it brings a kernel of its own. Behind
// crun or runc a guest would use the host's kernel, with fewer layers in between than a native cell
// has (no Landlock, no self-check before the code starts). A program is runsc if its --version says
// so. A runtime that is missing, is not runsc, or lacks the wanted platform is an error that says
// what to install or to change.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "foundation/base/result.h"

namespace belljar::cell::oci {

struct RuntimeOptions {
  std::string program;                       // a path or a name; empty: runsc
  std::string platform;                      // empty: systrap if runsc has it, else ptrace
  std::chrono::milliseconds answer{10'000};  // timeout for queries such as --version
};

struct Runtime {
  std::string path;
  std::string version;
  std::string platform;
  // Identifies the program: version, size and modification time. A version alone is not enough,
  // since builds from source report none, or the same as the build before.
  std::string build;
};

// Processes and threads of runsc and the keeper, in addition to the guest's.
struct ProcessRoom {
  std::uint32_t fixed;
  std::uint32_t each;  // on the host, for each process of the guest
};

// With ptrace, runsc has its own threads and its gofer's, and for each process of the guest about
// eight that trace it, which are reaped late on a busy machine. With systrap a process of the guest
// is two on the host and, when it is busy, one thread more; runsc and its gofer have some forty
// threads, and up to one more for each CPU.
inline constexpr ProcessRoom kRoomOfPtrace{112, 9};
ProcessRoom RoomOf(const Runtime& runtime);

// The limit on processes and threads for a control group whose guest may have `processes`.
std::uint32_t WithRoom(const ProcessRoom& room, std::uint32_t processes);

Result<Runtime> FindRuntime(const RuntimeOptions& options);

// "/usr/bin/runsc with the platform ptrace"
std::string Described(const Runtime& runtime);
// Advice for a runtime that does not obey its commands.
inline constexpr const char* kAdviceOnUnfit =
    "name another gvisor.platform or gvisor.runtime in belljar.toml";
// Advice for a runtime that was started but whose program never began.
std::string AdviceWhenSilent(const Runtime& runtime);

enum class As { kRoot, kUser };

// The command line up to the command: the state directory and the options that every call needs.
std::vector<std::string> RuntimeCommand(const Runtime& runtime, As as, const std::string& state);

// Parse the output of `PROGRAM --version` and `runsc flags`. An error: the program is not runsc.
Result<std::string> VersionFrom(const std::string& program, const std::string& said);
bool HasPlatform(const std::string& flags, const std::string& platform);

}  // namespace belljar::cell::oci
