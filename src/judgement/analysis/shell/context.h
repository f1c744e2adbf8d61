// Context: what reading one script has come to so far, shared by all parts of the shell analyser:
// the scope, the findings, the level, what files are known to hold, and how much work is left.
//
// The text is hostile. Every command that is judged, and every text that is read on the way (the
// argument of sh -c, the body of a function at each call), costs some of a fixed budget, and
// nesting is bounded; beyond either the answer is "sh-unclear", and reading stops.
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

// Kinds of nodes that the analyser asks for, in the order of kKindNames (shell_context.cc).
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
constexpr int kMaxTexts = 12;  // texts within texts: sh -c "sh -c …"
constexpr int kBudget = 100'000;

// How a script is run for one of the values that its variables may have. A variable with several
// takes the one of that number (or its last), so that a few runs see each value once.
struct Variant {
  std::size_t number = 0;
  std::size_t count = 1;  // of the most values that were asked for
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
  std::map<std::string, Stream, std::less<>> files;    // by Word::Shown
  std::map<std::string, Function, std::less<>> sinks;  // >(…), by Word::Shown
  std::optional<Word> directory;                       // where it is, if known
  std::map<std::string, Word, std::less<>> links;      // what ln -s has made, by FileKey
  std::set<std::string, std::less<>> called;           // functions
  std::set<std::string, std::less<>> active;           // of those, the ones being followed
  std::deque<std::string> texts;                       // which the syntaxes refer to
  std::deque<Syntax> syntaxes;
  bool no_unset = false;  // set -u
  bool in_loop = false;
  int budget = kBudget;
  int depth = 0;
  int text_depth = 0;
  int next_part = 0;  // names what is not known in a text of commands
  bool gave_up = false;
  std::set<std::tuple<std::string_view, std::uint32_t, std::uint32_t, std::string>> found;

  // Once for each rule, place and subject.
  void Find(std::string_view rule, Place place, std::string_view subject, std::string message);
  void Need(Level wanted) {
    if (wanted > level) level = wanted;
  }
  // False: there is nothing left, and a finding says so.
  bool Spend(Place place, int cost = 1);
  void GiveUp(Place place, std::string_view why);
  // Parses a text, unless all of them together have taken too long. The text must stay.
  Result<Syntax> Parse(std::string_view text);

 private:
  Deadline deadline_;
  std::chrono::steady_clock::duration parsing_{};
};

// One level deeper, for as long as it lives.
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
