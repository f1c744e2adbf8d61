// Judge: calls that are judged by their arguments.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "judgement/analysis/javascript/judge.h"
#include "judgement/analysis/javascript/names.h"
#include "judgement/analysis/javascript/path.h"
#include "judgement/analysis/javascript/text.h"
#include "judgement/analysis/paths.h"

namespace belljar::judgement::analysis::javascript {
namespace {

using std::string_view;

bool HasTwoPaths(string_view function) {
  return function.starts_with("link") || function.starts_with("symlink") ||
         function.starts_with("rename") || function.starts_with("copyFile") ||
         function.starts_with("cp") || function.starts_with("move") || function == "copy" ||
         function == "copySync";
}

bool IsTimer(string_view name) {
  return name == "setTimeout" || name == "setInterval" || name == "setImmediate";
}

// True if the value has keys that lead a naive deep merge to a shared prototype (prototype
// pollution).
bool LeadsToPrototype(ValuePtr value, int depth) {
  if (value == nullptr || depth == 0) return false;
  if (value->keyed.contains("__proto__")) return true;
  const auto maker = value->keyed.find("constructor");
  if (maker != value->keyed.end() && maker->second != nullptr &&
      maker->second->keyed.contains("prototype")) {
    return true;
  }
  const auto leads = [&](ValuePtr part) { return LeadsToPrototype(part, depth - 1); };
  return std::any_of(value->items.begin(), value->items.end(), leads) ||
         std::any_of(value->keyed.begin(), value->keyed.end(),
                     [&](const auto& entry) { return leads(entry.second); });
}

}  // namespace

void Judge::JudgeCall(NodeId id) {
  const Call call = evaluator_.CallOf(id);
  if (const auto bomb = bombs_.InCall(id, call)) Add("js-bomb", id, bomb->subject, bomb->message);
  JudgeEnvironment(id, call);
  if (call.method.starts_with("__define") && call.receiver != nullptr) {
    for (const std::string& name : call.receiver->names) {
      const std::string* key = OnlyText(call.Argument(0));
      JudgeWriteTo(id, name, key == nullptr ? call.method : *key);
    }
  }
  if (call.callee == nullptr) return;
  for (const std::string& name : call.callee->names) JudgeCallOf(id, call, name);
}

void Judge::JudgeCallOf(NodeId id, const Call& call, const std::string& name) {
  if (name == "require" || name == "import") return JudgeLoad(id, call);
  JudgeCode(id, call, name);
  for (const string_view prefix : {"node:fs.", "node:fs/promises."}) {
    if (name.starts_with(prefix)) return JudgePaths(id, call, name.substr(prefix.size()));
  }
  for (const string_view library : {"node:glob", "node:fast-glob", "node:globby", "node:rimraf"}) {
    const bool calls =
        name.starts_with(library) && (name.size() == library.size() || name[library.size()] == '.');
    if (calls) return JudgePaths(id, call, "read");
  }
  for (const string_view database :
       {"node:sqlite.DatabaseSync", "node:better-sqlite3", "node:sqlite3.Database"}) {
    if (name == database) return JudgePaths(id, call, "open");
  }
  // Listing all members of the global object gives access to any of them without naming it.
  if (name == "Object.values" || name == "Object.entries") {
    return JudgeLookup(id, call.Argument(0), kNoNode);
  }
  if (name == "process.chdir") return JudgePaths(id, call, "chdir");
  if (name == "JSON.parse" && call.arguments.size() == 1) return JudgeJson(id);
  if (name == "Reflect.get" || name.ends_with(".getOwnPropertyDescriptor")) {
    JudgeMaker(id, call);
    return JudgeKey(id, call.Argument(0), call.Argument(1));
  }
  if (name.starts_with("Object.") || name.starts_with("Reflect.")) {
    return JudgeTampering(id, call, name.substr(name.find('.') + 1));
  }
  if (name == "Proxy" && call.is_new) JudgeLookup(id, call.Argument(0), kNoNode);
}

// Reflect.get(isNaN, 'constructor'): a constructor obtained in this way is assumed to be called.
void Judge::JudgeMaker(NodeId id, const Call& call) {
  const std::string* key = OnlyText(call.Argument(1));
  if (key == nullptr || *key != "constructor") return;
  const ValuePtr maker = evaluator_.Member(call.Argument(0), *key);
  if (maker == nullptr || maker->names.empty()) return;
  const std::string& name = maker->names.front();
  if (name == "Function" || name == "?constructor") JudgeDanger(id, "js-eval", "Function");
}

void Judge::JudgeCode(NodeId id, const Call& call, const std::string& name) {
  const bool is_maker = name == "Function" || name == "?constructor";
  const bool is_code = is_maker || IsTimer(name) || name == "eval" ||
                       name.starts_with("node:vm.") || name == "node:worker_threads.Worker";
  if (!is_code || call.arguments.empty()) return;
  const ValuePtr code = is_maker ? call.arguments.back() : call.arguments.front();
  if (code == nullptr || (code->texts.empty() && !code->decoded)) return;
  if (IsTimer(name)) {
    Add("js-eval", id, name, fmt::format("'{}' is given text, which it runs as code", name));
  } else if (name == "?constructor") {
    if (!code->texts.empty()) JudgeDanger(id, "js-eval", "Function");
  }
  if (IsDecoded(code)) {
    Add("js-obfuscation", id, Shown(name), "text is decoded and then run as code");
  }
  for (const std::string& text : code->texts) {
    if (IsWhole(text)) RunText(id, text);
  }
}

// Findings in a string that is run as code are reported at the call that runs it.
void Judge::RunText(NodeId place, const std::string& text) {
  if (nesting_.depth >= kMaxTextLevels || *nesting_.left == 0) return;
  --*nesting_.left;
  Analysis inside = AnalyseText(text, Language::kJavaScript, {nesting_.depth + 1, nesting_.left});
  // Syntax errors are dropped, because the string may be a function body or a fragment.
  std::erase_if(inside.findings,
                [](const Finding& finding) { return finding.rule->rule_class == Class::kSyntax; });
  report_.Include(inside, syntax_.PlaceOf(place));
}

void Judge::JudgePaths(NodeId id, const Call& call, string_view function) {
  const std::size_t paths = HasTwoPaths(function) ? 2 : 1;
  for (std::size_t i = 0; i < paths; ++i) {
    const ValuePtr path = call.Argument(i);
    if (path == nullptr) continue;
    for (const std::string& text : path->texts) {
      if (function.starts_with("write") || function.starts_with("append") || i == 1) {
        written_.insert(ModuleFile(text));
      }
      if (!LeadsOut(text)) continue;
      const bool moves = function == "chdir";
      const std::string shown = ShownPath(text, kHole);
      Add(moves ? "js-process-control" : "js-file-outside", id, shown,
          fmt::format("'{}' is outside the workspace", shown));
    }
  }
}

void Judge::JudgeTampering(NodeId id, const Call& call, string_view function) {
  static constexpr auto kWriters = std::to_array<string_view>(
      {"defineProperty", "defineProperties", "assign", "setPrototypeOf", "set", "deleteProperty"});
  if (std::find(kWriters.begin(), kWriters.end(), function) == kWriters.end()) return;
  const ValuePtr object = call.Argument(0);
  if (object == nullptr) return;
  std::vector<std::string> keys;
  if (const std::string* key = OnlyText(call.Argument(1))) keys.push_back(*key);
  if (keys.empty() && call.Argument(1) != nullptr) {
    for (const auto& [key, part] : call.Argument(1)->keyed) keys.push_back(key);
  }
  if (keys.empty()) keys.emplace_back("…");
  for (const std::string& name : object->names) {
    for (const std::string& key : keys) JudgeWriteTo(id, name, key);
  }
}

void Judge::JudgeJson(NodeId id) {
  if (!LeadsToPrototype(evaluator_.Eval(id), kMaxNesting)) return;
  Add("js-prototype", id, "__proto__", "a document has keys that lead to what all objects share");
}

void Judge::JudgeEnvironment(NodeId id, const Call& call) {
  if (call.callee == nullptr || call.callee->names.empty() || !call.callee->functions.empty()) {
    return;
  }
  for (const ValuePtr argument : call.arguments) {
    if (argument == nullptr) continue;
    const auto& names = argument->names;
    if (std::find(names.begin(), names.end(), "process.env") == names.end()) continue;
    Add("js-environment", id, "process.env", "the whole environment is read");
    return;
  }
}

}  // namespace belljar::judgement::analysis::javascript
