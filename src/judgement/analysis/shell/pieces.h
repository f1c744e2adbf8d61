// Error recovery: analyses a script with syntax errors piece by piece.
//
// After a syntax error, the parser often takes the commands that follow for parts of another
// construct, although a shell would run them. Such a script is cut at its separators, outside
// quotes and nesting, and each pipeline is parsed and judged separately. Findings that repeat
// earlier ones are dropped. A cut may be wrong, for example inside a here-document; that can only
// add findings, never lose any.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judgement/analysis/shell/context.h"

namespace belljar::judgement::analysis::shell {

struct TextPiece {
  std::string text;
  std::uint32_t start = 0;  // offset in the text from which it was cut
  bool is_open = false;     // a quote or parenthesis in it is not closed
};

enum class Cut { kPipelines, kCommands, kLines };
std::vector<TextPiece> CutText(std::string_view text, Cut cut);

// True for "<>", which opens a file for reading and writing. The grammar lacks it, so its error
// nodes are ignored.
bool IsKnownGap(const Syntax& syntax, NodeId error);
// True if the tree has errors other than known gaps of the grammar.
bool IsBroken(const Syntax& syntax);
// Judges the pieces of a script with errors. If `place` is given, all findings are reported there.
void ReadPieces(Context& context, const Syntax& syntax, std::optional<Place> place);

}  // namespace belljar::judgement::analysis::shell
