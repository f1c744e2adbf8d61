// Resource bombs that can be seen in the text: what could not end well on any machine.
#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "analysis/python_check.h"

namespace belljar::analysis::python {
namespace {

constexpr double kHugeItems = 1e8;   // of a list, or bytes of a text
constexpr double kHugeTurns = 1e12;  // of a loop
constexpr double kHugeExponent = 1e6;
constexpr double kHugeShift = 1e8;

// Functions that make all of what they are given.
bool Materialises(std::string_view name) {
  return name == "builtins.list" || name == "builtins.tuple" || name == "builtins.set" ||
         name == "builtins.sorted" || name == "builtins.frozenset" || name == "builtins.bytes" ||
         name == "builtins.bytearray" || name == "collections.deque";
}

bool NeverEnds(std::string_view name) {
  return name == "itertools.count" || name == "itertools.cycle" || name == "itertools.repeat";
}

bool MakesArray(std::string_view name) {
  static const std::unordered_set<std::string_view> names = {
      "numpy.zeros",        "numpy.ones",        "numpy.empty",        "numpy.full",
      "numpy.arange",       "numpy.random.rand", "numpy.random.randn", "numpy.eye",
      "builtins.bytearray", "builtins.bytes"};
  return names.contains(name);
}

// How many a number or a shape asks for.
double CountOf(ValuePtr value) {
  if (value == nullptr) return 0;
  if (const double* number = OnlyNumber(value)) return *number;
  double count = value->items.empty() ? 0 : 1;
  for (const ValuePtr item : value->items) count *= CountOf(item);
  return count;
}

// The last number of range(stop), range(start, stop, step).
double TurnsOf(const Arguments& range) {
  const double* first = OnlyNumber(range.at(0));
  const double* second = OnlyNumber(range.at(1));
  const double* step = OnlyNumber(range.at(2));
  if (range.positional.size() == 1) return first == nullptr ? 0 : *first;
  if (second == nullptr) return 0;
  const double turns = *second - (first == nullptr ? 0 : *first);
  return step == nullptr || *step == 0 ? turns : turns / *step;
}

bool IsComprehensionOfAll(const Syntax& syntax, NodeId node) {
  return syntax.Is(node, Py::kListComprehension) || syntax.Is(node, Py::kSetComprehension) ||
         syntax.Is(node, Py::kDictionaryComprehension);
}

// Ways out of a loop; and what makes it grow.
struct LoopBody {
  bool leaves = false;
  bool grows = false;
  bool calls = false;  // something that may end it: by an exception, say
};

bool Grows(std::string_view method) {
  return method == "append" || method == "extend" || method == "add" || method == "start" ||
         method == "insert" || method == "write" || method == "update" || method == "submit" ||
         method == "makedirs" || method == "mkdir";
}

LoopBody Look(const Syntax& syntax, NodeId loop) {
  LoopBody body;
  const Node& whole = syntax.at(loop);
  for (NodeId node = loop + 1; node < syntax.size() && syntax.at(node).start < whole.end; ++node) {
    if (!syntax.at(node).named) continue;
    switch (static_cast<Py>(syntax.at(node).kind)) {
      case Py::kBreakStatement:
      case Py::kReturnStatement:
      case Py::kRaiseStatement:
      case Py::kYield:
      case Py::kAwait:
        body.leaves = true;
        break;
      case Py::kAugmentedAssignment:
        body.grows = true;
        break;
      case Py::kCall: {
        const NodeId function = syntax.Field(node, kFunction);
        const bool method = syntax.Is(function, Py::kAttribute);
        const NodeId name = method ? syntax.Field(function, kAttributeField) : function;
        const std::string_view text = name == kNoNode ? "" : syntax.Text(name);
        if (method && Grows(text)) {
          body.grows = true;
        } else if (text != "print") {
          body.calls = true;
        }
        break;
      }
      default:
        break;
    }
  }
  return body;
}

bool IsAlwaysTrue(const Syntax& syntax, NodeId condition) {
  while (syntax.Is(condition, Py::kParenthesizedExpression)) condition = syntax.Named(condition, 0);
  if (condition == kNoNode) return false;
  return syntax.Is(condition, Py::kTrue) ||
         (syntax.Is(condition, Py::kInteger) && syntax.Text(condition) != "0");
}

// What may keep a function from calling itself once more.
bool Decides(const Syntax& syntax, NodeId node) {
  switch (static_cast<Py>(syntax.at(node).kind)) {
    case Py::kIfStatement:
    case Py::kConditionalExpression:
    case Py::kBooleanOperator:
    case Py::kTryStatement:
    case Py::kMatchStatement:
    case Py::kWhileStatement:
    case Py::kForStatement:
    case Py::kForInClause:
    case Py::kAssertStatement:
    case Py::kRaiseStatement:
    case Py::kYield:
    case Py::kLambda:
      return true;
    default:
      return false;
  }
}

}  // namespace

double Checks::TurnsOfRange(NodeId node) {
  if (!syntax_.Is(node, Py::kCall)) return 0;
  const ValuePtr callee = evaluator_.Eval(syntax_.Field(node, kFunction));
  if (callee == nullptr || callee->names.empty()) return 0;
  const std::string& name = callee->names.front();
  const Arguments arguments = evaluator_.ArgumentsOf(node);
  if (name == "builtins.range") return TurnsOf(arguments);
  if (NeverEnds(name)) return arguments.positional.size() < 2 ? HUGE_VAL : 0;
  if (name != "itertools.product" && name != "itertools.permutations") return 0;
  const double many =
      std::max(TurnsOfRange(evaluator_.ArgumentNode(node, 0, "")),
               static_cast<double>(Elements(evaluator_.store(), arguments.at(0)).size()));
  const double* repeat = OnlyNumber(arguments.Named("repeat"));
  if (name == "itertools.product") return std::pow(many, repeat == nullptr ? 1 : *repeat);
  return std::tgamma(many + 1);
}

// True for what would take more memory than there is, if all of it were made.
bool Checks::IsHuge(NodeId iterable) {
  if (syntax_.Is(iterable, Py::kGeneratorExpression)) {
    for (const NodeId part : syntax_.NamedChildren(iterable)) {
      if (syntax_.Is(part, Py::kForInClause) && IsHuge(syntax_.Field(part, kRight))) return true;
    }
    return false;
  }
  return TurnsOfRange(iterable) > kHugeItems;
}

void Checks::BombCall(NodeId call, std::string_view name) {
  const Place place = syntax_.PlaceOf(call);
  const auto report = [&] { report_.Add("py-bomb", place, std::string(syntax_.Text(call))); };
  if (name == "builtins.range") {
    const double turns = TurnsOf(evaluator_.ArgumentsOf(call));
    const NodeId parent = syntax_.at(call).parent;
    const bool made = syntax_.Is(parent, Py::kForInClause) &&
                      IsComprehensionOfAll(syntax_, syntax_.at(parent).parent);
    const bool loops = syntax_.Is(parent, Py::kForStatement) || made;
    if ((made && turns > kHugeItems) || (loops && turns > kHugeTurns)) report();
    return;
  }
  const NodeId first = evaluator_.ArgumentNode(call, 0, "");
  if (Materialises(name) && IsHuge(first)) report();
  const Arguments arguments = evaluator_.ArgumentsOf(call);
  const double count = CountOf(arguments.at(0));
  if (MakesArray(name) && count > kHugeItems * 5) report();
  if (name == "math.factorial" && count > kHugeExponent) report();
  if (name == "builtins.pow" && arguments.positional.size() == 2 &&
      CountOf(arguments.at(1)) > kHugeExponent) {
    report();
  }
  if (name != "threading.Thread") return;
  const ValuePtr target = evaluator_.Eval(evaluator_.ArgumentNode(call, 1, "target"));
  const NodeId around = scopes_.OpenedBy(scopes_.ScopeOf(call));
  if (target != nullptr &&
      std::ranges::find(target->functions, around) != target->functions.end()) {
    report_.Add("py-bomb", place, "a thread that starts threads of itself");
  }
}

void Checks::BombMethod(NodeId call, std::string_view method) {
  const NodeId first = evaluator_.ArgumentNode(call, 0, "");
  const double count = CountOf(evaluator_.Eval(first));
  const bool pads =
      method == "ljust" || method == "rjust" || method == "center" || method == "zfill";
  const bool places = method == "seek" || method == "truncate";
  if ((pads && count > kHugeItems) || (places && count > kHugeTurns) ||
      (method == "join" && IsHuge(first))) {
    report_.Add("py-bomb", syntax_.PlaceOf(call), std::string(syntax_.Text(call)));
  }
}

void Checks::BombSplat(NodeId splat) {
  if (!IsHuge(syntax_.Named(splat, 0))) return;
  report_.Add("py-bomb", syntax_.PlaceOf(splat), std::string(syntax_.Text(splat)));
}

// In a loop of many turns: x = x * x, s = s + s. And a precision that no memory holds.
void Checks::BombStored(NodeId assignment) {
  const NodeId left = syntax_.Field(assignment, kLeft);
  const NodeId right = syntax_.Field(assignment, kRight);
  if (left == kNoNode || right == kNoNode) return;
  const std::string_view target = syntax_.Text(left);
  const double* number = OnlyNumber(evaluator_.Eval(right));
  if (target.ends_with(".prec") && number != nullptr && *number > 1e7) {
    report_.Add("py-bomb", syntax_.PlaceOf(assignment), std::string(syntax_.Text(assignment)));
  }
  if (!syntax_.Is(right, Py::kBinaryOperator)) return;
  NodeId loop = syntax_.at(assignment).parent;
  while (loop != kNoNode && !syntax_.Is(loop, Py::kForStatement)) loop = syntax_.at(loop).parent;
  if (loop == kNoNode || TurnsOfRange(syntax_.Field(loop, kRight)) < 40) return;
  const NodeId a = syntax_.Field(right, kLeft);
  const NodeId b = syntax_.Field(right, kRight);
  const bool squares = syntax_.Text(a) == target && syntax_.Text(b) == target &&
                       syntax_.Text(syntax_.Field(right, kOperator)) == "*";
  const ValuePtr value = evaluator_.Eval(a);
  const bool doubles = syntax_.Text(a) == target && value != nullptr && !value->texts.empty() &&
                       (syntax_.Text(b) == target || OnlyNumber(evaluator_.Eval(b)) != nullptr);
  if (squares || doubles) {
    report_.Add("py-bomb", syntax_.PlaceOf(assignment), "it grows by itself at every turn");
  }
}

void Checks::BombOperator(NodeId node) {
  const NodeId operation_node = syntax_.Field(node, kOperator);
  if (operation_node == kNoNode) return;
  const std::string_view operation = syntax_.Text(operation_node);
  if (operation == "%") return HiddenFormat(node, evaluator_.Eval(syntax_.Field(node, kLeft)));
  if (operation != "*" && operation != "**" && operation != "<<") return;
  const NodeId left = syntax_.Field(node, kLeft);
  const NodeId right = syntax_.Field(node, kRight);
  const double* a = OnlyNumber(evaluator_.Eval(left));
  const double* b = OnlyNumber(evaluator_.Eval(right));
  bool huge = false;
  // A float overflows at once; a whole number is computed to its last digit.
  const bool is_float = a != nullptr && std::floor(*a) != *a;
  if (operation == "**") {
    huge = b != nullptr && *b > kHugeExponent && !is_float && (a == nullptr || std::abs(*a) > 1);
  }
  if (operation == "<<") huge = b != nullptr && *b > kHugeShift;
  if (operation == "*") {
    const auto is_sequence = [&](NodeId side) {
      return syntax_.Is(side, Py::kList) || syntax_.Is(side, Py::kTuple) ||
             syntax_.Is(side, Py::kString) || OnlyText(evaluator_.Eval(side)) != nullptr;
    };
    // [[0] * n] * m holds n * m once it is copied.
    const NodeId inner = syntax_.Is(left, Py::kList) ? syntax_.Named(left, 0) : kNoNode;
    const NodeId times =
        syntax_.Is(inner, Py::kBinaryOperator) ? syntax_.Field(inner, kRight) : kNoNode;
    const double* more = times == kNoNode ? nullptr : OnlyNumber(evaluator_.Eval(times));
    const double each = more == nullptr || *more < 1 ? 1 : *more;
    huge = (b != nullptr && *b * each > kHugeItems && is_sequence(left)) ||
           (a != nullptr && *a > kHugeItems && is_sequence(right));
  }
  if (huge) report_.Add("py-bomb", syntax_.PlaceOf(node), std::string(syntax_.Text(node)));
}

void Checks::EndlessLoop(NodeId loop) {
  if (!IsAlwaysTrue(syntax_, syntax_.Field(loop, kCondition))) return;
  const LoopBody body = Look(syntax_, loop);
  if (body.leaves || (body.calls && !body.grows)) return;
  report_.Add("py-bomb", syntax_.PlaceOf(loop), "a loop without a way out");
}

// Over what never ends, or over what grows with every turn.
void Checks::EndlessFor(NodeId loop) {
  const NodeId over = syntax_.Field(loop, kRight);
  if (over == kNoNode) return;
  const LoopBody body = Look(syntax_, loop);
  if (body.leaves) return;
  const bool endless = TurnsOfRange(over) == HUGE_VAL && (body.grows || !body.calls);
  const std::string own = std::string(syntax_.Text(over)) + ".append";
  bool feeds_itself = false;
  const Node& whole = syntax_.at(loop);
  for (NodeId node = over; node < syntax_.size() && syntax_.at(node).start < whole.end; ++node) {
    feeds_itself = feeds_itself || (syntax_.Is(node, Py::kAttribute) && syntax_.Text(node) == own);
  }
  if (endless || feeds_itself) {
    report_.Add("py-bomb", syntax_.PlaceOf(loop), "a loop without a way out");
  }
}

// The functions that one calls whatever happens; none if something in it may decide otherwise.
std::vector<NodeId> Checks::SurelyCalled(NodeId function) {
  std::vector<NodeId> called;
  const Node& whole = syntax_.at(function);
  for (NodeId node = function + 1; node < syntax_.size() && syntax_.at(node).start < whole.end;
       ++node) {
    if (!syntax_.at(node).named) continue;
    if (Decides(syntax_, node)) return {};
    if (!syntax_.Is(node, Py::kCall)) continue;
    const NodeId callee = syntax_.Field(node, kFunction);
    // self.f() is of this class; super().f() and other objects' are not.
    const bool own = syntax_.Is(callee, Py::kAttribute) &&
                     syntax_.Text(syntax_.Field(callee, kObject)) == "self";
    if (!own && !syntax_.Is(callee, Py::kIdentifier)) continue;
    const ValuePtr value = evaluator_.Eval(callee);
    if (value == nullptr) continue;
    called.insert(called.end(), value->functions.begin(), value->functions.end());
  }
  return called;
}

void Checks::EndlessRecursion(NodeId function) {
  constexpr std::size_t kMaxFollowedCalls = 32;
  std::vector<NodeId> seen;
  std::vector<NodeId> next = SurelyCalled(function);
  while (!next.empty() && seen.size() < kMaxFollowedCalls) {
    const NodeId one = next.back();
    next.pop_back();
    if (one == function) {
      report_.Add("py-bomb", syntax_.PlaceOf(function), "a function that calls itself without end");
      return;
    }
    if (std::ranges::find(seen, one) != seen.end()) continue;
    seen.push_back(one);
    if (!syntax_.Is(one, Py::kFunctionDefinition) && !syntax_.Is(one, Py::kLambda)) continue;
    const auto further = SurelyCalled(one);
    next.insert(next.end(), further.begin(), further.end());
  }
}

}  // namespace belljar::analysis::python
