#include "resource/vault/snapshot.h"

#include "foundation/tree/copy.h"
#include "request/vault.h"

namespace belljar::resource::vault {
namespace {

constexpr mode_t kPermissions = 0777;
constexpr std::uint64_t kPage = 4096;

const tree::Rules& VaultRules() {
  static const tree::Rules rules{.holder = "a vault",
                                 .kinds = tree::kFile | tree::kDirectory | tree::kLink,
                                 .hard_links = tree::Take::kYes,
                                 .set_ids = tree::Take::kYes};
  return rules;
}

Node NodeOf(tree::Node read) {
  const mode_t mode = read.status.st_mode;
  return {S_ISDIR(mode)   ? NodeKind::kDirectory
          : S_ISLNK(mode) ? NodeKind::kLink
                          : NodeKind::kFile,
          mode & kPermissions, static_cast<std::uint64_t>(read.status.st_size), read.content.digest,
          std::move(read.target)};
}

tree::Listener AddTo(Tree& list) {
  return {.on_node = [&list](const std::string& path, tree::Node node) -> Result<> {
    list.emplace(path, NodeOf(std::move(node)));
    return {};
  }};
}

}  // namespace

tree::Budget WholeBudget() {
  return tree::Budget({request::kMaxVaultFiles, request::kMaxVaultBytes}, kPage);
}

Result<Tree> CopyIn(const Fd& host, const Fd& staged, std::uint32_t owner, tree::Budget& budget) {
  Tree list;
  const tree::CopyStyle style{.rules = VaultRules(), .owner = owner};
  BJ_TRY(tree::CopyTree(host, staged, style, budget, AddTo(list)));
  return list;
}

Result<Tree> ReadTree(const Fd& root, tree::Budget& budget) {
  Tree list;
  BJ_TRY(tree::ReadTree(root, VaultRules(), budget, AddTo(list)));
  return list;
}

}  // namespace belljar::resource::vault
