#include "run/unenforced.h"

#include <fmt/format.h>

namespace belljar::run {
namespace {

using cell::limits::CgroupBy;

std::string By(CgroupBy by, const char* otherwise) {
  switch (by) {
    case CgroupBy::kV1:
      return "cgroup v1";
    case CgroupBy::kV2:
      return "cgroup v2";
    case CgroupBy::kNone:
      break;
  }
  return otherwise;
}

bool CountsFiles(const request::Request& request) {
  return request.command.empty() && request.lang == request::Lang::kPython;
}

}  // namespace

const std::set<std::string>& KnownUnenforced() {
  static const std::set<std::string> kNames = {"cpus", "file_operations", "memory"};
  return kNames;
}

std::vector<LimitLayer> LimitLayers(const cell::limits::CgroupSupport& support) {
  return {{"wall", "supervisor's clock"},
          {"cpu_time", By(support.cpu_usage, "sampling")},
          {"memory", By(support.memory, "rlimit for each process, sampling for all")},
          {"cpus", By(support.cpu, "CPU affinity (whole CPUs)")},
          {"processes", By(support.processes, "rlimit in a namespace or uid of its own")},
          {"output", "supervisor's readers"},
          {"workspace", "kernel (tmpfs size and inodes)"},
          {"open_files", "kernel (rlimit)"},
          {"file_size", "kernel (rlimit)"},
          {"file_operations", "the guest's own count (Python only)"}};
}

std::optional<std::string> RefuseUnenforced(const request::Request& request,
                                            request::BackendKind backend,
                                            const cell::limits::CgroupSupport& support,
                                            const std::set<std::string>& allowed) {
  const request::Limits& limits = request.limits;
  if (support.cpu == CgroupBy::kNone && limits.cpu_millis % 1000 != 0 &&
      !allowed.contains("cpus")) {
    return fmt::format(
        "a limit of {:g} CPUs cannot be held on this machine, which has no usable CPU control "
        "group: ask for whole CPUs, or accept it with --allow-unenforced cpus",
        limits.cpu_millis / 1000.0);
  }
  const bool contained = backend != request::BackendKind::kNative;
  if (contained && support.memory == CgroupBy::kNone && !allowed.contains("memory")) {
    return fmt::format(
        "the memory of a {} cell cannot be held on this machine, which has no usable memory "
        "control "
        "group: run as root or in a delegated group, take the native backend, or accept a limit "
        "for "
        "each process alone with --allow-unenforced memory",
        request::BackendName(backend));
  }
  if (limits.file_operations != request::Limits{}.file_operations && !CountsFiles(request) &&
      !allowed.contains("file_operations")) {
    return "file operations are counted for Python code only: leave the limit out, or accept that "
           "with --allow-unenforced file_operations";
  }
  return std::nullopt;
}

}  // namespace belljar::run
