// Context: the state of the analysis of one script, shared by all parts of the shell analyser: the
// scope, the findings, the level, the known contents of files, and the remaining budget.
//
// The script is hostile. Every judged command, and every nested program (the argument of sh -c, the
// body of a function at each call), costs part of a fixed budget, and nesting is bounded. When a
// bound is exceeded, the analysis stops with the finding "sh-unclear".
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "foundation/base/result.h"
#include "judgement/analysis/deadline.h"
#include "judgement/analysis/finding.h"
#include "judgement/analysis/shell/scope.h"
#include "judgement/analysis/shell/word.h"
#include "judgement/analysis/syntax/syntax.h"

namespace belljar::judgement::analysis::shell {

// The node kinds that the analyser uses, in the order of kKindNames (context.cc).
enum class Part : std::uint16_t {
  kProgram = kFirstOwnKind,
  kAnsiCString,
  kArithmetic,
  kArray,
  kBinary,
  kBrace,
  kCStyleFor,
  kCaseItem,
  kCase,
  kCommand,
  kCommandName,
  kCommandSubstitution,
  kCompound,
  kConcatenation,
  kDeclaration,
  kDoGroup,
  kElif,
  kElse,
  kExpansion,
  kFileRedirect,
  kFor,
  kFunction,
  kHeredocBody,
  kHeredocContent,
  kHeredocEnd,
  kHeredocRedirect,
  kHeredocStart,
  kHerestring,
  kIf,
  kList,
  kNegated,
  kNumber,
  kParenthesized,
  kPipeline,
  kProcessSubstitution,
  kRawString,
  kRedirected,
  kSimpleExpansion,
  kString,
  kSubscript,
  kSubshell,
  kTest,
  kTestOperator,
  kTranslated,
  kUnary,
  kUnset,
  kAssignment,
  kAssignments,
  kVariableName,
  kSpecialName,
  kWhile,
  kWord,
  kDescriptor,
  kRegex,
  kExtglob,
};
enum FieldName : std::uint8_t {
  kNoField,
  kNameField,
  kArgumentField,
  kBodyField,
  kRedirectField,
  kValueField,
  kVariableField,
  kDestinationField,
  kDescriptorField,
  kOperatorField,
  kRightField,
  kConditionField,
  kIndexField,
};
const Grammar& ShellGrammar();

constexpr int kMaxDepth = 160;
constexpr int kMaxTexts = 12;  // nested programs: sh -c "sh -c …"
constexpr int kBudget = 100'000;

// Selects one of the possible values of the variables for one run of a statement. Run number n uses
// the n-th value of each variable, or the last if there are fewer, so a few runs see every value
// once instead of every combination.
struct Variant {
  std::size_t number = 0;
  std::size_t count = 1;  // the largest number of values seen so far
  bool active = false;

  std::size_t Choose(std::size_t values) {
    if (values > count) count = values;
    return number < values ? number : values - 1;
  }
};

struct Context {
  Scope scope;
  Variant variant;
  std::vector<Finding> findings;
  std::vector<Import> imports;
  Level level = Level::kReads;
  std::map<std::string, Stream, std::less<>> files;    // known contents, by Word::Shown
  std::map<std::string, Function, std::less<>> sinks;  // the commands of >(…), by Word::Shown
  std::optional<Word> directory;                       // the working directory, if known
  std::map<std::string, Word, std::less<>> links;      // symbolic links made by ln -s, by FileKey
  std::set<std::string, std::less<>> called;           // functions that were called
  std::set<std::string, std::less<>> active;  // functions that are being called: the call stack
  std::deque<std::string> texts;              // owns the sources of `syntaxes`
  std::deque<Syntax> syntaxes;
  bool no_unset = false;  // set -u
  bool in_loop = false;
  int budget = kBudget;
  int depth = 0;
  int text_depth = 0;
  int next_part = 0;  // counter for naming unknown parts of nested programs
  bool gave_up = false;
  std::set<std::tuple<std::string_view, std::uint32_t, std::uint32_t, std::string>> found;

  // Adds a finding, unless there is one with the same rule, place and subject.
  void Find(std::string_view rule, Place place, std::string_view subject, std::string message);
  void Need(Level wanted) {
    if (wanted > level) level = wanted;
  }
  // Takes `cost` from the budget. False if it is used up, which is reported as a finding.
  bool Spend(Place place, int cost = 1);
  void GiveUp(Place place, std::string_view why);
  // Parses a text, unless the total parse time has exceeded its limit. The text must outlive the
  // result.
  Result<Syntax> Parse(std::string_view text);

 private:
  Deadline deadline_;
  std::chrono::steady_clock::duration parsing_{};
};

// Increments a depth counter during its lifetime.
class Deeper {
 public:
  explicit Deeper(int& depth) : depth_(depth) { ++depth_; }
  ~Deeper() { --depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

 private:
  int& depth_;
};

}  // namespace belljar::judgement::analysis::shell
