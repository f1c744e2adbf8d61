// The checks of the Python analysis: each looks at one node and reports what it finds.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "judgement/analysis/python/eval.h"
#include "judgement/analysis/report.h"

namespace belljar::judgement::analysis::python {

class Checks {
 public:
  Checks(const Syntax& syntax, Scopes& scopes, Evaluator& evaluator, Report& report)
      : syntax_(syntax), scopes_(scopes), evaluator_(evaluator), report_(report) {}

  void Check(NodeId node);
  // What is to be found in places that did not parse (python_unread.cc).
  void Unread();

 private:
  void CheckEnds(NodeId node);
  void Names(NodeId node);
  void OneName(NodeId node, std::string_view name);
  void AttributeName(NodeId node);
  void WalkName(NodeId node);
  bool IsTaken(NodeId attribute, std::string_view name) const;
  void Examples(NodeId call);
  void Imports(NodeId statement);
  void ImportsFrom(NodeId statement);
  bool TakesOnlyHarmless(NodeId statement) const;
  bool IsOnlyTested(NodeId node) const;
  bool LoadsOnlyData(NodeId node, std::string_view name) const;
  bool AreUsesOnlyAsked(NodeId bound) const;
  void Module(NodeId at, std::string module);
  bool IsForTypeCheckers(NodeId block) const;
  bool IsOptional(NodeId node) const;

  // check_calls.cc
  void Call(NodeId call);
  void CodeCall(NodeId call, std::string_view name);
  void TextCall(NodeId call);
  void Getter(NodeId call);
  void HiddenFormat(NodeId at, ValuePtr text);
  void FormatWidth(NodeId interpolation);
  void HandedGetter(NodeId call);
  void ExtensionLoaded(NodeId call, std::string_view method);
  void PathMethod(NodeId call, std::string_view method);
  void FileMethod(NodeId call, std::string_view method);
  void ImportCall(NodeId call, std::string_view name);
  void AttributeCall(NodeId call);
  void Deserialising(NodeId call, std::string_view name);
  void Format(NodeId call);
  void Stored(NodeId target);
  void LoaderCall(NodeId call);
  void Factories(NodeId call, ValuePtr config, int depth);
  void StoredAttribute(NodeId target, ValuePtr object, std::string_view attribute);

  // named_calls.cc
  struct NamedCheck;
  static const NamedCheck kNamedChecks[];
  static const NamedCheck kMethodChecks[];
  static std::uint32_t Concerned(std::span<const NamedCheck> checks, std::string_view name);
  void LookInto(const NamedCheck* check, std::uint32_t concerned, NodeId call,
                std::string_view name);
  void NamedCall(NodeId call, std::string_view name);
  void MethodCall(NodeId call, std::string_view method);
  template <void (Checks::*kLook)(NodeId)>
  void Plainly(NodeId call, std::string_view) {
    (this->*kLook)(call);
  }
  void LoggingConfig(NodeId call, std::string_view name);
  void FormatCall(NodeId call, std::string_view name);
  void LogFormat(NodeId call, std::string_view name);
  void TemporaryIn(NodeId call, std::string_view name);

  // code_entry_points.cc: functions that import or run what an argument names.
  enum class Given : std::uint8_t { kText, kEither };
  void Doors(NodeId call, std::string_view name);
  void ModuleDoor(NodeId call, std::string_view name, NodeId argument);
  void TextDoor(NodeId call, std::string_view name, NodeId argument, Given given);
  void Annotations(NodeId call, std::string_view name);

  void HandedImporter(NodeId call);

  // plain.cc
  bool IsWrittenOut(NodeId text) const;
  bool HidesMember(std::string_view module, ValuePtr names, NodeId asked) const;
  bool ReadsEnvironment(NodeId node, std::string_view name) const;
  bool IsOwnClass(NodeId object) const;
  void TrustedCode(NodeId argument);

  // tables.cc
  void TableMethod(NodeId call, std::string_view method);
  void GottenByClass(NodeId call);
  void TableKey(NodeId at, ValuePtr table, NodeId key);

  // paths.cc
  void PathIn(NodeId call, NodeId argument);
  void PathOf(NodeId call, ValuePtr path);
  void Opened(NodeId call, std::string_view name);
  void Attached(NodeId call);
  void Paths(NodeId call, std::string_view name);

  // python_bombs.cc
  void BombCall(NodeId call, std::string_view name);
  void BombStarred(NodeId call);
  void BombOperator(NodeId node);
  void BombMethod(NodeId call, std::string_view method);
  void BombSplat(NodeId splat);
  void BombStored(NodeId assignment);
  bool IsHuge(NodeId iterable);
  double TurnsOfRange(NodeId node);
  double TurnsOfAll(NodeId iterable);
  double ItemsOf(NodeId list);

  // python_endless.cc
  void EndlessLoop(NodeId loop);
  void EndlessFor(NodeId loop);
  void EndlessRecursion(NodeId function);
  std::vector<NodeId> SurelyCalled(NodeId function);
  bool YieldsForever(NodeId function);
  bool LoopsForever(NodeId function) const;
  bool IsSelfRecursiveCall(NodeId method);
  bool IsTried(NodeId loop) const;
  bool IsCertain(NodeId node, NodeId loop) const;
  NodeId ClassAround(NodeId node) const;
  bool IsPlainly(NodeId callee, NodeId function);

  const Syntax& syntax_;
  Scopes& scopes_;
  Evaluator& evaluator_;
  Report& report_;
  bool examples_read_ = false;
  std::unordered_map<NodeId, bool> yields_forever_;
};

}  // namespace belljar::judgement::analysis::python
