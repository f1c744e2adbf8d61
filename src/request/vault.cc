#include "request/vault.h"

#include <filesystem>
#include <set>

#include "foundation/base/quote.h"
#include "request/request.h"

namespace belljar::request {
namespace {

Result<VaultMode> ParseMode(std::string_view text) {
  if (text == "ro") return VaultMode::kReadOnly;
  if (text == "rw") return VaultMode::kReadWrite;
  return Invalid("\"vaults\": the mode {} is not known; use \"ro\" or \"rw\"", Quote(text));
}

Result<std::string> ReadText(std::string_view key, const json::value& value) {
  if (!value.is_string()) return Invalid("\"vaults\": \"{}\" must be a string", key);
  return std::string(value.get_string());
}

Result<Vault> ReadVault(const json::value& value) {
  if (!value.is_object()) {
    return Invalid("\"vaults\" must be a list of objects with \"host\" and \"mode\"");
  }
  Vault vault;
  for (const auto& [key, member] : value.get_object()) {
    const std::string_view name(key.data(), key.size());
    if (name != "host" && name != "mode") {
      return Invalid("\"vaults\": unknown key {}; a vault has \"host\" and \"mode\"", Quote(name));
    }
    const std::string text = BJ_TRY(ReadText(name, member));
    if (name == "host") {
      vault.host = text;
    } else {
      vault.mode = BJ_TRY(ParseMode(text));
    }
  }
  if (vault.host.empty()) return Invalid("\"vaults\": a vault needs a \"host\" directory");
  return vault;
}

Result<> ValidateHost(const std::string& host) {
  if (!host.starts_with('/')) {
    return Invalid("the vault {} is not an absolute path", Quote(host));
  }
  if (host == "/")
    return Invalid("the root directory cannot be a vault; name a directory below it");
  return CheckRelativePath(std::string_view(host).substr(1)).While("a vault's host");
}

}  // namespace

std::string_view VaultModeName(VaultMode mode) {
  return mode == VaultMode::kReadWrite ? "rw" : "ro";
}

std::string_view VaultName(const Vault& vault) {
  return std::string_view(vault.host).substr(vault.host.rfind('/') + 1);
}

Result<std::vector<Vault>> ReadVaults(const json::value& value) {
  if (!value.is_array()) return Invalid("\"vaults\" must be a list");
  std::vector<Vault> vaults;
  for (const json::value& item : value.get_array()) vaults.push_back(BJ_TRY(ReadVault(item)));
  return vaults;
}

Result<Vault> ParseVaultFlag(std::string_view text, const std::string& cwd) {
  Vault vault;
  if (text.ends_with(":rw") || text.ends_with(":ro")) {
    vault.mode = text.ends_with(":rw") ? VaultMode::kReadWrite : VaultMode::kReadOnly;
    text.remove_suffix(3);
  }
  if (text.empty()) return Invalid("--vault: name a directory");
  // Normalises the path and removes a trailing slash, with or without one in the input.
  const std::filesystem::path path = std::filesystem::path(cwd) / text / "";
  vault.host = path.lexically_normal().parent_path().native();
  return vault;
}

Result<> ValidateVaults(const std::vector<Vault>& vaults) {
  if (vaults.size() > kMaxVaults) {
    return Invalid("\"vaults\" has {} entries; at most {} are allowed", vaults.size(), kMaxVaults);
  }
  std::set<std::string_view> names;
  for (const Vault& vault : vaults) {
    BJ_TRY(ValidateHost(vault.host));
    if (names.insert(VaultName(vault)).second) continue;
    return Invalid("two vaults would both be /vault/{}; rename one of the directories",
                   VaultName(vault));
  }
  return {};
}

}  // namespace belljar::request
