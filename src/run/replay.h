// Replay: a recorded request runs again, under the policy it was judged by, and is compared.
//
// It runs once, in a fresh cell, with the seed it had; one that had none gets kReplaySeed, and what
// differs may then be chance: the answer says so. Outcome, exit code, both streams as they were
// answered (redacted), and files are compared; times and usage are not. Nothing is repeated outside
// the cell: vaults are shown as they are now, and what is written to them is dropped.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foundation/base/json.h"
#include "run/recorded.h"
#include "run/run_result.h"

namespace belljar::run {

constexpr std::uint64_t kReplaySeed = 1;

struct Difference {
  std::string what;      // "outcome", "stdout", "files created" …
  std::string recorded;  // of what is short: both values
  std::string replayed;
  std::string diff;  // of what has lines: as diff -u shows it
};

// What differs between two results, as JSON. Paths in vaults are left out: those of the record were
// committed, and a replay commits nothing.
std::vector<Difference> CompareResults(const json::object& recorded, const json::object& replayed);

struct Replayed {
  std::string id;        // of the replay
  std::string of, time;  // the run it repeats
  std::vector<Difference> differences;
  std::vector<std::string> notes;  // what to know of the comparison, in sentences
  json::object result;
};

json::object ToJson(const Replayed& replayed);

}  // namespace belljar::run
