// Reading a broken text again, piece by piece.
//
// Where the grammar stumbles, what follows is often lost: the parser takes commands for parts of
// something else, though a shell runs them. Such a text is cut at its separators, with respect
// for quotes and nesting, and each pipeline is parsed and judged by itself. What is found twice is
// kept once. Cuts may be wrong, as in a here-document; that makes more findings, never fewer.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judgement/analysis/shell/context.h"

namespace belljar::judgement::analysis::shell {

struct TextPiece {
  std::string text;
  std::uint32_t start = 0;  // in the text it was cut from
  bool is_open = false;     // a quote or parenthesis in it is never closed
};

enum class Cut { kPipelines, kCommands, kLines };
std::vector<TextPiece> CutText(std::string_view text, Cut cut);

// "<>" opens a file both ways, which the grammar does not know: an error that is none.
bool IsKnownGap(const Syntax& syntax, NodeId error);
// True where the tree has errors that are more than a known gap of the grammar.
bool IsBroken(const Syntax& syntax);
// Judges the pieces of a broken text. With a place, findings are there.
void ReadPieces(Context& context, const Syntax& syntax, std::optional<Place> place);

}  // namespace belljar::judgement::analysis::shell
