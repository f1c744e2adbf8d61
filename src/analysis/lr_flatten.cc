#include "analysis/lr_parts.h"

namespace belljar::analysis {

// Walks a tree of parts once, in the order of the text. Not by calling itself: the text says how
// deep it is.
class LrFlatten {
 public:
  LrFlatten(const LrParts& parts, const Grammar& grammar) : parts_(parts), grammar_(grammar) {}

  // False: there are more nodes than that.
  bool All(PartId root, std::size_t most) {
    const Part& part = parts_.at(root);
    Show(part, grammar_.LooksOf(part.symbol), 0);
    if (part.count > 0) Enter(part, true, 0);
    while (open_.size() > 0) {
      if (nodes_.size() > most) return false;
      Open& here = open_.last();
      if (here.next != here.end) {
        Child(here, &parts_.at(*here.next++));
        continue;
      }
      if (here.visible) Close(here.node);
      open_.Resize(open_.size() - 1);
    }
    return nodes_.size() <= most;
  }

  const LrPool<Node>& nodes() const { return nodes_; }

 private:
  struct Open {
    const PartId* next;
    const PartId* end;
    const LrTables::Production* production;
    NodeId node;           // if it is visible
    std::uint16_t number;  // of the next part, extras not counted
    std::uint8_t field;    // what a hidden one is, and its parts are with it
    bool visible;
  };

  std::uint8_t FieldOf(const Open& here) const {
    for (const TSFieldMapEntry& entry : here.production->fields) {
      if (entry.child_index == here.number) return grammar_.FieldOf(entry.field_id);
    }
    return here.field;
  }

  void Child(Open& here, const Part* child) {
    std::uint8_t field = 0;
    TSSymbol alias = 0;
    if (!child->extra) {
      field = here.field;
      if (!here.production->silent) {
        field = FieldOf(here);
        if (here.production->aliases != nullptr) alias = here.production->aliases[here.number];
      }
      ++here.number;
    }
    const Grammar::Looks* looks = &grammar_.LooksOf(alias != 0 ? alias : child->symbol);
    // Most hidden parts have one part, of which they say nothing.
    while (alias == 0 && !looks->visible && child->count == 1 &&
           grammar_.tables().ProductionOf(child->production).silent) {
      child = &parts_.at(parts_.OnlyPartOf(*child));
      looks = &grammar_.LooksOf(child->symbol);
      if (child->extra) field = 0;
    }
    const bool visible = alias != 0 || looks->visible;
    if (child->count == 0) {
      if (visible) previous_ = Add(*child, *looks, field);
      return;
    }
    if (visible) Show(*child, *looks, field);
    Enter(*child, visible, field);
  }

  void Enter(const Part& part, bool visible, std::uint8_t field) {
    const std::span<const PartId> list = parts_.PartsOf(part);
    open_.Push({list.data(), list.data() + list.size(),
                &grammar_.tables().ProductionOf(part.production), parent_, 0,
                visible ? std::uint8_t{0} : field, visible});
  }

  NodeId Add(const Part& part, const Grammar::Looks& looks, std::uint8_t field) {
    const auto here = static_cast<NodeId>(nodes_.size());
    nodes_.Push({looks.kind, field, looks.named, part.start, part.end, parent_, kNoNode, kNoNode});
    if (previous_ != kNoNode) {
      nodes_[previous_].next = here;
    } else if (parent_ != kNoNode) {
      nodes_[parent_].first = here;
    }
    return here;
  }

  void Show(const Part& part, const Grammar::Looks& looks, std::uint8_t field) {
    parent_ = Add(part, looks, field);
    previous_ = kNoNode;
  }

  void Close(NodeId node) {
    previous_ = node;
    parent_ = nodes_[node].parent;
  }

  const LrParts& parts_;
  const Grammar& grammar_;
  LrPool<Node> nodes_;
  LrPool<Open> open_;
  NodeId parent_ = kNoNode;
  NodeId previous_ = kNoNode;
};

bool LrParts::Flatten(const Grammar& grammar, PartId root, std::size_t most,
                      std::vector<Node>& nodes) const {
  LrFlatten flatten(*this, grammar);
  if (!flatten.All(root, most)) return false;
  const std::span<const Node> all = flatten.nodes().all();
  nodes.assign(all.begin(), all.end());
  return true;
}

}  // namespace belljar::analysis
