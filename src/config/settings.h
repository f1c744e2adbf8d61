// Settings: everything that can be said to `belljar serve`, from flags and from belljar.toml.
//
// One table has a row for each key: its name, what it takes, whether a running daemon can take a
// new value, how it is read and how it is shown. File, flags, `--check`, reloading and the sample
// in packaging/ all go by it; there is no second list. A key that is not in it is an error that
// names the nearest one that is. Flags win over the file, the file over the defaults.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "journal/journal.h"
#include "policy/limits.h"

namespace belljar::config {

struct Settings {
  std::vector<std::string> listen;  // none: the socket in the runtime directory
  std::string socket_group;         // whose members may connect; empty: the daemon's own
  std::string state;                // empty: where state lives by default
  std::string database;             // empty: SQLite in the state directory
  std::uint64_t pool = 64;
  std::uint64_t jobs = 0;  // 0: twice the CPUs
  std::chrono::milliseconds grace{10'000};
  std::chrono::milliseconds session_timeout = std::chrono::minutes(15);  // between runs
  std::vector<std::string> allow_unenforced;

  std::string policy;  // a file; empty: the preset `level`
  std::string level;   // of requests that name none; empty: standard
  std::vector<std::string>
      levels;  // that requests may name; none: see LevelsOpen in serve_command.cc

  std::string log_file;  // empty: stderr
  journal::Detail log_detail = journal::Detail::kStandard;
  std::optional<journal::Format> log_format;  // none: text on a terminal, else JSON

  std::chrono::milliseconds keep_bodies = std::chrono::hours(24 * 30);
  std::chrono::milliseconds keep_workspaces = std::chrono::hours(24);
  std::uint64_t keep_workspace_bytes = 1ULL << 30;  // of each caller's ended sessions

  policy::Limits limits;  // of requests that do not say

  std::string gvisor_runtime;            // a name or a path of gVisor's; empty: runsc
  std::string gvisor_platform;           // empty: the best that works anywhere
  std::string docker_socket;             // empty: $DOCKER_HOST, else /var/run/docker.sock
  std::string docker_image = "default";  // of requests that name no other
  std::string docker_runtime = "runsc";
  std::string docker_network = "none";  // nothing else is taken
  bool docker_strict_gvisor = true;
  std::uint64_t docker_cpu_period = 100'000;  // microseconds
  std::uint64_t docker_cpu_quota = 0;         // of a period; 0: what the request's CPUs make of it

  std::uint64_t sessions = 5'000;  // of all callers together, as are the rest
  // Limits are ceilings, and an idle session is far below its own: quotas are for callers.
  std::uint64_t memory_bytes = 4096ULL << 30;
  std::uint64_t memory_of_one = 3072ULL << 30;
  std::uint64_t waiting = 4'096;
  std::uint64_t waiting_of_one = 1'024;
  std::chrono::milliseconds longest_wait{30'000};

  bool operator==(const Settings&) const = default;
};

// A value as it was given: one text, or a list of them.
struct Given {
  std::vector<std::string> texts;
  bool is_list = false;
};
using GivenByKey = std::map<std::string, Given, std::less<>>;

enum class Takes { kTexts, kText, kCount, kTime, kSize, kDetail, kFormat, kCpus, kFlag };
enum class Changes { kWhileRunning, kAtStart };

struct Key {
  std::string name;  // "log.detail"
  Takes takes;
  Changes changes;
  std::function<Result<>(Settings&, const Given&)> set;
  std::function<Given(const Settings&)> get;
};

std::span<const Key> Keys();

// Every key and value of a file; `name` is for error messages.
Result<GivenByKey> ParseToml(std::string_view text, const std::string& name);
Result<GivenByKey> ReadTomlFile(const std::string& path);

// Defaults, file, flags. The error names the key.
Result<Settings> Combine(const GivenByKey& file, const GivenByKey& flags);

// The keys that differ but cannot change while running.
std::vector<std::string> FixedDifferences(const Settings& running, const Settings& wanted);

// One line per key, `key = value`, as TOML takes them.
std::string Show(const Settings& settings);

// $BELLJAR_CONFIG; else /etc/belljar/belljar.toml for root, $XDG_CONFIG_HOME/belljar/belljar.toml
// for others; "" when that is nowhere.
std::string DefaultFile();

}  // namespace belljar::config
