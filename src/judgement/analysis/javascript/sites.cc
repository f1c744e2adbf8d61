// Evaluator: finds the call sites of a function and the arguments passed there.
#include <algorithm>
#include <array>
#include <utility>

#include "judgement/analysis/javascript/eval.h"

namespace belljar::judgement::analysis::javascript {
namespace {

constexpr int kMaxHops = 8;
constexpr std::size_t kMaxSites = 48;
constexpr std::size_t kMaxFuel = 400;

bool IsAmong(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

// Follows an expression whose value is the function to the calls that may invoke it.
void Evaluator::SitesOf(NodeId expression, int depth, std::vector<Site>& sites) {
  if (depth > kMaxHops || sites.size() >= kMaxSites || fuel_ == 0 || !Charge(1)) return;
  --fuel_;
  const NodeId id = Wrapped(syntax_, expression);
  const NodeId parent = syntax_.at(id).parent;
  if (parent == kNoNode) return;
  const std::uint8_t field = syntax_.at(id).field;
  switch (static_cast<Js>(syntax_.at(parent).kind)) {
    case Js::kCall:
    case Js::kNew:
      if (field != kFieldArguments) sites.push_back({parent, kCallee});
      return;
    case Js::kArguments:
      return SitesOfArgument(parent, id, depth, sites);
    case Js::kDeclarator:
      return SitesOfBinding(scopes_.BindingOf(syntax_.Field(parent, kFieldName)), depth, sites);
    case Js::kAssignment:
    case Js::kAssignmentPattern:
    case Js::kObjectAssignmentPattern: {
      const NodeId left = syntax_.Field(parent, kFieldLeft);
      if (syntax_.Is(left, Js::kMember)) {
        return SitesOfMember(scopes_.NameOf(syntax_.Field(left, kFieldProperty)), sites);
      }
      return SitesOfBinding(scopes_.BindingOf(left), depth, sites);
    }
    case Js::kObject:
      return SitesOfMember(scopes_.NameOf(id), sites);
    case Js::kPair:
    case Js::kField:
      for (const std::string& key : KeysOf(parent)) SitesOfMember(key, sites);
      return;
    default:
      return SitesBeyond(id, parent, depth, sites);
  }
}

void Evaluator::SitesBeyond(NodeId id, NodeId parent, int depth, std::vector<Site>& sites) {
  switch (static_cast<Js>(syntax_.at(parent).kind)) {
    case Js::kMember: {  // f.call, f.bind …
      const NodeId outside = Wrapped(syntax_, parent);
      if (syntax_.at(outside).field != kFieldFunction) return;
      const std::string_view name = scopes_.NameOf(syntax_.Field(parent, kFieldProperty));
      const NodeId call = syntax_.at(outside).parent;
      if (name == "call" || name == "apply" || name == "bind") sites.push_back({call, kCallee});
      if (name == "bind") SitesOf(call, depth + 1, sites);
      return;
    }
    case Js::kTernary:
    case Js::kBinary:
    case Js::kSequence:
      return SitesOf(parent, depth + 1, sites);
    case Js::kArrow:
      if (syntax_.at(id).field != kFieldBody) return;
      return SitesOfResult(parent, depth, sites);
    case Js::kReturn:
      if (scopes_.FunctionOf(parent) == kNoNode) return;
      return SitesOfResult(scopes_.FunctionOf(parent), depth, sites);
    default:
      return;
  }
}

// Finds calls of a function that another function returns.
void Evaluator::SitesOfResult(NodeId function, int depth, std::vector<Site>& sites) {
  std::vector<Site> makers;
  SitesOfFunction(function, depth + 1, makers);
  for (const Site& maker : makers) {
    if (maker.argument == kCallee) SitesOf(maker.call, depth + 1, sites);
  }
}

void Evaluator::SitesOfMember(std::string_view name, std::vector<Site>& sites) {
  for (const NodeId call : scopes_.CallsOfMember(name)) {
    if (sites.size() >= kMaxSites) return;
    sites.push_back({call, kCallee});
  }
}

void Evaluator::SitesOfBinding(const Binding* binding, int depth, std::vector<Site>& sites) {
  if (binding == nullptr) return;
  for (const NodeId use : binding->uses) {
    if (sites.size() >= kMaxSites) return;
    SitesOf(use, depth + 1, sites);
  }
}

// If the function is passed to a function of the program, finds the calls of that parameter;
// otherwise the call itself is the site.
void Evaluator::SitesOfArgument(NodeId list, NodeId expression, int depth,
                                std::vector<Site>& sites) {
  const NodeId call = syntax_.at(list).parent;
  std::size_t number = 0;
  for (const NodeId one : syntax_.NamedChildren(list)) {
    if (one == expression) break;
    ++number;
  }
  sites.push_back({call, number});
  if (!syntax_.Is(call, Js::kCall) && !syntax_.Is(call, Js::kNew)) return;
  const std::uint8_t field = syntax_.Is(call, Js::kNew) ? kFieldConstructor : kFieldFunction;
  const ValuePtr callee = Eval(syntax_.Field(call, field));
  if (callee == nullptr) return;
  for (const NodeId function : callee->functions) {
    const std::vector<NodeId> parameters = ParametersOf(function);
    if (number >= parameters.size()) continue;
    SitesOfBinding(scopes_.BindingOf(parameters[number]), depth, sites);
  }
}

void Evaluator::SitesOfFunction(NodeId function, int depth, std::vector<Site>& sites) {
  if (!syntax_.Is(function, Js::kMethod)) {
    SitesOfBinding(scopes_.DeclaredBy(function), depth, sites);
    return SitesOf(function, depth, sites);
  }
  for (const std::string& key : KeysOf(function)) {
    if (key != "constructor") {
      SitesOfMember(key, sites);
      continue;
    }
    const NodeId body = syntax_.at(function).parent;
    const NodeId owner = syntax_.at(body).parent;
    if (owner != kNoNode && IsClass(syntax_, owner)) SitesOfFunction(owner, depth + 1, sites);
  }
}

std::vector<NodeId> Evaluator::ParametersOf(NodeId function) const {
  const NodeId only = syntax_.Field(function, kFieldParameter);
  if (only != kNoNode) return {only};
  const NodeId list = syntax_.Field(function, kFieldParameters);
  if (list == kNoNode) return {};
  std::vector<NodeId> parameters = syntax_.ListOfNamedChildren(list);
  for (NodeId& parameter : parameters) {  // reduce it to the bound name
    for (const std::uint8_t field : {kFieldPattern, kFieldLeft, kFieldName}) {
      const NodeId inside = syntax_.Field(parameter, field);
      if (inside != kNoNode) parameter = inside;
    }
    if (syntax_.Is(parameter, Js::kRestPattern)) parameter = syntax_.Named(parameter, 0);
  }
  return parameters;
}

std::vector<Evaluator::Site> Evaluator::AllSitesOf(NodeId function) {
  const std::size_t outer = std::exchange(fuel_, kMaxFuel);
  std::vector<Site> sites;
  SitesOfFunction(function, 0, sites);
  fuel_ = outer;
  return sites;
}

ValuePtr Evaluator::Parameter(NodeId function, std::size_t number) {
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    if ((*frame)->root != function) continue;
    const auto& arguments = (*frame)->arguments;
    return number < arguments.size() ? arguments[number] : nullptr;
  }
  ValuePtr value = nullptr;
  for (const Site& site : AllSitesOf(function)) value = Join(value, AtSite(site, number));
  return value;
}

ValuePtr Evaluator::RestOf(NodeId function, std::size_t first) {
  const auto from = [&](const std::vector<ValuePtr>& arguments) {
    const auto skipped = static_cast<std::ptrdiff_t>(std::min(first, arguments.size()));
    return ListOf({arguments.begin() + skipped, arguments.end()});
  };
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    if ((*frame)->root == function) return from((*frame)->arguments);
  }
  ValuePtr value = nullptr;
  for (const Site& site : AllSitesOf(function)) {
    if (site.argument == kCallee) value = Join(value, from(CallOf(site.call).arguments));
  }
  return value;
}

ValuePtr Evaluator::AtSite(const Site& site, std::size_t number) {
  const Call call = CallOf(site.call);
  if (site.argument != kCallee) return GivenByMethod(call, number);
  return call.Argument(number);
}

// The arguments that methods of lists and promises pass to their callbacks.
ValuePtr Evaluator::GivenByMethod(const Call& call, std::size_t number) {
  static constexpr auto kEach = std::to_array<std::string_view>(
      {"map", "forEach", "filter", "find", "findIndex", "findLast", "some", "every", "flatMap"});
  const std::string_view method = call.method;
  if (IsAmong(method, kEach)) {
    if (number == 2) return call.receiver;
    return number == 0 ? AnyOf(call.receiver) : nullptr;
  }
  if (method == "reduce" || method == "reduceRight") {
    const ValuePtr any = number < 2 ? AnyOf(call.receiver) : nullptr;
    return number == 0 ? Join(call.Argument(1), any) : any;
  }
  if (method == "sort") return number < 2 ? AnyOf(call.receiver) : nullptr;
  if (method == "then") return number == 0 ? call.receiver : nullptr;
  if (call.Calls("Array.from")) return number == 0 ? AnyOf(call.Argument(0)) : nullptr;
  return nullptr;
}

}  // namespace belljar::judgement::analysis::javascript
