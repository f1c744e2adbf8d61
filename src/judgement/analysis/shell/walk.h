// Walk: follows a script through its statements, in the order in which the shell would, and hands
// each command to Judge.
//
// Both sides of a condition are followed, and a loop's body twice, so that what its end assigns is
// seen at its start. A function is followed where it is called, with the arguments of the call;
// those that nobody calls are followed at the end, with arguments that nobody knows.
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

  // With a place, findings are there: that of the argument that the text came from.
  Walk(Context& context, const Syntax& syntax, std::optional<Place> place);

  // Follows a node that reads `in`; what it prints.
  Stream Run(NodeId id, const Stream& in) { return Run(id, in, Ids()); }
  Stream Run(NodeId id, const Stream& in, NodeId redirect);
  // Follows the whole text, and then the functions that nobody called.
  void RunScript();

 private:
  // What the redirections of one statement come to.
  struct Redirects {
    Stream in;
    std::vector<Output> outputs;
    std::vector<Word> more_words;  // arguments that stand behind a redirection
    Ids then;                      // what a here-document's first line goes on with
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

  // Follows `run` as something that may not happen.
  Scope::Changes Branch(const std::function<void()>& run);
  // Follows `run` for each of the values that variables in it may have.
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
  const Stream* input_ = nullptr;  // of the command that is being expanded
  Expander expander_;
};

}  // namespace belljar::judgement::analysis::shell
