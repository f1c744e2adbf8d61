#include "judgement/analysis/javascript/scope.h"

#include <algorithm>

#include "judgement/analysis/javascript/names.h"
#include "judgement/analysis/javascript/text.h"

namespace belljar::judgement::analysis::javascript {
namespace {

constexpr std::uint32_t kMaxScopeDepth = 100;
constexpr int kMaxPatternDepth = 50;
constexpr int kMaxWrappers = 100;

bool IsScope(const Syntax& syntax, NodeId id) {
  return IsFunction(syntax, id) || IsClass(syntax, id) || syntax.Is(id, Js::kProgram) ||
         syntax.Is(id, Js::kBlock) || syntax.Is(id, Js::kFor) || syntax.Is(id, Js::kForIn) ||
         syntax.Is(id, Js::kCatch) || syntax.Is(id, Js::kSwitchBody);
}

bool IsWrapper(const Syntax& syntax, NodeId id) {
  switch (static_cast<Js>(syntax.at(id).kind)) {
    case Js::kParenthesized:
    case Js::kAwait:
    case Js::kAs:
    case Js::kSatisfies:
    case Js::kNonNull:
    case Js::kTypeAssertion:
    case Js::kInstantiation:
      return true;
    default:
      return false;
  }
}

// The child that is the value of a parenthesis, assertion or await.
NodeId Inside(const Syntax& syntax, NodeId id) {
  return syntax.Named(id, syntax.Is(id, Js::kTypeAssertion) ? 1 : 0);
}

template <class Map, class Key>
const std::vector<NodeId>& Listed(const Map& map, const Key& key) {
  static const std::vector<NodeId> none;
  const auto found = map.find(key);
  return found == map.end() ? none : found->second;
}

}  // namespace

NodeId Bare(const Syntax& syntax, NodeId id) {
  for (int i = 0; i < kMaxWrappers && id != kNoNode && IsWrapper(syntax, id); ++i) {
    id = Inside(syntax, id);
  }
  return id;
}

NodeId Wrapped(const Syntax& syntax, NodeId id) {
  for (int i = 0; i < kMaxWrappers; ++i) {
    const NodeId parent = syntax.at(id).parent;
    if (parent == kNoNode || !IsWrapper(syntax, parent) || Inside(syntax, parent) != id) break;
    id = parent;
  }
  return id;
}

bool IsTypeImport(const Syntax& syntax, NodeId import) {
  for (NodeId child = syntax.at(import).first; child != kNoNode; child = syntax.at(child).next) {
    if (!syntax.at(child).named && syntax.Text(child) == "type") return true;
  }
  return false;
}

namespace {

// The identifier or `this` at the start of a chain of member accesses.
NodeId BaseOf(const Syntax& syntax, NodeId id) {
  for (int depth = 0; depth < kMaxPatternDepth && id != kNoNode; ++depth) {
    id = Bare(syntax, id);
    if (!syntax.Is(id, Js::kMember) && !syntax.Is(id, Js::kSubscript)) return id;
    id = syntax.Field(id, kFieldObject);
  }
  return kNoNode;
}

}  // namespace

Scopes::Scopes(const Syntax& syntax) : syntax_(syntax) {
  Measure();
  if (too_deep_) return;
  DeclareAll();
  DeclareAssigned();
  ResolveAll();
}

void Scopes::Measure() {
  const auto size = static_cast<NodeId>(syntax_.size());
  end_.resize(size);
  function_.assign(size, kNoNode);
  scope_.assign(size, kNoNode);
  binding_.assign(size, kNoBinding);
  for (NodeId id = size; id-- > 0;) {
    end_[id] = std::max(end_[id], id + 1);
    const NodeId parent = syntax_.at(id).parent;
    if (parent != kNoNode) end_[parent] = std::max(end_[parent], end_[id]);
  }
  depth_[0] = 0;
  for (NodeId id = 1; id < size; ++id) {
    const NodeId parent = syntax_.at(id).parent;
    function_[id] = IsFunction(syntax_, parent) ? parent : function_[parent];
    scope_[id] = IsScope(syntax_, parent) ? parent : scope_[parent];
    if (!IsScope(syntax_, id)) continue;
    const std::uint32_t depth = depth_[scope_[id] == kNoNode ? 0 : scope_[id]] + 1;
    depth_[id] = depth;
    if (depth > kMaxScopeDepth) too_deep_ = true;
  }
}

std::string_view Scopes::NameOf(NodeId id) const {
  const std::string_view text = syntax_.Text(id);
  if (text.find('\\') == std::string_view::npos) return text;
  return names_.emplace_back(Unescape(text));
}

NodeId Scopes::VarScope(NodeId id) const {
  return function_[id] == kNoNode ? syntax_.root() : function_[id];
}

// The role of a node in a pattern, judged by its parent alone. kNothing with the scope kNoNode
// means that the grandparent decides.
Scopes::Place Scopes::PlaceIn(NodeId id, NodeId parent) const {
  const std::uint8_t field = syntax_.at(id).field;
  switch (static_cast<Js>(syntax_.at(parent).kind)) {
    case Js::kDeclarator: {
      if (field != kFieldName) return {};
      const bool is_var = syntax_.Is(syntax_.at(parent).parent, Js::kVariableDeclaration);
      return {Role::kDeclared, is_var ? VarScope(id) : scope_[id]};
    }
    case Js::kParameters:
      return {Role::kDeclared, syntax_.at(parent).parent};
    case Js::kArrow:
      if (field != kFieldParameter) return {};
      return {Role::kDeclared, parent};
    case Js::kCatch:
      return {Role::kDeclared, parent};
    case Js::kForIn:
      if (field != kFieldLeft) return {};
      if (syntax_.Field(parent, kFieldKind) == kNoNode) return {Role::kAssigned, kNoNode};
      return {Role::kDeclared, parent};
    case Js::kAssignment:
    case Js::kAugmented:
      if (field != kFieldLeft) return {};
      return {Role::kAssigned, kNoNode};
    default:
      return PlaceInPattern(id, parent);
  }
}

Scopes::Place Scopes::PlaceInPattern(NodeId id, NodeId parent) const {
  const std::uint8_t field = syntax_.at(id).field;
  switch (static_cast<Js>(syntax_.at(parent).kind)) {
    case Js::kImportSpecifier:
      if (field == kFieldName && syntax_.Field(parent, kFieldAlias) != kNoNode) {
        return {Role::kNothing, parent};
      }
      return {Role::kDeclared, syntax_.root()};
    case Js::kImportClause:
    case Js::kNamespaceImport:
    case Js::kImportRequire:
      return {Role::kDeclared, syntax_.root()};
    case Js::kAssignmentPattern:
    case Js::kObjectAssignmentPattern:
      if (field != kFieldLeft) return {};
      return {Role::kNothing, kNoNode};
    case Js::kRequiredParameter:
    case Js::kOptionalParameter:
      if (field == kFieldValue) return {};
      return {Role::kNothing, kNoNode};
    case Js::kPairPattern:
      if (field != kFieldValue) return {};
      return {Role::kNothing, kNoNode};
    case Js::kArrayPattern:
    case Js::kObjectPattern:
    case Js::kRestPattern:
      return {Role::kNothing, kNoNode};
    default:
      return {};
  }
}

Scopes::Place Scopes::PlaceOf(NodeId identifier) const {
  NodeId id = identifier;
  for (int depth = 0; depth < kMaxPatternDepth; ++depth) {
    const NodeId parent = syntax_.at(id).parent;
    if (parent == kNoNode) break;
    const Place place = PlaceIn(id, parent);
    if (place.role != Role::kNothing || place.scope != kNoNode) return place;
    id = parent;
  }
  return {Role::kNothing, kNoNode};
}

void Scopes::Declare(NodeId scope, std::string_view name, NodeId target) {
  const auto number = static_cast<std::uint32_t>(bindings_.size());
  const auto [at, added] = by_name_.emplace(Key{scope, name}, number);
  if (added) bindings_.emplace_back();
  bindings_[at->second].targets.push_back(target);
  binding_[target] = at->second;
}

void Scopes::DeclareNamed(NodeId declaration) {
  const NodeId name = syntax_.Field(declaration, kFieldName);
  if (name == kNoNode) return;
  switch (static_cast<Js>(syntax_.at(declaration).kind)) {
    case Js::kFunctionDeclaration:
    case Js::kGeneratorDeclaration:
    case Js::kClassDeclaration:
    case Js::kAbstractClass:
    case Js::kEnum:
    case Js::kInternalModule:
      return Declare(scope_[declaration], NameOf(name), declaration);
    case Js::kFunctionExpression:
    case Js::kGenerator:
    case Js::kClass:
      return Declare(declaration, NameOf(name), declaration);
    default:
      return;
  }
}

void Scopes::DeclareAll() {
  const auto size = static_cast<NodeId>(syntax_.size());
  for (NodeId id = 0; id < size; ++id) {
    if (IsType(syntax_, id)) {
      id = end_[id] - 1;
      continue;
    }
    DeclareNamed(id);
    if (!syntax_.Is(id, Js::kIdentifier) && !syntax_.Is(id, Js::kShorthandPattern)) continue;
    const Place place = PlaceOf(id);
    if (place.role == Role::kDeclared) Declare(place.scope, NameOf(id), id);
  }
}

// A name that is assigned but never declared is an implicit global variable of the program, unless
// it is a known global.
void Scopes::DeclareAssigned() {
  const auto size = static_cast<NodeId>(syntax_.size());
  for (NodeId id = 0; id < size; ++id) {
    if (IsType(syntax_, id)) {
      id = end_[id] - 1;
      continue;
    }
    if (!syntax_.Is(id, Js::kIdentifier) && !syntax_.Is(id, Js::kShorthandPattern)) continue;
    if (PlaceOf(id).role != Role::kAssigned || Changing(id) != nullptr) continue;
    const std::string_view name = NameOf(id);
    if (!IsKnownGlobal(name)) Declare(syntax_.root(), name, id);
  }
}

std::uint32_t Scopes::Find(NodeId from, std::string_view name) const {
  for (NodeId scope = from; scope != kNoNode; scope = scope_[scope]) {
    const auto found = by_name_.find(Key{scope, name});
    if (found != by_name_.end()) return found->second;
  }
  return kNoBinding;
}

Binding* Scopes::Changing(NodeId identifier) {
  const std::uint32_t number = Find(scope_[identifier], NameOf(identifier));
  return number == kNoBinding ? nullptr : &bindings_[number];
}

void Scopes::ResolveAll() {
  const auto size = static_cast<NodeId>(syntax_.size());
  for (NodeId id = 0; id < size; ++id) {
    if (IsType(syntax_, id)) {
      id = end_[id] - 1;
      continue;
    }
    const bool is_pattern = syntax_.Is(id, Js::kShorthandPattern);
    if (syntax_.Is(id, Js::kAssignment) || syntax_.Is(id, Js::kAugmented)) RecordWrite(id);
    if (syntax_.Is(id, Js::kCall)) RecordCall(id);
    if (syntax_.Is(id, Js::kReturn)) returns_[function_[id]].push_back(id);
    if (syntax_.Is(id, Js::kYield)) yields_[function_[id]].push_back(id);
    if (!syntax_.Is(id, Js::kIdentifier) && !syntax_.Is(id, Js::kShorthand) && !is_pattern)
      continue;
    const Place place = PlaceOf(id);
    if (place.role == Role::kDeclared || place.role == Role::kNothing) continue;
    Binding* binding = Changing(id);
    if (binding == nullptr) continue;
    binding_[id] = binding_[binding->targets.front()];
    if (place.role == Role::kAssigned) {
      if (binding->targets.front() != id) binding->targets.push_back(id);
    } else {
      binding->uses.push_back(id);
    }
  }
}

void Scopes::RecordWrite(NodeId assignment) {
  const NodeId left = syntax_.Field(assignment, kFieldLeft);
  const NodeId base = BaseOf(syntax_, left);
  if (base == left || base == kNoNode) return;
  if (syntax_.Is(base, Js::kThis)) {
    this_writes_[OwnerOfThis(base)].push_back(left);
  } else if (syntax_.Is(base, Js::kIdentifier)) {
    Binding* binding = Changing(base);
    if (binding != nullptr) binding->writes.push_back(left);
  }
}

void Scopes::RecordCall(NodeId call) {
  const NodeId callee = Bare(syntax_, syntax_.Field(call, kFieldFunction));
  if (!syntax_.Is(callee, Js::kMember)) return;
  const std::string_view name = NameOf(syntax_.Field(callee, kFieldProperty));
  member_calls_[name].push_back(call);
  const NodeId list = syntax_.Field(call, kFieldArguments);
  const NodeId given = list == kNoNode ? kNoNode : Bare(syntax_, syntax_.Named(list, 0));
  if ((name == "push" || name == "unshift") && syntax_.Is(given, Js::kCall)) {
    const std::string_view text = syntax_.Text(given);
    rotates_lists_ = rotates_lists_ || text.ends_with(".shift()") || text.ends_with(".pop()");
  }
  const bool puts = name == "push" || name == "unshift" || name == "add" || name == "set";
  const NodeId object = Bare(syntax_, syntax_.Field(callee, kFieldObject));
  if (!puts || !syntax_.Is(object, Js::kIdentifier)) return;
  Binding* binding = Changing(object);
  if (binding != nullptr) binding->writes.push_back(call);
}

const Binding* Scopes::BindingOf(NodeId identifier) const {
  const std::uint32_t number = binding_[identifier];
  return number == kNoBinding ? nullptr : &bindings_[number];
}

const std::vector<NodeId>& Scopes::CallsOfMember(std::string_view name) const {
  return Listed(member_calls_, name);
}

const std::vector<NodeId>& Scopes::WritesToThis(NodeId owner) const {
  return Listed(this_writes_, owner);
}

const std::vector<NodeId>& Scopes::ReturnsOf(NodeId function) const {
  return Listed(returns_, function);
}

const std::vector<NodeId>& Scopes::YieldsOf(NodeId function) const {
  return Listed(yields_, function);
}

// The constructor function F in "F.prototype.x = function"; otherwise the function itself.
NodeId Scopes::MakerOf(NodeId function) const {
  const NodeId parent = syntax_.at(function).parent;
  if (!syntax_.Is(parent, Js::kAssignment)) return function;
  const NodeId left = syntax_.Field(parent, kFieldLeft);
  const NodeId middle = syntax_.Is(left, Js::kMember) ? syntax_.Field(left, kFieldObject) : kNoNode;
  if (!syntax_.Is(middle, Js::kMember)) return function;
  const NodeId maker = syntax_.Field(middle, kFieldObject);
  const bool is_method = syntax_.Text(syntax_.Field(middle, kFieldProperty)) == "prototype";
  if (!is_method || !syntax_.Is(maker, Js::kIdentifier)) return function;
  const std::uint32_t number = Find(scope_[maker], NameOf(maker));
  if (number == kNoBinding) return function;
  const NodeId declared = bindings_[number].targets.front();
  return IsFunction(syntax_, declared) || IsClass(syntax_, declared) ? declared : function;
}

NodeId Scopes::OwnerOfThis(NodeId id) const {
  for (NodeId at = scope_[id]; at != kNoNode; at = scope_[at]) {
    if (IsClass(syntax_, at)) return at;
    if (!IsFunction(syntax_, at) || syntax_.Is(at, Js::kArrow)) continue;
    const NodeId parent = syntax_.at(at).parent;
    if (syntax_.Is(at, Js::kMethod)) {
      if (syntax_.Is(parent, Js::kObject)) return parent;
      continue;  // the method of a class: the loop reaches the class next
    }
    if (syntax_.Is(parent, Js::kPair)) return syntax_.at(parent).parent;
    return MakerOf(at);
  }
  return kNoNode;
}

}  // namespace belljar::judgement::analysis::javascript
