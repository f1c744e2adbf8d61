// Artefact: a dataset, a model or another file of the operator's that a run may read, at
// /artefacts/NAME in its cell. Plain values; what they stand for lies in a store of its own
// (artefact/store.h). docs/artefacts.md
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace belljar::policy {

struct Artefact {
  std::string name;
  std::string digest;  // "sha256:" and 64 hexadecimal digits; empty: whatever the name stands for
  bool operator==(const Artefact&) const = default;
};

constexpr std::size_t kMaxArtefacts = 8;  // of a run
constexpr std::size_t kMaxArtefactName = 64;
inline constexpr const char* kArtefactsPath = "/artefacts";  // in a cell

// Letters, digits, '.', '_' and '-', beginning with a letter or a digit, at most 64.
Result<> ValidateArtefactName(std::string_view name);
Result<> ValidateArtefactDigest(std::string_view digest);

// "NAME" or "NAME@sha256:…", in requests and behind --artefact.
Result<Artefact> ParseArtefact(std::string_view text);
std::string ArtefactText(const Artefact& artefact);

Result<std::vector<Artefact>> ReadArtefacts(const json::value& value);
// Number, spelling, and that no two have one name.
Result<> ValidateArtefacts(const std::vector<Artefact>& artefacts);

// One entry of a policy's [artefacts] allow: a name with * and ? in it, and perhaps a digest.
Result<> ValidateArtefactPattern(std::string_view text);
// Whether one of them opens it. A pattern with a digest opens that digest and no other.
bool IsArtefactOpen(const std::vector<std::string>& allow, const Artefact& artefact);

}  // namespace belljar::policy
