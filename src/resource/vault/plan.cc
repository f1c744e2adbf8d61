#include "resource/vault/plan.h"

#include <algorithm>

#include "foundation/base/quote.h"
#include "foundation/tree/path.h"

namespace belljar::resource::vault {
namespace {

bool IsDir(const Node& node) { return node.kind == NodeKind::kDirectory; }

bool Same(const Node& before, const Node& after) {
  if (before.kind != after.kind) return false;
  switch (after.kind) {
    case NodeKind::kDirectory:
      return true;
    case NodeKind::kLink:
      return before.target == after.target;
    case NodeKind::kFile:
      break;
  }
  return before.digest == after.digest && before.size == after.size &&
         IsExecutable(before) == IsExecutable(after);
}

std::string Shown(const std::string& path, const Node& node) {
  return IsDir(node) ? path + "/" : path;
}

void ComeOrChange(const Tree& before, const std::string& path, const Node& node, Plan& plan) {
  const auto old = before.find(path);
  if (old != before.end() && Same(old->second, node)) return;
  (IsDir(node) ? plan.make_dirs : plan.place).push_back(path);
  if (old != before.end() && IsDir(old->second) == IsDir(node)) {
    plan.changes.changed.push_back(path);
  } else {
    plan.changes.created.push_back(Shown(path, node));
  }
}

void Go(const Tree& after, const std::string& path, const Node& node, Plan& plan) {
  const auto now = after.find(path);
  if (now != after.end() && IsDir(now->second) == IsDir(node)) return;
  (IsDir(node) ? plan.remove_dirs : plan.remove).push_back(path);
  plan.changes.deleted.push_back(Shown(path, node));
}

Result<> CheckLink(const std::string& path, const std::string& target) {
  const auto refuse = [&](std::string_view why) {
    return Error(Kind::kDenied, "the link " + Quote(path) + " to " + Quote(target) +
                                    " is not carried out: " + std::string(why));
  };
  switch (tree::FaultOfLink(path, target)) {
    case tree::LinkFault::kAbsolute:
      return refuse("it is absolute");
    case tree::LinkFault::kBehindAName:
      return refuse("\"..\" behind a name may lead anywhere if the name is a link");
    case tree::LinkFault::kLeaves:
      return refuse("it leaves the vault");
    case tree::LinkFault::kNone:
      break;
  }
  return {};
}

}  // namespace

Plan Compare(const Tree& before, const Tree& after) {
  Plan plan;
  for (const auto& [path, node] : before) Go(after, path, node, plan);
  for (const auto& [path, node] : after) ComeOrChange(before, path, node, plan);
  std::ranges::reverse(plan.remove);
  std::ranges::reverse(plan.remove_dirs);
  for (auto* list : {&plan.changes.created, &plan.changes.changed, &plan.changes.deleted}) {
    std::ranges::sort(*list);
  }
  return plan;
}

Result<> CheckLinks(const Plan& plan, const Tree& after) {
  for (const std::string& path : plan.place) {
    const Node& node = after.at(path);
    if (node.kind == NodeKind::kLink) BJ_TRY(CheckLink(path, node.target));
  }
  return {};
}

std::string WaitingPlace(const Tree& before, const Tree& after, const std::string& path) {
  const auto is_dir = [](const Tree& tree, const std::string& name) {
    const auto found = tree.find(name);
    return found != tree.end() && IsDir(found->second);
  };
  std::string place(tree::ParentOf(path));
  while (!place.empty() && !(is_dir(before, place) && is_dir(after, place)))
    place.erase(tree::ParentOf(place).size());
  return place;
}

}  // namespace belljar::resource::vault
