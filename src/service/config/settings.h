// Settings: the configuration of `belljar serve`, from flags and from belljar.toml.
//
// One table has a row for each key: its name, its type, whether a running daemon can apply a new
// value, and how it is parsed and shown. The file, the flags, `--check`, reloading and the sample
// in packaging/ all use this table. An unknown key is an error that names the nearest known one.
// Flags override the file, and the file overrides the defaults.
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

#include "foundation/base/result.h"
#include "foundation/log/logger.h"
#include "request/limits.h"

namespace belljar::service::config {

struct Settings {
  std::vector<std::string> listen;  // empty: the socket in the runtime directory
  std::string socket_group;         // members may connect; empty: the daemon's own group
  std::string state;                // empty: the default state directory
  std::string database;             // empty: SQLite in the state directory
  std::uint64_t pool = 64;
  std::uint64_t jobs = 0;  // 0: twice the number of CPUs
  std::chrono::milliseconds grace{10'000};
  // An idle session is ended after this time.
  std::chrono::milliseconds session_timeout = std::chrono::minutes(15);
  std::vector<std::string> allow_unenforced;

  std::string policy;  // a policy file; empty: the preset named by `level`
  std::string level;   // for requests that name none; empty: standard
  std::vector<std::string>
      levels;  // that requests may name; empty: see LevelsOpen in serve_command.cc

  std::string log_file;  // empty: stderr
  log::Detail log_detail = log::Detail::kStandard;
  std::optional<log::Format> log_format;  // nullopt: text on a terminal, otherwise JSON

  std::chrono::milliseconds keep_bodies = std::chrono::hours(24 * 30);
  std::chrono::milliseconds keep_workspaces = std::chrono::hours(24);
  std::uint64_t keep_workspace_bytes = 1ULL << 30;  // for the ended sessions of each caller

  request::Limits limits;  // for requests that do not set them

  std::string gvisor_runtime;            // name or path of the runsc program; empty: runsc
  std::string gvisor_platform;           // empty: the best one that works on every machine
  std::string docker_socket;             // empty: $DOCKER_HOST, else /var/run/docker.sock
  std::string docker_image = "default";  // for requests that name none
  std::string docker_runtime = "runsc";
  std::string docker_network = "none";  // no other value is accepted
  bool docker_strict_gvisor = true;
  std::uint64_t docker_cpu_period = 100'000;  // microseconds
  // Microseconds per period; 0: computed from the request's CPUs.
  std::uint64_t docker_cpu_quota = 0;

  std::uint64_t sessions = 5'000;  // over all callers, as are the limits below
  // Memory limits are upper bounds, and an idle session uses far less than its own; therefore the
  // total exceeds the machine's memory, and callers are limited by quotas.
  std::uint64_t memory_bytes = 4096ULL << 30;
  std::uint64_t memory_of_one = 3072ULL << 30;
  std::uint64_t waiting = 4'096;
  std::uint64_t waiting_of_one = 1'024;
  std::chrono::milliseconds longest_wait{30'000};

  bool operator==(const Settings&) const = default;
};

// A raw value from the file or the flags: one text, or a list of texts.
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

// Parses a file into keys and values; `name` is used in error messages.
Result<GivenByKey> ParseToml(std::string_view text, const std::string& name);
Result<GivenByKey> ReadTomlFile(const std::string& path);

// Combines defaults, file and flags. The error names the key.
Result<Settings> Combine(const GivenByKey& file, const GivenByKey& flags);

// The keys that differ, but cannot be changed while the daemon runs.
std::vector<std::string> FixedDifferences(const Settings& running, const Settings& wanted);

// All settings as TOML, one line `key = value` per key.
std::string Show(const Settings& settings);

// The path of the configuration file: $BELLJAR_CONFIG if set; otherwise /etc/belljar/belljar.toml
// for root, and $XDG_CONFIG_HOME/belljar/belljar.toml for other users; "" if that cannot be
// determined.
std::string DefaultFile();

}  // namespace belljar::service::config
