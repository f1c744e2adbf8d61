// The checks of the Python analysis: each looks at one node and reports what it finds.
#pragma once

#include <string>
#include <string_view>

#include "analysis/python_eval.h"
#include "analysis/report.h"

namespace belljar::analysis::python {

class Checks {
 public:
  Checks(const Syntax& syntax, Scopes& scopes, Evaluator& evaluator, Report& report)
      : syntax_(syntax), scopes_(scopes), evaluator_(evaluator), report_(report) {}

  void Check(NodeId node);

 private:
  void Names(NodeId node);
  void OneName(NodeId node, const std::string& name);
  void AttributeName(NodeId node);
  void WalkName(NodeId node);
  void Imports(NodeId statement);
  void ImportsFrom(NodeId statement);
  void Module(NodeId at, std::string module);
  bool IsForTypeCheckers(NodeId block) const;
  bool IsOptional(NodeId node) const;

  // python_check_calls.cc
  void Call(NodeId call);
  void NamedCall(NodeId call, const std::string& name);
  void CodeCall(NodeId call, std::string_view name);
  void TextCall(NodeId call);
  void MethodCall(NodeId call);
  void Getter(NodeId call);
  void HiddenFormat(NodeId at, ValuePtr text);
  void PathIn(NodeId call, NodeId argument);
  void ImportCall(NodeId call, std::string_view name);
  void AttributeCall(NodeId call);
  void Deserialising(NodeId call, std::string_view name);
  void Paths(NodeId call, std::string_view name);
  void Format(NodeId call);
  void Stored(NodeId target);
  void StoredAttribute(NodeId target, ValuePtr object, std::string_view attribute);

  // python_bombs.cc
  void BombCall(NodeId call, std::string_view name);
  void BombOperator(NodeId node);
  void EndlessLoop(NodeId loop);
  void EndlessFor(NodeId loop);
  void BombMethod(NodeId call, std::string_view method);
  void BombSplat(NodeId splat);
  void BombStored(NodeId assignment);
  bool IsHuge(NodeId iterable);
  double TurnsOfRange(NodeId node);
  void EndlessRecursion(NodeId function);
  std::vector<NodeId> SurelyCalled(NodeId function);

  const Syntax& syntax_;
  Scopes& scopes_;
  Evaluator& evaluator_;
  Report& report_;
};

}  // namespace belljar::analysis::python
