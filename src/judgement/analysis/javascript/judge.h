// Judge: visits the syntax tree once in source order, queries the evaluator, and reports findings.
//
// A finding is reported where the dangerous thing enters the program: at a global name, a member
// access or an import. Uses of a variable that holds it are not reported again.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "judgement/analysis/javascript/bombs.h"
#include "judgement/analysis/javascript/eval.h"
#include "judgement/analysis/report.h"

namespace belljar::judgement::analysis::javascript {

// Strings that the program runs as code are analysed too. This is the current nesting depth, and
// how many nested programs may still be analysed.
struct Nesting {
  int depth = 0;
  int* left = nullptr;
};
Analysis AnalyseText(std::string_view source, Language language, Nesting nesting);

class Judge {
 public:
  Judge(const Syntax& syntax, const Scopes& scopes, Nesting nesting, Report& report);

  void Run();
  bool gave_up() const { return evaluator_.gave_up(); }

 private:
  void Add(std::string_view rule, NodeId place, std::string_view subject, std::string message);
  void Visit(NodeId id);
  void VisitStatement(NodeId id);

  // judge.cc: names, members, patterns and writes.
  void JudgeName(NodeId id);
  void JudgeHandedOn(NodeId id);
  void JudgeMember(NodeId id);
  void JudgePattern(NodeId id);
  void JudgeAccess(NodeId place, ValuePtr object, NodeId access);
  void JudgeKey(NodeId place, ValuePtr object, ValuePtr key);
  void JudgeKeyOf(NodeId place, const std::string& name, const std::string& key, ValuePtr from);
  void JudgeDanger(NodeId place, std::string_view rule, const std::string& subject);
  void JudgeLookup(NodeId place, ValuePtr object, NodeId access);
  void JudgeConstructor(NodeId id);
  void JudgeUnknownOwner(NodeId id);
  void JudgeWrite(NodeId target);
  void JudgeWriteTo(NodeId place, const std::string& name, const std::string& key);
  bool IsOnlyCompared(NodeId id) const;
  void JudgeSpread(NodeId expression);

  // modules.cc
  void JudgeImport(NodeId id);
  void JudgeModule(NodeId place, const std::string& specifier);
  void JudgePackage(NodeId place, const std::string& specifier);
  void JudgeDataUrl(NodeId place, const std::string& url);
  void JudgeLoad(NodeId id, const Call& call);
  bool IsOptional(NodeId id) const;
  void JudgeWrittenModules();

  // plain.cc
  bool IsWrittenOut(NodeId text) const;
  bool NamesModule(NodeId load) const;
  void JudgeMadeUpMember(NodeId id);

  // arguments.cc: calls whose arguments matter.
  void JudgeCall(NodeId id);
  void JudgeCallOf(NodeId id, const Call& call, const std::string& name);
  void JudgeMaker(NodeId id, const Call& call);
  void JudgeCode(NodeId id, const Call& call, const std::string& name);
  void RunText(NodeId place, const std::string& text);
  void JudgePaths(NodeId id, const Call& call, std::string_view function);
  void JudgeTampering(NodeId id, const Call& call, std::string_view function);
  void JudgeJson(NodeId id);
  void JudgeEnvironment(NodeId id, const Call& call);

  const Syntax& syntax_;
  const Scopes& scopes_;
  Nesting nesting_;
  Report& report_;
  Evaluator evaluator_;
  Bombs bombs_;
  std::set<std::string> written_;                       // files that the program writes
  std::vector<std::pair<std::string, NodeId>> loaded_;  // files that it loads as code
};

}  // namespace belljar::judgement::analysis::javascript
