// Artefact: a dataset, a model or another file of the operator's that a run may read, at
// /artefacts/NAME in its cell. Plain values; the content is in the artefact store
// (artefact/store.h). See docs/artefacts.md.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/json.h"
#include "foundation/base/result.h"

namespace belljar::request {

struct Artefact {
  std::string name;
  // "sha256:" and 64 hexadecimal digits; empty: the digest that the name currently refers to
  std::string digest;
  bool operator==(const Artefact&) const = default;
};

constexpr std::size_t kMaxArtefacts = 8;  // per run
constexpr std::size_t kMaxArtefactName = 64;
inline constexpr const char* kArtefactsPath = "/artefacts";  // the path inside a cell

// Allowed names: letters, digits, '.', '_' and '-', beginning with a letter or a digit, at most 64.
Result<> ValidateArtefactName(std::string_view name);
Result<> ValidateArtefactDigest(std::string_view digest);

// Parses "NAME" or "NAME@sha256:…", as in requests and after --artefact.
Result<Artefact> ParseArtefact(std::string_view text);
std::string ArtefactText(const Artefact& artefact);

Result<std::vector<Artefact>> ReadArtefacts(const json::value& value);
// Checks the number of artefacts, their spelling, and that names are unique.
Result<> ValidateArtefacts(const std::vector<Artefact>& artefacts);

// Validates one entry of a policy's [artefacts] allow: a name pattern with * and ?, optionally with
// a digest.
Result<> ValidateArtefactPattern(std::string_view text);
// Whether one of the patterns allows the artefact. A pattern with a digest allows only that digest.
bool IsArtefactOpen(const std::vector<std::string>& allow, const Artefact& artefact);

}  // namespace belljar::request
