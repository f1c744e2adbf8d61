// Expander: expands syntax nodes to words as the shell does: quotes and escapes, braces, tildes,
// variables, substitutions, and word splitting of unquoted results.
//
// Command substitutions contain commands, so Walk passes in a function that runs them and returns
// their output. Each node is visited only once: expanding nested expansions twice would take
// exponential time.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "judgement/analysis/shell/context.h"
#include "judgement/analysis/shell/word.h"
#include "judgement/analysis/syntax/syntax.h"

namespace belljar::judgement::analysis::shell {

enum class Quoting { kNone, kQuoted };

// The words into which one word of the source expands.
class Fields {
 public:
  void AddQuoted(std::string_view text);
  void AddQuoted(const Word& word);
  // Adds text of the source: patterns, braces and a leading tilde are special.
  void AddLiteral(std::string_view text);
  void AddUnescaped(std::string_view text);
  // Adds the result of an unquoted expansion: patterns are special, and separators split words.
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
  bool started_ = false;              // a word has been started, even if it is still empty
};

// Expands braces: "{a,b}c" to "ac" and "bc". Braces that are not special become plain characters.
std::vector<Word> ExpandBraces(const Word& word);

class Expander {
 public:
  // Runs the commands of a command or process substitution and returns their output.
  using Run = std::function<Stream(NodeId substitution)>;
  using RunText = std::function<Stream(std::string text, NodeId place)>;

  Expander(Context& context, const Syntax& syntax, Run run, RunText run_text)
      : context_(context), syntax_(syntax), run_(std::move(run)), run_text_(std::move(run_text)) {}

  // Expands a word of a command to zero or more words.
  std::vector<Word> Words(NodeId id);
  // The same for adjacent nodes without space between them, which are one word to the shell.
  std::vector<Word> Words(const std::vector<NodeId>& joined);
  // Expands without word splitting: for values, redirections and here-documents.
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
  // Evaluates ${name OPERATOR rest}.
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
  std::uint32_t skip_to_ = 0;  // source before this offset has been read already
};

// Apply the operators of ${…} to a constant string; nullopt if the result is unknown.
std::optional<std::string> TrimmedText(std::string_view text, std::string_view operation,
                                       const std::string& pattern);
std::optional<std::string> SubText(std::string_view text, std::string_view range);
std::string ReplacedText(std::string_view text, std::string_view operation,
                         std::string_view pattern, std::string_view with);
std::string CasedText(std::string_view text, std::string_view operation);

}  // namespace belljar::judgement::analysis::shell
