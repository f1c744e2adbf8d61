// Judge: all forms of imports.
#include <fmt/format.h>

#include <algorithm>

#include "judgement/analysis/javascript/judge.h"
#include "judgement/analysis/javascript/names.h"
#include "judgement/analysis/javascript/path.h"
#include "judgement/analysis/javascript/text.h"

namespace belljar::judgement::analysis::javascript {
namespace {

using std::string_view;

constexpr int kMaxTryClimb = 60;
constexpr int kMaxUp = 3;  // parent directories that a relative specifier may climb

bool IsRelative(string_view specifier) {
  return specifier.starts_with("./") || specifier.starts_with("../") || specifier == "." ||
         specifier == ".." || specifier.starts_with('#');
}

int FoldersUp(string_view specifier) {
  int up = 0;
  while (specifier.starts_with("../") || specifier.starts_with("./")) {
    up += specifier.starts_with("../") ? 1 : 0;
    specifier.remove_prefix(specifier.find('/') + 1);
  }
  return up;
}

// The package of a specifier: "axios" of "axios/lib/core", "@scope/name" of "@scope/name/part".
string_view PackageOf(string_view specifier) {
  std::size_t end = specifier.find('/');
  if (specifier.starts_with('@') && end != string_view::npos) end = specifier.find('/', end + 1);
  return specifier.substr(0, end);
}

}  // namespace

void Judge::JudgeImport(NodeId id) {
  if (IsTypeImport(syntax_, id)) return;
  NodeId source = syntax_.Field(id, kFieldSource);
  for (const NodeId child : syntax_.NamedChildren(id)) {
    if (syntax_.Is(child, Js::kImportRequire)) source = syntax_.Field(child, kFieldSource);
  }
  const std::string* specifier = source == kNoNode ? nullptr : OnlyText(evaluator_.Eval(source));
  if (specifier == nullptr) return;
  JudgeModule(id, *specifier);
  const ValuePtr module = evaluator_.store().Name(ModuleName(*specifier));
  for (NodeId part = id; part < scopes_.EndOf(id); ++part) {
    if (syntax_.Is(part, Js::kImportSpecifier) || syntax_.Is(part, Js::kExportSpecifier)) {
      const std::string name(scopes_.NameOf(syntax_.Field(part, kFieldName)));
      const auto danger = DangerOfName(RawMember(module->names.front(), name));
      if (danger) JudgeDanger(part, danger->rule, danger->subject);
    }
  }
}

void Judge::JudgeModule(NodeId place, const std::string& specifier) {
  if (specifier.starts_with("data:")) return JudgeDataUrl(place, specifier);
  if (specifier.starts_with("http:") || specifier.starts_with("https:")) {
    return Add("js-network", place, specifier, "a module is loaded from the network");
  }
  const bool is_file = specifier.starts_with('/') || specifier.starts_with("file:");
  if (!is_file && !IsRelative(specifier)) return JudgePackage(place, specifier);
  if (specifier.ends_with(".node")) {
    return Add("js-native", place, specifier, fmt::format("'{}' is machine code", specifier));
  }
  if ((is_file && LeadsOut(specifier)) || FoldersUp(specifier) >= kMaxUp) {
    return Add("js-file-outside", place, specifier,
               fmt::format("the module '{}' is outside the workspace", specifier));
  }
  loaded_.emplace_back(ModuleFile(specifier), place);
}

void Judge::JudgePackage(NodeId place, const std::string& specifier) {
  string_view name = specifier;
  if (name.starts_with("node:")) name.remove_prefix(5);
  report_.AddImport(std::string(name), syntax_.PlaceOf(place), IsOptional(place));
  Add("js-import", place, name, fmt::format("the module '{}' is loaded", name));
  auto danger = DangerOfModule(name);
  if (!danger) danger = DangerOfModule(PackageOf(name));
  if (danger) JudgeDanger(place, danger->rule, danger->subject);
}

// Judges an import from a data: URL, which contains the module's code.
void Judge::JudgeDataUrl(NodeId place, const std::string& url) {
  Add("js-eval", place, "import", "a module is loaded from text in its address");
  const std::size_t comma = url.find(',');
  if (comma == std::string::npos) return;
  const bool is_coded = url.substr(0, comma).ends_with(";base64");
  const std::string_view body = std::string_view(url).substr(comma + 1);
  RunText(place, is_coded ? DecodeBase64(body) : DecodePercent(body));
}

void Judge::JudgeLoad(NodeId id, const Call& call) {
  if (call.arguments.empty()) return;
  const ValuePtr specifier = call.Argument(0);
  const bool is_known = specifier != nullptr && !specifier->texts.empty() &&
                        specifier->texts.size() < kMaxAlternatives && specifier->names.empty() &&
                        std::all_of(specifier->texts.begin(), specifier->texts.end(), IsWhole);
  if (IsDecoded(specifier)) {
    Add("js-obfuscation", id, "require", "the name of a module is decoded before it is loaded");
  }
  if (specifier != nullptr) {
    for (const std::string& text : specifier->texts) {
      if (IsWhole(text) && !text.empty()) JudgeModule(id, text);
    }
  }
  const auto is_file = [](const std::string& text) {
    return IsRelative(text) || text.starts_with('/');
  };
  const bool are_files = is_known && std::ranges::all_of(specifier->texts, is_file);
  if (are_files || (is_known && NamesModule(id))) return;
  Add("js-dynamic-import", id, "", "which module is loaded is decided while the program runs");
}

// True inside a try with a catch: the program expects that the module may be missing.
bool Judge::IsOptional(NodeId id) const {
  for (int i = 0; i < kMaxTryClimb && id != kNoNode; ++i) {
    const NodeId parent = syntax_.at(id).parent;
    if (parent != kNoNode && syntax_.Is(parent, Js::kTry) && syntax_.at(id).field == kFieldBody) {
      return syntax_.Field(parent, kFieldHandler) != kNoNode;
    }
    id = parent;
  }
  return false;
}

void Judge::JudgeWrittenModules() {
  for (const auto& [file, place] : loaded_) {
    if (!written_.contains(file)) continue;
    Add("js-dynamic-import", place, file, "a file that the program writes is loaded as code");
  }
}

}  // namespace belljar::judgement::analysis::javascript
