#include "analysis/lr_parts.h"

namespace belljar::analysis {

// Walks a tree of parts once, in the order of the text. Not by calling itself: the text says how
// deep it is.
class LrFlatten {
 public:
  LrFlatten(const LrParts& parts, const Grammar& grammar, std::vector<Node>& nodes)
      : parts_(parts), grammar_(grammar), tables_(grammar.tables()), nodes_(nodes) {}

  bool All(PartId root, std::size_t most) {
    const Part& part = parts_.at(root);
    Show(part, part.symbol, 0);
    Enter(part, true, 0);
    while (!open_.empty()) {
      if (nodes_.size() > most) return false;
      Open& here = open_.back();
      if (here.next == here.end) {
        Leave();
      } else {
        Child(here, parts_.parts_[parts_.lists_[here.next++]]);
      }
    }
    return nodes_.size() <= most;
  }

 private:
  struct Open {
    std::uint32_t next;  // in the list of parts
    std::uint32_t end;
    const TSSymbol* aliases;
    std::span<const TSFieldMapEntry> fields;
    std::uint16_t number;   // of the next part, extras not counted
    std::uint8_t field;     // what a hidden one says that its parts are
    bool visible;
  };

  std::uint8_t FieldOf(const Open& here) const {
    for (const TSFieldMapEntry& entry : here.fields) {
      if (!entry.inherited && entry.child_index == here.number) {
        return grammar_.FieldOf(entry.field_id);
      }
    }
    return here.field;
  }

  void Child(Open& here, const Part& part) {
    TSSymbol symbol = part.symbol;
    std::uint8_t field = 0;
    bool visible = grammar_.LooksOf(symbol).visible;
    if (!part.extra) {
      field = FieldOf(here);
      if (here.aliases != nullptr && here.aliases[here.number] != 0) {
        symbol = here.aliases[here.number];
        visible = true;
      }
      ++here.number;
    }
    if (visible) Show(part, symbol, field);
    if (visible || part.count > 0) Enter(part, visible, field);
  }

  void Enter(const Part& part, bool visible, std::uint8_t field) {
    if (part.count == 0) {
      if (visible) Close();
      return;
    }
    open_.push_back({part.first, part.first + part.count, tables_.AliasesOf(part.production),
                     tables_.FieldsOf(part.production), 0,
                     visible ? std::uint8_t{0} : field, visible});
  }

  void Leave() {
    if (open_.back().visible) Close();
    open_.pop_back();
  }

  void Show(const Part& part, TSSymbol symbol, std::uint8_t field) {
    const auto here = static_cast<NodeId>(nodes_.size());
    const Grammar::Looks& looks = grammar_.LooksOf(symbol);
    nodes_.push_back({looks.kind, field, looks.named, part.start, part.end, parent_, kNoNode,
                      kNoNode});
    if (previous_ != kNoNode) {
      nodes_[previous_].next = here;
    } else if (parent_ != kNoNode) {
      nodes_[parent_].first = here;
    }
    parent_ = here;
    previous_ = kNoNode;
  }

  void Close() {
    previous_ = parent_;
    parent_ = nodes_[parent_].parent;
  }

  const LrParts& parts_;
  const Grammar& grammar_;
  const LrTables& tables_;
  std::vector<Node>& nodes_;
  std::vector<Open> open_;
  NodeId parent_ = kNoNode;
  NodeId previous_ = kNoNode;
};

bool LrParts::Flatten(const Grammar& grammar, PartId root, std::size_t most,
                      std::vector<Node>& nodes) const {
  return LrFlatten(*this, grammar, nodes).All(root, most);
}

}  // namespace belljar::analysis
