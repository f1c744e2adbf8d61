// The two readers of programs: whatever the lean driver reads at all, it reads as tree-sitter's
// runtime does, node for node. The first byte says which language it is.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "analysis/javascript_grammar.h"
#include "analysis/lr_compare.h"
#include "analysis/python_tree.h"
#include "analysis/shell_context.h"

namespace {

using namespace belljar::analysis;

const Grammar& GrammarFor(std::uint8_t which) {
  switch (which % 4) {
    case 0:
      return python::PythonGrammar();
    case 1:
      return javascript::GrammarOf(Language::kJavaScript);
    case 2:
      return javascript::GrammarOf(Language::kTypeScript);
    default:
      return shell::ShellGrammar();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMost = 4096;
  if (size == 0 || size > kMost) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  if (CompareReaders(GrammarFor(data[0]), text) == Compared::kDifferent) std::abort();
  return 0;
}
