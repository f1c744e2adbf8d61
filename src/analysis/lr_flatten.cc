#include "analysis/lr_flatten.h"

#include <new>

namespace belljar::analysis {

// Where it is, and what it looks things up in: copies, which can stay in registers.
struct LrFlatten::Walk {
  const Part* parts;
  const PartId* lists;
  const Grammar::Looks* looks;
  const LrTables::Production* productions;
  const Grammar& grammar;
  LrPool<Open>& open;
  Node* nodes;
  NodeId next_node = 0;
  NodeId parent = kNoNode;
  NodeId previous = kNoNode;

  std::uint8_t FieldIn(const Open& here) const {
    for (const TSFieldMapEntry& entry : here.production->fields) {
      if (entry.child_index == here.number) return grammar.FieldOf(entry.field_id);
    }
    return here.field;
  }

  void Add(const Part& part, const Grammar::Looks& look, std::uint8_t field) {
    ::new (&nodes[next_node])
        Node{look.kind, field, look.named, part.start, part.end, parent, kNoNode, kNoNode};
    if (previous != kNoNode) {
      nodes[previous].next = next_node;
    } else if (parent != kNoNode) {
      nodes[parent].first = next_node;
    }
    previous = next_node++;
  }

  // Parts are gone through next. What they are is children of the last node, if `visible`, or
  // stands in its part's place, in `field`.
  void Enter(const PartId* next, const PartId* end, std::uint16_t production, bool visible,
             std::uint8_t field) {
    if (visible) {
      parent = previous;
      previous = kNoNode;
    }
    ::new (open.Extend(1)) Open{
        next, end, &productions[production], parent, 0, visible ? std::uint8_t{0} : field, visible};
  }

  void Leave() {
    const Open& left = open.last();
    if (left.visible) {
      previous = left.parent;
      parent = nodes[previous].parent;
    }
    open.Resize(open.size() - 1);
  }

  // The next part: a node, or one to enter, or both.
  void Next() {
    Open& here = open.last();
    const PartId* const at = here.next++;
    const Part* part = &parts[*at];
    std::uint8_t field = 0;
    TSSymbol alias = 0;
    if (!part->extra) {
      field = here.field;
      if (!here.production->silent) {
        field = FieldIn(here);
        if (here.production->aliases != nullptr) alias = here.production->aliases[here.number];
      }
      ++here.number;
    }
    const Grammar::Looks* look = &looks[alias != 0 ? alias : part->symbol];
    if (alias != 0 && WasSpared(*part, alias)) {
      Add(*part, *look, field);
      return Enter(at, at + 1, 0, true, 0);
    }
    // Most hidden parts have one part, of which they say nothing.
    while (alias == 0 && !look->visible && part->count == 1 &&
           productions[part->production].silent) {
      part = &parts[lists[part->first]];
      look = &looks[part->symbol];
      if (part->extra) field = 0;
    }
    const bool visible = alias != 0 || look->visible;
    if (visible) Add(*part, *look, field);
    if (part->count == 0) return;
    const PartId* const list = lists + part->first;
    Enter(list, list + part->count, part->production, visible, field);
  }

  // Whether the name is that of a part which would have had `part` for its only one.
  bool WasSpared(const Part& part, TSSymbol alias) const {
    const TSSymbol spared = grammar.tables().SparedUnder(alias);
    return spared != 0 && spared != part.symbol;
  }
};

// Once through the tree, in the order of the text. Not by calling itself: the text says how deep it
// is.
bool LrFlatten::All(const LrParts& parts, const Grammar& grammar, PartId root, std::size_t most,
                    LrPool<Node>& nodes) {
  nodes.Clear();
  open_.Clear();
  // No part is in a tree twice, but for the root's.
  const std::size_t room = 2 * parts.size();
  Walk walk{parts.all().data(),
            parts.lists().data(),
            &grammar.LooksOf(0),
            &grammar.tables().ProductionOf(0),
            grammar,
            open_,
            nodes.Room(room)};
  const Part& whole = parts.at(root);
  walk.Add(whole, grammar.LooksOf(whole.symbol), 0);
  const PartId* const list = walk.lists + whole.first;
  walk.Enter(list, list + whole.count, whole.production, true, 0);
  while (open_.size() > 0) {
    const Open& here = open_.last();
    if (here.next == here.end) {
      walk.Leave();
      continue;
    }
    if (walk.next_node >= most || walk.next_node >= room) return false;
    walk.Next();
  }
  nodes.Resize(walk.next_node);
  return true;
}

}  // namespace belljar::analysis
