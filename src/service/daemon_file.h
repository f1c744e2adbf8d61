// Finds the daemon that serves a state directory, and its address.
//
// The directory's lock file, held by its daemon, contains both in one line: "PID unix:PATH". The
// file outlives a daemon that was killed, so it is only a hint. A client connects, asks the kernel
// for the listener's pid (SO_PEERCRED), and accepts the daemon only if that pid is PID. Otherwise
// the daemon of another directory that listens at the same path could be mistaken for this one.
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

// Writes this process and the first Unix socket of `addresses` into the lock file. For a daemon
// that listens on TCP only, the file is left empty.
Result<> NoteDaemon(const Fd& lock, const std::vector<std::string>& addresses);

// nullopt when there has been no daemon, or its entry cannot be read.
std::optional<DaemonAddress> FindDaemon(const std::string& state_dir);

}  // namespace belljar::service
