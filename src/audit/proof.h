// Proof: that one record is in a log, checked without the log.
//
// The text of c2sp.org/tlog-proof@v1: the record's index, the hashes that lead from it to the root,
// and the checkpoint that signs the root. The record itself stands in the "extra" line, which the
// format leaves to its user, so that the proof is complete in one file; the line is believed only
// because its hash leads to the signed root.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "audit/entry.h"
#include "audit/log_view.h"
#include "audit/note.h"
#include "base/result.h"

namespace belljar::audit {

struct Proof {
  std::string entry;  // may be empty when it is given by other means
  std::uint64_t index = 0;
  std::vector<Hash> path;
  std::string note;
};

std::string FormatProof(const Proof& proof);
Result<Proof> ParseProof(std::string_view text);

// A proof against the signed checkpoint `note`, from the tiles in `dir`, STATE/audit.
Result<Proof> MakeProof(const std::string& dir, std::uint64_t index, const std::string& note,
                        const VerifierKey& key);

// The record that `proof` proves to be in the log of `key`.
Result<Record> CheckProof(const Proof& proof, const VerifierKey& key);

}  // namespace belljar::audit
