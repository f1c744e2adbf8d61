// Vault: a directory of the host that a run may see, at /vault/NAME in its cell. Plain values.
//
// The cell gets a copy; what it writes to one that is "rw" is carried back, whole, when the program
// has ended well. docs/vaults.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "policy/limits.h"

namespace belljar::policy {

enum class VaultMode { kReadOnly, kReadWrite };
std::string_view VaultModeName(VaultMode mode);  // "ro", "rw"

struct Vault {
  std::string host;  // absolute, without "." and ".." parts or a slash at its end
  VaultMode mode = VaultMode::kReadOnly;
  bool operator==(const Vault&) const = default;
};

constexpr std::size_t kMaxVaults = 8;
// In all vaults of a run together. A file counts in whole pages, as it lies in the cell.
constexpr std::uint64_t kMaxVaultBytes = 256 * kMiB;
constexpr std::size_t kMaxVaultFiles = 20'000;  // directories and links, too

// What a cell calls it: the last part of the host's path.
std::string_view VaultName(const Vault& vault);

// [{"host":"/abs/dir","mode":"ro|rw"}, …]; without a mode it is read-only.
Result<std::vector<Vault>> ReadVaults(const json::value& value);

// "DIR", "DIR:ro" or "DIR:rw", as it is typed; a relative one is below `cwd`.
Result<Vault> ParseVaultFlag(std::string_view text, const std::string& cwd);

// Paths, number, and that no two have one name.
Result<> ValidateVaults(const std::vector<Vault>& vaults);

}  // namespace belljar::policy
