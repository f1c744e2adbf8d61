// Proof: shows that one record is in a log; it can be checked without the log.
//
// The format is c2sp.org/tlog-proof@v1: the record's index, the hashes that lead from it to the
// root, and the checkpoint that signs the root. The record itself is in the "extra" line, which the
// format leaves to the application, so that the proof is one complete file. The line is trusted
// only if its hash leads to the signed root.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "record/entry.h"
#include "record/log_view.h"
#include "record/note.h"

namespace belljar::record {

struct Proof {
  std::string entry;  // may be empty if the verifier has the record already
  std::uint64_t index = 0;
  std::vector<Hash> path;
  std::string note;
};

std::string FormatProof(const Proof& proof);
Result<Proof> ParseProof(std::string_view text);

// Makes a proof against the signed checkpoint `note`, from the tiles in `dir` (STATE/audit).
Result<Proof> MakeProof(const std::string& dir, std::uint64_t index, const std::string& note,
                        const VerifierKey& key);

// Verifies `proof` against the log's key, and returns the record.
Result<Record> CheckProof(const Proof& proof, const VerifierKey& key);

}  // namespace belljar::record
