#include "judgement/analysis/analyse.h"

namespace belljar::judgement::analysis {

Analysis Analyse(Language language, std::string_view source) {
  switch (language) {
    case Language::kPython:
      return AnalysePython(source);
    case Language::kJavaScript:
    case Language::kTypeScript:
      return AnalyseJavaScript(source, language);
    case Language::kBash:
      return AnalyseShell(source);
  }
  return {};
}

}  // namespace belljar::judgement::analysis
