#include "isolate/oci/runtime.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "image/program.h"

namespace belljar::isolate {
namespace {

constexpr std::chrono::seconds kAnswer{10};
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

// Those that work on an ordinary machine; kvm needs one that can run guests.
constexpr std::array kPlatforms = {"systrap", "ptrace"};

Result<std::string> ChoosePlatform(const std::string& path, const std::string& wanted) {
  const std::string flags =
      BJ_TRY(image::AskProgram({path, "flags"}, kAnswer, image::Answers::kOnEither));
  if (!wanted.empty()) {
    if (HasPlatform(flags, wanted)) return wanted;
    return Error(Kind::kNotFound, fmt::format("{} has no platform \"{}\"", path, wanted));
  }
  for (const char* platform : kPlatforms) {
    if (HasPlatform(flags, platform)) return std::string(platform);
  }
  return Error(Kind::kNotFound, fmt::format("{} has neither systrap nor ptrace", path));
}

}  // namespace

bool HasPlatform(const std::string& flags, const std::string& platform) {
  const std::size_t at = flags.find("specifies which platform to use:");
  if (at == std::string::npos) return false;
  const std::string line = flags.substr(at, flags.find('\n', at) - at);
  return line.find(platform) != std::string::npos;
}

Result<RuntimeKind> KindFromVersion(const std::string& program, const std::string& said) {
  if (said.starts_with("runsc version")) return RuntimeKind::kRunsc;
  if (said.starts_with("crun version")) return RuntimeKind::kCrun;
  if (said.starts_with("runc version")) return RuntimeKind::kRunc;
  return Error(Kind::kInvalid,
               fmt::format("{} is neither runsc nor crun nor runc, by what it says of its version",
                           program));
}

std::string VersionFrom(const std::string& said) {
  const std::string line = said.substr(0, said.find('\n'));
  const std::size_t at = line.rfind("version ");
  return at == std::string::npos ? line : line.substr(at + 8);
}

Result<Runtime> FindRuntime(const RuntimeOptions& options) {
  Runtime runtime;
  runtime.path = BJ_TRY(FindProgram(options.program.empty() ? "runsc" : options.program));
  const std::string said = BJ_TRY(image::AskProgram({runtime.path, "--version"}, kAnswer));
  runtime.kind = BJ_TRY(KindFromVersion(runtime.path, said));
  runtime.version = VersionFrom(said);
  if (runtime.kind == RuntimeKind::kRunsc) {
    runtime.platform = BJ_TRY(ChoosePlatform(runtime.path, options.platform));
  }
  return runtime;
}

std::vector<std::string> RuntimeCommand(const Runtime& runtime, As as, const std::string& state) {
  std::vector<std::string> command = {runtime.path, "--root", state};
  switch (runtime.kind) {
    case RuntimeKind::kRunsc:
      // The control group is the cell's own, made before the runtime is started in it.
      command.insert(command.end(),
                     {"--platform=" + runtime.platform, "--network=none", "--ignore-cgroups"});
      if (as == As::kUser) command.push_back("--rootless");
      break;
    case RuntimeKind::kCrun:
      command.push_back("--cgroup-manager=disabled");
      break;
    case RuntimeKind::kRunc:
      break;
  }
  return command;
}

}  // namespace belljar::isolate
