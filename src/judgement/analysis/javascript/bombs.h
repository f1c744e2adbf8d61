// Bombs: loops that never end, things that grow without bound, and allocations that no machine
// should be asked for. Shapes of the tree, helped by constants; nothing is said of loops that have
// a way out.
#pragma once

#include <optional>
#include <string>

#include "judgement/analysis/javascript/eval.h"

namespace belljar::judgement::analysis::javascript {

struct Bomb {
  std::string subject;
  std::string message;
};

class Bombs {
 public:
  Bombs(const Syntax& syntax, const Scopes& scopes, Evaluator& evaluator)
      : syntax_(syntax), scopes_(scopes), evaluator_(evaluator) {}

  // Of a loop, a function, a spread or an operator; others have none.
  std::optional<Bomb> InStatement(NodeId id);
  std::optional<Bomb> InCall(NodeId id, const Call& call);

 private:
  // What is in a loop, nested functions left out.
  struct Contents {
    bool leaves = false;  // break, return, throw, an exit of the program
    bool yields = false;
    bool awaits = false;
    bool grows = false;    // something is put into a container, or added to a text
    bool doubles = false;  // something is added to itself
  };

  std::optional<Bomb> InLoop(NodeId loop);
  std::optional<Bomb> InFunction(NodeId function);
  std::optional<Bomb> InPower(NodeId power);
  Contents ContentsOf(NodeId loop);
  void Note(NodeId id, NodeId loop, Contents& contents);
  bool Breaks(NodeId statement, NodeId loop) const;
  bool IsEndless(NodeId loop);
  bool IsAlwaysTrue(NodeId condition, int depth);
  double RoundsOf(NodeId loop);
  bool Doubles(NodeId assignment);
  bool IsGrowth(NodeId id);
  bool Grows(NodeId loop, NodeId list);
  bool IsEndlessGenerator(ValuePtr functions);
  bool Allocates(NodeId function);
  bool IsCertain(NodeId id, NodeId function) const;
  const Binding* BindingOfFunction(NodeId function) const;
  std::optional<Bomb> Reschedules(NodeId use, NodeId function, int& times);

  const Syntax& syntax_;
  const Scopes& scopes_;
  Evaluator& evaluator_;
};

}  // namespace belljar::judgement::analysis::javascript
