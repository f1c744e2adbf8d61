// Vault: a directory of the host that a run may access, at /vault/NAME in its cell. Plain values.
//
// The cell gets a copy. For a vault with mode "rw", the changes are committed as a whole once the
// program has ended well. See docs/vaults.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/json.h"
#include "foundation/base/result.h"
#include "request/limits.h"

namespace belljar::request {

enum class VaultMode { kReadOnly, kReadWrite };
std::string_view VaultModeName(VaultMode mode);  // "ro", "rw"

struct Vault {
  std::string host;  // absolute and normalised, without a trailing slash
  VaultMode mode = VaultMode::kReadOnly;
  bool operator==(const Vault&) const = default;
};

constexpr std::size_t kMaxVaults = 8;
// All vaults of a run together. A file counts as whole pages, as it is stored in the cell.
constexpr std::uint64_t kMaxVaultBytes = 256 * kMiB;
constexpr std::size_t kMaxVaultFiles = 20'000;  // including directories and links

// The vault's name in a cell: the last component of the host path.
std::string_view VaultName(const Vault& vault);

// Parses [{"host":"/abs/dir","mode":"ro|rw"}, …]; the default mode is read-only.
Result<std::vector<Vault>> ReadVaults(const json::value& value);

// Parses "DIR", "DIR:ro" or "DIR:rw", as given on the command line; a relative path is below `cwd`.
Result<Vault> ParseVaultFlag(std::string_view text, const std::string& cwd);

// Checks the paths, the number of vaults, and that their names are unique.
Result<> ValidateVaults(const std::vector<Vault>& vaults);

}  // namespace belljar::request
