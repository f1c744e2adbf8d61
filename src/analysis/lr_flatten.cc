#include "analysis/lr_flatten.h"

namespace belljar::analysis {

// Where it is, and what it looks things up in: copies, which can stay in registers.
struct LrFlatten::Walk {
  const Part* parts;
  const PartId* lists;
  const Grammar::Looks* looks;
  const LrTables::Production* productions;
  const Grammar& grammar;
  Node* nodes;
  NodeId next_node = 0;
  NodeId parent = kNoNode;
  NodeId previous = kNoNode;

  std::uint8_t FieldIn(const Open& open) const {
    for (const TSFieldMapEntry& entry : open.production->fields) {
      if (entry.child_index == open.number) return grammar.FieldOf(entry.field_id);
    }
    return open.field;
  }

  void Add(const Part& part, const Grammar::Looks& look, std::uint8_t field) {
    nodes[next_node] = {look.kind, field,  look.named, part.start,
                        part.end,  parent, kNoNode,    kNoNode};
    if (previous != kNoNode) {
      nodes[previous].next = next_node;
    } else if (parent != kNoNode) {
      nodes[parent].first = next_node;
    }
    previous = next_node++;
  }

  // The nodes that follow are the last one's children, if it is a node.
  Open Enter(const Part& part, bool visible, std::uint8_t field) {
    if (visible) {
      parent = previous;
      previous = kNoNode;
    }
    const PartId* const list = lists + part.first;
    return {list,
            list + part.count,
            &productions[part.production],
            parent,
            0,
            visible ? std::uint8_t{0} : field,
            visible};
  }

  void Leave(const Open& open) {
    if (!open.visible) return;
    previous = open.parent;
    parent = nodes[previous].parent;
  }

  // The next part: a node, or one to enter, or both.
  struct Found {
    const Part* part;
    std::uint8_t field;
    bool visible;
  };
  Found Next(Open& open) {
    const Part* part = &parts[*open.next++];
    std::uint8_t field = 0;
    TSSymbol alias = 0;
    if (!part->extra) {
      field = open.field;
      if (!open.production->silent) {
        field = FieldIn(open);
        if (open.production->aliases != nullptr) alias = open.production->aliases[open.number];
      }
      ++open.number;
    }
    const Grammar::Looks* look = &looks[alias != 0 ? alias : part->symbol];
    // Most hidden parts have one part, of which they say nothing.
    while (alias == 0 && !look->visible && part->count == 1 &&
           productions[part->production].silent) {
      part = &parts[lists[part->first]];
      look = &looks[part->symbol];
      if (part->extra) field = 0;
    }
    const bool visible = alias != 0 || look->visible;
    if (visible) Add(*part, *look, field);
    return {part, field, visible};
  }
};

// Once through the tree, in the order of the text. Not by calling itself: the text says how deep it
// is.
bool LrFlatten::All(const LrParts& parts, const Grammar& grammar, PartId root, std::size_t most,
                    std::vector<Node>& nodes) {
  nodes_.Clear();
  open_.Clear();
  // No part is in a tree twice, but for the root's.
  const std::size_t room = 2 * parts.size();
  Walk walk{parts.all().data(),
            parts.lists().data(),
            &grammar.LooksOf(0),
            &grammar.tables().ProductionOf(0),
            grammar,
            nodes_.Room(room)};
  const Part& whole = parts.at(root);
  walk.Add(whole, grammar.LooksOf(whole.symbol), 0);
  open_.Push(walk.Enter(whole, true, 0));
  while (open_.size() > 0) {
    Open& here = open_.last();
    if (here.next == here.end) {
      walk.Leave(here);
      open_.Resize(open_.size() - 1);
      continue;
    }
    if (walk.next_node >= most || walk.next_node >= room) return false;
    const Walk::Found found = walk.Next(here);
    if (found.part->count > 0) open_.Push(walk.Enter(*found.part, found.visible, found.field));
  }
  nodes.assign(walk.nodes, walk.nodes + walk.next_node);
  return true;
}

}  // namespace belljar::analysis
