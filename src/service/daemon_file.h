// Which daemon serves a state directory, and where it can be reached.
//
// The directory's lock file, which a daemon holds while it lives, says both in one line:
// "PID unix:PATH". It outlives a daemon that was killed, and so is a hint and no proof: whoever
// connects there asks the kernel for the listener's process, and takes it for this directory's
// daemon only if that is PID. Otherwise a daemon of another directory that has come to listen on
// the same name would be mistaken for it.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"

namespace belljar::service {

struct DaemonAddress {
  pid_t pid = 0;
  std::string address;  // unix:PATH, absolute
  bool operator==(const DaemonAddress&) const = default;
};

std::string DaemonFile(const std::string& state_dir);

// Notes this process and the first Unix socket of `addresses` in the lock file. One that listens
// on TCP only is noted as reachable by nobody.
Result<> NoteDaemon(const Fd& lock, const std::vector<std::string>& addresses);

// Nothing when there has been no daemon, or what is noted cannot be read.
std::optional<DaemonAddress> FindDaemon(const std::string& state_dir);

}  // namespace belljar::service
