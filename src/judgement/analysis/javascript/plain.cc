// Judge: checks whether module names are written out as literals.
//
// The evaluator computes strings, but may be wrong about them, for example in lists that are sorted
// or cut, or strings built in callbacks. Honest programs do not compute module names, except for
// files beside the program, so a computed name is a finding even where its value seems known.
#include <algorithm>

#include "judgement/analysis/javascript/judge.h"

namespace belljar::judgement::analysis::javascript {
namespace {

constexpr int kMaxLookups = 200;

class Reading {
 public:
  Reading(const Syntax& syntax, const Scopes& scopes) : syntax_(syntax), scopes_(scopes) {}

  bool IsText(NodeId node) {
    node = Bare(syntax_, node);
    if (node == kNoNode || --left_ < 0) return false;
    switch (static_cast<Js>(syntax_.at(node).kind)) {
      case Js::kString:
        return true;
      case Js::kTemplate:
        return syntax_.Text(node).find("${") == std::string_view::npos;
      case Js::kTernary:
        return IsText(syntax_.Field(node, kFieldConsequence)) &&
               IsText(syntax_.Field(node, kFieldAlternative));
      case Js::kBinary:
        return syntax_.Text(syntax_.Field(node, kFieldOperator)) != "+" &&
               IsText(syntax_.Field(node, kFieldLeft)) && IsText(syntax_.Field(node, kFieldRight));
      case Js::kIdentifier:
        return IsBoundToText(scopes_.BindingOf(node));
      case Js::kCall:
        return IsBesideProgram(node);
      case Js::kMember:
      case Js::kSubscript:
        return IsTable(syntax_.Field(node, kFieldObject));
      default:
        return false;
    }
  }

 private:
  // True for paths relative to the program: path.join(__dirname, 'lib')
  bool IsBesideProgram(NodeId call) const {
    const NodeId list = syntax_.Field(call, kFieldArguments);
    const NodeId first = list == kNoNode ? kNoNode : syntax_.Named(list, 0);
    return syntax_.Is(first, Js::kIdentifier) && scopes_.BindingOf(first) == nullptr &&
           scopes_.NameOf(first) == "__dirname";
  }

  bool IsBoundToText(const Binding* binding) {
    return binding != nullptr && binding->writes.empty() &&
           std::ranges::all_of(binding->targets,
                               [&](NodeId target) { return IsSetToText(target); });
  }

  bool IsSetToText(NodeId target) {
    const NodeId parent = syntax_.at(target).parent;
    switch (static_cast<Js>(syntax_.at(parent).kind)) {
      case Js::kDeclarator: {
        const NodeId value = syntax_.Field(parent, kFieldValue);
        return value == kNoNode || IsText(value);  // "let x;"
      }
      case Js::kAssignment:
        return IsText(syntax_.Field(parent, kFieldRight));
      case Js::kForIn:
        return IsList(syntax_.Field(parent, kFieldRight));
      case Js::kArrow:
        return IsCalledForList(parent);
      case Js::kParameters:
        return syntax_.Named(parent, 0) == target && IsCalledForList(syntax_.at(parent).parent);
      default:
        return false;
    }
  }

  // ['fs', 'path'].forEach((name) => …): the callback's first parameter takes each element.
  bool IsCalledForList(NodeId function) {
    const NodeId list = syntax_.at(function).parent;
    const NodeId call = list == kNoNode ? kNoNode : syntax_.at(list).parent;
    if (!syntax_.Is(list, Js::kArguments) || !syntax_.Is(call, Js::kCall)) return false;
    const NodeId callee = syntax_.Field(call, kFieldFunction);
    if (!syntax_.Is(callee, Js::kMember)) return false;
    const std::string_view method = scopes_.NameOf(syntax_.Field(callee, kFieldProperty));
    return (method == "forEach" || method == "map") && IsList(syntax_.Field(callee, kFieldObject));
  }

  bool IsList(NodeId node) {
    node = Bare(syntax_, node);
    if (node == kNoNode || --left_ < 0) return false;
    if (syntax_.Is(node, Js::kArray)) {
      return std::ranges::all_of(syntax_.ListOfNamedChildren(node),
                                 [&](NodeId part) { return IsText(part); });
    }
    const NodeId value = OnlyValueOf(node);
    return value != kNoNode && IsList(value);
  }

  // An object literal of written-out values. Which member is used does not matter.
  bool IsTable(NodeId node) {
    node = Bare(syntax_, node);
    if (node == kNoNode || --left_ < 0) return false;
    if (!syntax_.Is(node, Js::kObject)) {
      const NodeId value = OnlyValueOf(node);
      return value != kNoNode && IsTable(value);
    }
    return std::ranges::all_of(syntax_.ListOfNamedChildren(node), [&](NodeId part) {
      return syntax_.Is(part, Js::kPair) && IsText(syntax_.Field(part, kFieldValue));
    });
  }

  // The value of a variable that is set exactly once and whose members are never assigned.
  NodeId OnlyValueOf(NodeId name) const {
    const Binding* binding = syntax_.Is(name, Js::kIdentifier) ? scopes_.BindingOf(name) : nullptr;
    if (binding == nullptr || !binding->writes.empty() || binding->targets.size() != 1) {
      return kNoNode;
    }
    const NodeId parent = syntax_.at(binding->targets.front()).parent;
    return syntax_.Is(parent, Js::kDeclarator) ? syntax_.Field(parent, kFieldValue) : kNoNode;
  }

  const Syntax& syntax_;
  const Scopes& scopes_;
  int left_ = kMaxLookups;
};

}  // namespace

bool Judge::IsWrittenOut(NodeId text) const { return Reading(syntax_, scopes_).IsText(text); }

// True if the specifier of a `require` call is written out: require('fs'), require.call(null, 'fs')
bool Judge::NamesModule(NodeId load) const {
  const NodeId callee = syntax_.Field(load, kFieldFunction);
  const NodeId list = syntax_.Field(load, kFieldArguments);
  if (callee == kNoNode || list == kNoNode) return false;
  const std::string_view method =
      syntax_.Is(callee, Js::kMember) ? scopes_.NameOf(syntax_.Field(callee, kFieldProperty)) : "";
  const bool after_this = method == "call" || method == "apply";
  NodeId name = syntax_.Named(list, after_this ? 1 : 0);
  if (syntax_.Is(name, Js::kArray)) name = syntax_.Named(name, 0);
  return IsWrittenOut(name);
}

// (() => {})[name](text): a computed member name of a function is assumed to be `constructor`.
void Judge::JudgeMadeUpMember(NodeId id) {
  const NodeId owner = Bare(syntax_, syntax_.Field(id, kFieldObject));
  const NodeId key = syntax_.Field(id, kFieldIndex);
  if (!IsFunction(syntax_, owner) || key == kNoNode || IsWrittenOut(key)) return;
  Add("js-obfuscation", id, "function", "a member of a function is taken by a made-up name");
}

}  // namespace belljar::judgement::analysis::javascript
