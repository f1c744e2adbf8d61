#include "judgement/analysis/shell/pieces.h"

#include <algorithm>

#include "judgement/analysis/rule.h"
#include "judgement/analysis/shell/bombs.h"
#include "judgement/analysis/shell/walk.h"

namespace belljar::judgement::analysis::shell {
namespace {

constexpr int kPieceCost = 4;

// True for a test that does not run a command, so that a syntax error in it is harmless.
bool IsPlainTest(std::string_view text) {
  if (!text.starts_with("[") && !text.starts_with("((")) return false;
  return text.find('`') == text.npos && text.find("$(") == text.npos &&
         text.find("<(") == text.npos && text.find(">(") == text.npos;
}

std::size_t EndOfWord(std::string_view text, std::size_t at) {
  char quote = '\0';
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\' && quote != '\'') {
      ++at;
    } else if (quote != '\0') {
      quote = c == quote ? '\0' : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (std::string_view(" \t\n<>").find(c) != std::string_view::npos) {
      break;
    }
  }
  return std::min(at, text.size());
}

// The index of a redirection operator outside quotes; npos if there is none.
std::size_t FindRedirect(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t sign = EndOfWord(text, at);
    if (sign >= text.size()) break;
    if (text[sign] == '<' || text[sign] == '>') return sign;
    at = sign + 1;
  }
  return std::string_view::npos;
}

// Rewrites "cat > x <<< word" to the equivalent "cat <<< word > x", which the grammar supports.
// Empty if there is no such here-string.
std::string HereStringFirst(std::string_view text) {
  const std::size_t first = FindRedirect(text);
  if (first == std::string_view::npos || text.substr(first).starts_with("<<")) return "";
  std::size_t here = first;
  while (!text.substr(here).starts_with("<<<")) {
    if (text.substr(here).starts_with("<<")) return "";
    const std::size_t behind = text.find_first_not_of("<>&|", here);
    if (behind == std::string_view::npos || text[behind] == '(') return "";
    const std::size_t next = FindRedirect(text.substr(behind));
    if (next == std::string_view::npos) return "";
    here = behind + next;
  }
  const std::size_t word = std::min(text.find_first_not_of(" \t", here + 3), text.size());
  const std::size_t end = EndOfWord(text, word);
  // Unquoted substitutions may contain blanks and redirections of their own.
  if (text.substr(word, end - word).find('(') != text.npos && text[word] != '"') return "";
  // A descriptor number or "&" belongs to the operator: 2>x, &>x.
  std::size_t start = first;
  while (start > 0 &&
         (text[start - 1] == '&' || (text[start - 1] >= '0' && text[start - 1] <= '9')))
    --start;
  return std::string(text.substr(0, start)) + std::string(text.substr(here, end - here)) + " " +
         std::string(text.substr(start, here - start)) + std::string(text.substr(end));
}

class Reader {
 public:
  Reader(Context& context, const Syntax& whole, std::optional<Place> place)
      : context_(context), whole_(whole), place_(place) {}

  // Reads all pieces. Returns the first that could not be parsed, or nullopt.
  std::optional<TextPiece> ReadAll() {
    const std::string_view source = whole_.source();
    std::optional<TextPiece> unread;
    bool is_open = false;
    for (const TextPiece& piece : CutText(source, Cut::kPipelines)) {
      is_open = is_open || piece.is_open;
      if (!ReadPipeline(piece) && !piece.is_open && !unread) unread = piece;
    }
    // The cuts may be wrong where a here-document contains quotes. Reading every line separately
    // makes sure that none is missed.
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
    if (IsBroken(*syntax)) return ReadReordered(piece);
    context_.syntaxes.push_back(*std::move(syntax));
    const Syntax& kept = context_.syntaxes.back();
    LookForBombs(context_, kept, place);
    Walk(context_, kept, place).Run(kept.root(), Stream());
    return true;
  }

  bool ReadReordered(const TextPiece& piece) {
    const std::string text = HereStringFirst(piece.text);
    return !text.empty() && Read({text, piece.start, piece.is_open});
  }

  Context& context_;
  const Syntax& whole_;
  std::optional<Place> place_;
};

// Removes added findings whose rule and line are reported already.
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

}  // namespace belljar::judgement::analysis::shell
