// Resource bombs that can be seen in the text: what could not end well on any machine.
#include <algorithm>
#include <cmath>

#include "judgement/analysis/name_set.h"
#include "judgement/analysis/python/check.h"
#include "judgement/analysis/python/names.h"

namespace belljar::judgement::analysis::python {
namespace {

constexpr double kHugeItems = 1e8;   // of a list, or bytes of a text
constexpr double kHugeTurns = 1e12;  // of a loop
constexpr double kHugeExponent = 1e6;
constexpr double kHugeShift = 1e8;
constexpr double kHugeSleep = 1e6;  // seconds

// Functions that make all of what they are given.
bool Materialises(std::string_view name) {
  return name == "builtins.list" || name == "builtins.tuple" || name == "builtins.set" ||
         name == "builtins.sorted" || name == "builtins.frozenset" || name == "builtins.bytes" ||
         name == "builtins.bytearray" || name == "collections.deque" ||
         name == "collections.Counter";
}

// Functions that go through all of it.
bool GoesThrough(std::string_view name) {
  return name == "builtins.sum" || name == "builtins.max" || name == "builtins.min";
}

bool NeverEnds(std::string_view name) {
  return name == "itertools.count" || name == "itertools.cycle" || name == "itertools.repeat";
}

bool Pads(std::string_view method) {
  return method == "ljust" || method == "rjust" || method == "center" || method == "zfill";
}

bool GoesTo(std::string_view method) { return method == "seek" || method == "truncate"; }

bool MakesArray(std::string_view name) {
  static const NameSet names = {"numpy.zeros",        "numpy.ones",   "numpy.empty",
                                "numpy.full",         "numpy.arange", "numpy.random.rand",
                                "numpy.random.randn", "numpy.eye",    "builtins.bytearray",
                                "builtins.bytes"};
  return names.contains(name);
}

// iter(int, 1): a function that always gives another value than the last.
bool EndsNever(const Arguments& iter) {
  const ValuePtr function = iter.at(0);
  const double* last = OnlyNumber(iter.at(1));
  if (function == nullptr || last == nullptr || *last == 0 || function->names.empty()) return false;
  const std::string& name = function->names.front();
  return name == "builtins.int" || name == "builtins.float" || name == "builtins.bool";
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

}  // namespace

bool MayBeBomb(std::string_view name) {
  return name == "builtins.range" || Materialises(name) || GoesThrough(name) || MakesArray(name) ||
         name == "math.factorial" || name == "time.sleep" || name == "hashlib.pbkdf2_hmac" ||
         name == "builtins.pow" || name == "threading.Thread";
}

bool MayBeBombMethod(std::string_view method) {
  return Pads(method) || GoesTo(method) || method == "join";
}

double Checks::TurnsOfRange(NodeId node) {
  if (!syntax_.Is(node, Py::kCall)) return 0;
  const ValuePtr callee = evaluator_.Eval(syntax_.Field(node, kFunction));
  if (callee == nullptr) return 0;
  for (const NodeId function : callee->functions) {
    if (YieldsForever(function)) return HUGE_VAL;
  }
  if (callee->names.empty()) return 0;
  const std::string& name = callee->names.front();
  const Arguments arguments = evaluator_.ArgumentsOf(node);
  if (name == "builtins.iter") return EndsNever(arguments) ? HUGE_VAL : 0;
  if (name == "builtins.range") return TurnsOf(arguments);
  if (name == "builtins.map" || name == "builtins.filter") {
    return TurnsOfRange(evaluator_.ArgumentNode(node, 1, ""));
  }
  if (NeverEnds(name)) return arguments.positional.size() < 2 ? HUGE_VAL : 0;
  if (name != "itertools.product" && name != "itertools.permutations") return 0;
  const double many =
      std::max(TurnsOfRange(evaluator_.ArgumentNode(node, 0, "")),
               static_cast<double>(Elements(evaluator_.store(), arguments.at(0)).size()));
  const double* repeat = OnlyNumber(arguments.Named("repeat"));
  if (name == "itertools.product") return std::pow(many, repeat == nullptr ? 1 : *repeat);
  return std::tgamma(many + 1);
}

// The same, of a generator that goes over it.
double Checks::TurnsOfAll(NodeId iterable) {
  if (!syntax_.Is(iterable, Py::kGeneratorExpression)) return TurnsOfRange(iterable);
  double turns = 0;
  for (const NodeId part : syntax_.NamedChildren(iterable)) {
    if (!syntax_.Is(part, Py::kForInClause)) continue;
    turns = std::max(turns, TurnsOfAll(syntax_.Field(part, kRight)));
  }
  return turns;
}

// True for what would take more memory than there is, if all of it were made.
bool Checks::IsHuge(NodeId iterable) { return TurnsOfAll(iterable) > kHugeItems; }

// How many [0] * n holds, or a list of lists.
double Checks::ItemsOf(NodeId list) {
  if (syntax_.Is(list, Py::kListComprehension)) {
    double items = ItemsOf(syntax_.Field(list, kBody));
    for (const NodeId part : syntax_.NamedChildren(list)) {
      if (!syntax_.Is(part, Py::kForInClause)) continue;
      items *= std::max(1.0, TurnsOfRange(syntax_.Field(part, kRight)));
    }
    return items;
  }
  if (!syntax_.Is(list, Py::kBinaryOperator)) return 1;
  const NodeId operation = syntax_.Field(list, kOperator);
  const double* times = OnlyNumber(evaluator_.Eval(syntax_.Field(list, kRight)));
  const bool repeats = operation != kNoNode && syntax_.Text(operation) == "*" &&
                       syntax_.Is(syntax_.Field(list, kLeft), Py::kList);
  return repeats && times != nullptr ? *times : 1;
}

// The tree of [*f(x)] alone is that of (*f)(x).
void Checks::BombStarred(NodeId call) {
  if (!syntax_.Text(call).starts_with('*') || TurnsOfRange(call) <= kHugeItems) return;
  report_.Add("py-bomb", syntax_.PlaceOf(call), std::string(syntax_.Text(call)));
}

void Checks::BombCall(NodeId call, std::string_view name) {
  const auto report = [&] {
    report_.Add("py-bomb", syntax_.PlaceOf(call), std::string(syntax_.Text(call)));
  };
  if (name == "builtins.range") {
    const double turns = TurnsOf(evaluator_.Given(call));
    const NodeId parent = syntax_.at(call).parent;
    const bool made = syntax_.Is(parent, Py::kForInClause) &&
                      IsComprehensionOfAll(syntax_, syntax_.at(parent).parent);
    const bool loops = syntax_.Is(parent, Py::kForStatement) || made;
    const double each = made ? ItemsOf(syntax_.Field(syntax_.at(parent).parent, kBody)) : 1;
    const bool many = turns > kHugeItems || (each > 1 && turns * each > kHugeItems * 10);
    if ((made && many) || (loops && turns > kHugeTurns)) report();
    return;
  }
  const NodeId first = evaluator_.ArgumentNode(call, 0, "");
  if (Materialises(name) && IsHuge(first)) report();
  if (GoesThrough(name) && TurnsOfAll(first) > kHugeTurns) report();
  const Arguments& arguments = evaluator_.Given(call);
  const double count = CountOf(arguments.at(0));
  if (MakesArray(name) && count > kHugeItems * 5) report();
  if (name == "math.factorial" && count > kHugeExponent) report();
  if (name == "time.sleep" && count > kHugeSleep) report();
  if (name == "hashlib.pbkdf2_hmac" && CountOf(arguments.at(3)) > kHugeItems * 10) report();
  if (name == "builtins.pow" && arguments.positional.size() == 2 &&
      CountOf(arguments.at(1)) > kHugeExponent) {
    report();
  }
  if (name != "threading.Thread") return;
  const ValuePtr target = evaluator_.Eval(evaluator_.ArgumentNode(call, 1, "target"));
  const NodeId function = scopes_.OpenedBy(scopes_.ScopeOf(call));
  if (target != nullptr &&
      std::ranges::find(target->functions, function) != target->functions.end()) {
    report_.Add("py-bomb", syntax_.PlaceOf(call), "a thread that starts threads of itself");
  }
}

void Checks::BombMethod(NodeId call, std::string_view method) {
  const NodeId first = evaluator_.ArgumentNode(call, 0, "");
  const double count = CountOf(evaluator_.Eval(first));
  if ((Pads(method) && count > kHugeItems) || (GoesTo(method) && count > kHugeTurns) ||
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

}  // namespace belljar::judgement::analysis::python
