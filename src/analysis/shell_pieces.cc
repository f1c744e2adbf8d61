#include "analysis/shell_pieces.h"

#include <algorithm>

#include "analysis/rule.h"
#include "analysis/shell_bombs.h"
#include "analysis/shell_walk.h"

namespace belljar::analysis::shell {
namespace {

constexpr int kPieceCost = 4;

// A test that could not be read does nothing unless it runs a command inside.
bool IsPlainTest(std::string_view text) {
  if (!text.starts_with("[") && !text.starts_with("((")) return false;
  return text.find('`') == text.npos && text.find("$(") == text.npos &&
         text.find("<(") == text.npos && text.find(">(") == text.npos;
}

class Reader {
 public:
  Reader(Context& context, const Syntax& whole, std::optional<Place> place)
      : context_(context), whole_(whole), place_(place) {}

  // What remained unread, or null.
  std::optional<TextPiece> ReadAll() {
    const std::string_view source = whole_.source();
    std::optional<TextPiece> unread;
    bool is_open = false;
    for (const TextPiece& piece : CutText(source, Cut::kPipelines)) {
      is_open = is_open || piece.is_open;
      if (!ReadPipeline(piece) && !piece.is_open && !unread) unread = piece;
    }
    // Cuts go wrong where a here-document holds quotes; a line by itself is never swallowed.
    if (unread || is_open || source.find("<<") != source.npos) {
      for (const TextPiece& line : CutText(source, Cut::kLines)) ReadLine(line);
    }
    return unread;
  }

 private:
  void ReadLine(const TextPiece& line) {
    for (TextPiece piece : CutText(line.text, Cut::kPipelines)) {
      piece.start += line.start;
      ReadPipeline(piece);
    }
  }

  bool ReadPipeline(const TextPiece& piece) {
    if (Read(piece) || IsPlainTest(piece.text)) return true;
    const std::vector<TextPiece> commands = CutText(piece.text, Cut::kCommands);
    if (commands.size() < 2) return false;
    bool all = true;
    for (TextPiece command : commands) {
      command.start += piece.start;
      all = (Read(command) || IsPlainTest(command.text)) && all;
    }
    return all;
  }

  bool Read(const TextPiece& piece) {
    const Place place = place_ ? *place_ : whole_.PlaceAt(piece.start);
    const int cost = kPieceCost + static_cast<int>(piece.text.size() / 16);
    if (!context_.Spend(place, cost)) return true;
    context_.texts.push_back(piece.text);
    auto syntax = context_.Parse(context_.texts.back());
    if (!syntax) {
      context_.GiveUp(place, "A part of the script cannot be read: " + syntax.error().message());
      return true;
    }
    if (IsBroken(*syntax)) return false;
    context_.syntaxes.push_back(*std::move(syntax));
    const Syntax& kept = context_.syntaxes.back();
    LookForBombs(context_, kept, place);
    Walk(context_, kept, place).Run(kept.root(), Stream());
    return true;
  }

  Context& context_;
  const Syntax& whole_;
  std::optional<Place> place_;
};

// Of what the pieces added, only what the same line did not show before.
void DropRepeats(std::vector<Finding>& findings, std::size_t before) {
  const auto old_end = findings.begin() + static_cast<std::ptrdiff_t>(before);
  const std::vector<Finding> old(findings.begin(), old_end);
  const auto is_known = [&](const Finding& added) {
    return std::ranges::any_of(old, [&](const Finding& known) {
      return known.rule == added.rule && known.place.line == added.place.line;
    });
  };
  findings.erase(std::remove_if(old_end, findings.end(), is_known), findings.end());
}

}  // namespace

bool IsKnownGap(const Syntax& syntax, NodeId id) {
  const std::string_view source = syntax.source();
  const std::uint32_t start = syntax.at(id).start;
  if (syntax.Text(id) == "<") return source.substr(start).starts_with("<>");
  return syntax.Text(id) == ">" && start > 0 && source[start - 1] == '<';
}

bool IsBroken(const Syntax& syntax) {
  if (syntax.errors().empty()) return false;
  const auto is_missing = [](const SyntaxError& error) { return error.missing; };
  if (std::ranges::any_of(syntax.errors(), is_missing)) return true;
  for (NodeId id = 0; id < syntax.size(); ++id) {
    if (syntax.at(id).kind == kErrorKind && !IsKnownGap(syntax, id)) return true;
  }
  return false;
}

void ReadPieces(Context& context, const Syntax& syntax, std::optional<Place> place) {
  const Deeper deeper(context.text_depth);
  if (context.gave_up || context.text_depth > kMaxTexts) return;
  context.Need(Level::kRunsCode);
  const std::size_t before = context.findings.size();
  const std::optional<TextPiece> unread = Reader(context, syntax, place).ReadAll();
  DropRepeats(context.findings, before);
  if (!unread) return;
  context.Find("sh-unclear", place ? *place : syntax.PlaceAt(unread->start), unread->text,
               "This part of the script could not be read, and a shell may still run it.");
}

}  // namespace belljar::analysis::shell
