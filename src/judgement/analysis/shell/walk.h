// Walk: interprets a script symbolically, statement by statement in the shell's order of execution,
// and passes each command to Judge.
//
// Both branches of a condition are walked. The body of a loop is walked twice, so that assignments
// at its end are seen at its start. A function is walked at each call with the arguments of that
// call. Functions without a call are walked at the end with unknown arguments.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "judgement/analysis/shell/call.h"
#include "judgement/analysis/shell/context.h"
#include "judgement/analysis/shell/expand.h"

namespace belljar::judgement::analysis::shell {

class Walk {
 public:
  using Ids = std::vector<NodeId>;

  // If `place` is given, all findings are reported there: it is the argument that contains the
  // script.
  Walk(Context& context, const Syntax& syntax, std::optional<Place> place);

  // Walks a node whose input is `in`, and returns its output.
  Stream Run(NodeId id, const Stream& in) { return Run(id, in, Ids()); }
  Stream Run(NodeId id, const Stream& in, NodeId redirect);
  // Walks the whole script, then the functions that were not called.
  void RunScript();

 private:
  // The redirections of one statement, evaluated.
  struct Redirects {
    Stream in;
    std::vector<Output> outputs;
    std::vector<Word> more_words;  // arguments that follow a redirection
    Ids then;                      // the rest of the line after a here-document's start
  };

  Stream Run(NodeId id, const Stream& in, const Ids& redirects);
  Stream RunKind(NodeId id, const Stream& in, const Ids& redirects);
  Stream Sequence(NodeId id, const Stream& in);
  Stream Subshell(NodeId id, const Stream& in);
  Stream Pipeline(NodeId id, const Stream& in, const Ids& redirects);
  Stream List(NodeId id, const Stream& in, const Ids& redirects);
  Stream If(NodeId id, const Stream& in);
  Stream Loop(NodeId id, const Stream& in);
  Stream For(NodeId id, const Stream& in);
  Stream Case(NodeId id, const Stream& in);
  Stream Redirected(NodeId id, const Stream& in, const Ids& redirects);
  Stream Compound(NodeId id, const Stream& in, const Ids& redirects);
  bool IsArithmetic(NodeId id) const;
  bool IsBraceWord(NodeId id) const;
  Stream BraceWord(NodeId id, const Stream& in);
  Stream LooseWords(const Ids& words, const Stream& in);
  Stream Command(NodeId id, const Stream& in, const Ids& redirects);
  Stream CommandOnce(NodeId id, const Stream& in, const Ids& redirects);
  Stream Declaration(NodeId id);
  void Test(NodeId id);
  void Assignments(const Ids& ids);
  void Assign(NodeId id);

  // Walks code that may not be executed, and returns its changes.
  Scope::Changes Branch(const std::function<void()>& run);
  // Repeats `run` for each possible value of the variables that it uses.
  void ForEachVariant(const std::function<void()>& run);

  Redirects ReadRedirects(const Ids& redirects, const Stream& in);
  std::vector<Word> Destination(const Ids& destinations, Redirects& read);
  void FileRedirect(NodeId id, Redirects& read);
  void TakeInput(std::string_view descriptor, Stream in, Redirects& read);
  void HeredocRedirect(NodeId id, Redirects& read);
  Stream Then(const Redirects& read, Stream out);
  std::vector<Ids> JoinedArguments(NodeId command) const;
  NodeId SubtreeEnd(NodeId id) const;
  Place PlaceOf(NodeId id) const { return place_ ? *place_ : syntax_.PlaceOf(id); }

  Context& context_;
  const Syntax& syntax_;
  std::optional<Place> place_;
  const Stream* input_ = nullptr;  // input of the command that is being expanded
  Expander expander_;
};

}  // namespace belljar::judgement::analysis::shell
