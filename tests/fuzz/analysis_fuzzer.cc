// The static analysis: any text of any language ends in bounded time, with findings in the order of
// their places, and gives the same twice. The first byte says which language it is.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "judgement/analysis/analyse.h"
#include "judgement/analysis/rule.h"

namespace {

using namespace belljar::judgement::analysis;

Analysis Read(std::uint8_t which, std::string_view text) {
  switch (which % 5) {
    case 0:
      return AnalysePython(text);
    case 1:
      return AnalyseJavaScript(text, Language::kJavaScript);
    case 2:
      return AnalyseJavaScript(text, Language::kTypeScript);
    case 3:
      return AnalyseShell(text);
    default: {
      std::vector<std::string> words(1);
      for (const char c : text) {
        if (c == '\0') {
          words.emplace_back();
        } else {
          words.back() += c;
        }
      }
      return AnalyseCommand(words);
    }
  }
}

void Insist(bool claim) {
  if (!claim) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMost = 4096;
  if (size == 0 || size > kMost) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const Analysis first = Read(data[0], text);
  Insist(first.findings == Read(data[0], text).findings);
  Place last{0, 0};
  for (const Finding& finding : first.findings) {
    Insist(finding.rule != nullptr && FindRule(finding.rule->id) == finding.rule);
    Insist(std::tie(finding.place.line, finding.place.column) >= std::tie(last.line, last.column));
    last = finding.place;
  }
  return 0;
}
