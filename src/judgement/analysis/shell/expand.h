// Expander: nodes of the tree to words, the way the shell expands them: quotes and escapes, braces,
// tildes, variables, substitutions, and the splitting of what was not quoted.
//
// Substitutions are commands, so the walk that asks for a word runs them and hands back what they
// print. Each node is visited once: an expansion inside an expansion must not double the work.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "judgement/analysis/shell/context.h"
#include "judgement/analysis/shell/word.h"
#include "judgement/analysis/syntax/syntax.h"

namespace belljar::judgement::analysis::shell {

enum class Quoting { kNone, kQuoted };

// The words that one word of the text becomes.
class Fields {
 public:
  void AddQuoted(std::string_view text);
  void AddQuoted(const Word& word);
  // From the text itself: patterns, braces and a tilde at the start mean something.
  void AddLiteral(std::string_view text);
  void AddUnescaped(std::string_view text);
  // From a variable or a command: patterns mean something, and blanks separate.
  void AddSplit(const Word& word);
  void Break();
  void SeparateAt(std::string separators) { separators_ = std::move(separators); }

  std::vector<Word> Take(Context& context);

 private:
  void AddPattern(char c);
  void AddSplitText(std::string_view text);
  std::string_view TakeTilde(std::string_view text);

  std::vector<Word> done_;
  Word current_;
  std::string separators_ = " \t\n";  // IFS
  bool started_ = false;              // there is a word, even if it is empty
};

// "{a,b}c" to "ac" and "bc"; marks of braces that mean nothing become plain characters.
std::vector<Word> ExpandBraces(const Word& word);

class Expander {
 public:
  // What the commands of a substitution print; what a process substitution is fed with.
  using Run = std::function<Stream(NodeId substitution)>;
  using RunText = std::function<Stream(std::string text, NodeId place)>;

  Expander(Context& context, const Syntax& syntax, Run run, RunText run_text)
      : context_(context), syntax_(syntax), run_(std::move(run)), run_text_(std::move(run_text)) {}

  // A word of a command: none, one or several.
  std::vector<Word> Words(NodeId id);
  // The same for neighbours that have nothing between them, and are one word to the shell.
  std::vector<Word> Words(const std::vector<NodeId>& joined);
  // Where the shell does not split: values, redirections, here-documents.
  Word Single(NodeId id);
  Value ValueOf(NodeId id);
  Word Heredoc(NodeId body);

 private:
  void Visit(NodeId id, Quoting quoting, Fields& out);
  void VisitLeaf(NodeId id, Quoting quoting, Fields& out);
  void VisitArithmetic(NodeId id, Fields& out);
  void VisitChildren(NodeId id, Quoting quoting, Fields& out);
  void VisitString(NodeId id, Fields& out);
  void VisitBrace(NodeId id, Fields& out);
  void VisitSubstitution(NodeId id, Quoting quoting, Fields& out);
  void VisitProcess(NodeId id, Fields& out);
  void VisitSimple(NodeId id, Quoting quoting, Fields& out);
  void VisitExpansion(NodeId id, Quoting quoting, Fields& out);
  void Put(const Word& word, Quoting quoting, Fields& out);
  void PutValue(std::string_view name, const Value& value, Quoting quoting, Fields& out);
  Value Lookup(std::string_view name);
  Value Missing(std::string_view name);
  Value Parameter(std::string_view name);
  Value Subscript(NodeId id);
  // ${name OPERATOR rest}
  Value Operate(std::string_view name, Value value, NodeId operation);
  Value OrDefault(std::string_view name, Value value, NodeId operation, NodeId rest);
  std::uint32_t StartOf(NodeId expansion) const;
  void AddBackquoted(std::string_view text, NodeId at, Fields& out);
  Word RestOf(NodeId first);
  void VisitDollar(NodeId id, Quoting quoting, Fields& out);
  std::optional<long> Number(NodeId id);
  Fields NewFields() const;

  Context& context_;
  const Syntax& syntax_;
  Run run_;
  RunText run_text_;
  std::uint32_t skip_to_ = 0;  // what is before that has been read already
};

// What the operators of ${…} make of a constant text. Nullopt: not known.
std::optional<std::string> TrimmedText(std::string_view text, std::string_view operation,
                                       const std::string& pattern);
std::optional<std::string> SubText(std::string_view text, std::string_view range);
std::string ReplacedText(std::string_view text, std::string_view operation,
                         std::string_view pattern, std::string_view with);
std::string CasedText(std::string_view text, std::string_view operation);

}  // namespace belljar::judgement::analysis::shell
