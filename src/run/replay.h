// Replay: runs a recorded request again under the policy it was judged by, and compares the
// results.
//
// It runs once, in a fresh cell, with the recorded seed. A request that had no seed gets
// kReplaySeed; its differences may then be due to chance, and the answer says so. Compared are the
// outcome, the exit code, both streams as they were answered (redacted), and files; times and usage
// are not. A replay has no effects outside the cell: vaults are shown with their current contents,
// and writes to them are dropped.
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
  std::string recorded;  // for short values: both values
  std::string replayed;
  std::string diff;  // for values with lines: as diff -u shows them
};

// The differences between two results, as JSON. Paths in vaults are left out: those of the record
// were committed, and a replay commits nothing.
std::vector<Difference> CompareResults(const json::object& recorded, const json::object& replayed);

struct Replayed {
  std::string id;        // id of the replay
  std::string of, time;  // id and time of the run it repeats
  std::vector<Difference> differences;
  std::vector<std::string> notes;  // remarks on the comparison, in sentences
  json::object result;
};

json::object ToJson(const Replayed& replayed);

}  // namespace belljar::run
