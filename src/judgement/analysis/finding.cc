#include "judgement/analysis/finding.h"

namespace belljar::judgement::analysis {

std::string_view LanguageName(Language language) {
  switch (language) {
    case Language::kPython:
      return "python";
    case Language::kJavaScript:
      return "javascript";
    case Language::kTypeScript:
      return "typescript";
    case Language::kBash:
      return "bash";
  }
  return "";
}

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return "note";
    case Severity::kWarning:
      return "warning";
    case Severity::kDanger:
      return "danger";
  }
  return "";
}

std::string_view LevelName(Level level) {
  switch (level) {
    case Level::kReads:
      return "L1";
    case Level::kWrites:
      return "L2";
    case Level::kRunsCode:
      return "L3";
    case Level::kAsksFirst:
      return "L4";
  }
  return "";
}

}  // namespace belljar::judgement::analysis
