#include "cell/oci/host/runtime.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "cell/image/program.h"
#include "foundation/base/sys.h"
#include "foundation/base/text.h"

namespace belljar::cell::oci {
namespace {

constexpr std::array kFolders = {"/usr/local/sbin", "/usr/local/bin", "/usr/sbin",
                                 "/usr/bin",        "/sbin",          "/bin"};

Result<std::string> FindProgram(const std::string& program) {
  if (program.find('/') != std::string::npos) {
    if (program.front() == '/' && ::access(program.c_str(), X_OK) == 0) return program;
    return Error(Kind::kNotFound,
                 fmt::format("there is no runtime at {}: name one that can be run, by its whole "
                             "path",
                             program));
  }
  for (const char* folder : kFolders) {
    std::string path = fmt::format("{}/{}", folder, program);
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return Error(Kind::kNotFound,
               fmt::format("{} is not installed: on Debian, apt-get install {}", program, program));
}

// The platforms that work on an ordinary machine; kvm needs one that can run virtual machines.
constexpr std::array kPlatforms = {"systrap", "ptrace"};

Result<std::string> ChoosePlatform(const std::string& path, const RuntimeOptions& options) {
  const std::string& wanted = options.platform;
  const std::string flags =
      BJ_TRY(image::AskProgram({path, "flags"}, options.answer, image::Answers::kOnEither));
  if (!wanted.empty()) {
    if (HasPlatform(flags, wanted)) return wanted;
    return Error(Kind::kNotFound, fmt::format("{} has no platform \"{}\"", path, wanted));
  }
  for (const char* platform : kPlatforms) {
    if (HasPlatform(flags, platform)) return std::string(platform);
  }
  return Error(Kind::kNotFound, fmt::format("{} has neither systrap nor ptrace", path));
}

Result<std::string> BuildOf(const std::string& path, const std::string& version) {
  struct stat status {};
  BJ_TRY(Check("stat", path, [&] { return ::stat(path.c_str(), &status); }));
  return fmt::format("{} of {} bytes, {}.{:09}", version, status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec);
}

}  // namespace

bool HasPlatform(const std::string& flags, const std::string& platform) {
  const std::size_t at = flags.find("specifies which platform to use:");
  if (at == std::string::npos) return false;
  const std::string line = flags.substr(at, flags.find('\n', at) - at);
  return line.find(platform) != std::string::npos;
}

Result<std::string> VersionFrom(const std::string& program, const std::string& said) {
  constexpr std::string_view kFirstWords = "runsc version ";
  if (!said.starts_with(kFirstWords)) {
    return Error(Kind::kInvalid,
                 fmt::format("{} is not gVisor's runsc, by what its --version prints, and no other "
                             "runtime is accepted: name runsc in gvisor.runtime",
                             program));
  }
  return said.substr(kFirstWords.size(), said.find('\n') - kFirstWords.size());
}

ProcessRoom RoomOf(const Runtime& runtime) {
  const auto cpus =
      static_cast<std::uint32_t>(std::clamp(::sysconf(_SC_NPROCESSORS_CONF), 1L, 1024L));
  if (runtime.platform != "systrap") return kRoomOfPtrace;
  return {56 + 2 * cpus, 3};
}

std::uint32_t WithRoom(const ProcessRoom& room, std::uint32_t processes) {
  const std::uint64_t all = std::uint64_t{room.each} * processes + room.fixed;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(all, UINT32_MAX));
}

Result<Runtime> FindRuntime(const RuntimeOptions& options) {
  Runtime runtime;
  runtime.path = BJ_TRY(FindProgram(options.program.empty() ? "runsc" : options.program));
  const std::string said = BJ_TRY(image::AskProgram({runtime.path, "--version"}, options.answer));
  runtime.version = BJ_TRY(VersionFrom(runtime.path, said));
  runtime.build = BJ_TRY(BuildOf(runtime.path, runtime.version));
  runtime.platform = BJ_TRY(ChoosePlatform(runtime.path, options));
  return runtime;
}

std::string Described(const Runtime& runtime) {
  return fmt::format("{} with the platform {}", runtime.path, runtime.platform);
}

std::string AdviceWhenSilent(const Runtime& runtime) {
  return fmt::format("{} hangs: see what belljar doctor says of it, and {}", Described(runtime),
                     kAdviceOnUnfit);
}

std::vector<std::string> RuntimeCommand(const Runtime& runtime, As as, const std::string& state) {
  // The cell's control group is made before the runtime is started in it.
  std::vector<std::string> command = {
      runtime.path,     "--root",          state, "--platform=" + runtime.platform,
      "--network=none", "--ignore-cgroups"};
  if (as == As::kUser) command.push_back("--rootless");
  return command;
}

}  // namespace belljar::cell::oci
