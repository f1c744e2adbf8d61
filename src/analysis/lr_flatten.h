// LrFlatten: the nodes of a Syntax, out of the parts that a text consists of. Those that a grammar
// hides are left out, and what they hold takes their place.
//
// Keeps its buffers.
#pragma once

#include "analysis/lr_parts.h"
#include "analysis/lr_pool.h"
#include "analysis/syntax.h"

namespace belljar::analysis {

class LrFlatten {
 public:
  // False: there are more nodes than `most`.
  bool All(const LrParts& parts, const Grammar& grammar, PartId root, std::size_t most,
           LrPool<Node>& nodes);

 private:
  // A part whose parts are being gone through.
  struct Open {
    const PartId* next;
    const PartId* end;
    const LrTables::Production* production;
    NodeId parent;         // the node that its nodes are children of
    std::uint16_t number;  // of the next part, extras not counted
    std::uint8_t field;    // what a hidden one is, and its parts are with it
    bool visible;
  };
  struct Walk;

  LrPool<Open> open_;
};

}  // namespace belljar::analysis
