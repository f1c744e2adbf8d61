// Reading Python where the grammar needs help: the parser is given another text of the same length,
// and names are taken from the text itself.
#include <algorithm>
#include <string>

#include "judgement/analysis/python/tree.h"

namespace belljar::judgement::analysis::python {
namespace {

constexpr int kMostReadings = 3;

// The parameters behind "def f", "class A" or "type X": no other brackets have defaults.
bool AreTypeParameters(const Syntax& syntax, NodeId id) {
  if (!syntax.Is(id, Py::kTypeParameter)) return false;
  const NodeId parent = syntax.at(id).parent;
  if (!syntax.Is(parent, Py::kGenericType)) {
    return syntax.Is(parent, Py::kFunctionDefinition) || syntax.Is(parent, Py::kClassDefinition);
  }
  const NodeId type = syntax.at(parent).parent;
  return syntax.at(type).field == kLeft && syntax.Is(syntax.at(type).parent, Py::kTypeAlias);
}

// "[T = int]" as "[T , int]", from the bracket at `at` to its end, but not within further ones.
void MaskDefaults(std::string& text, std::size_t at) {
  int depth = 0;
  char quote = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != 0) {
      if (c == '\\') ++at;
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '(' || c == '{') {
      ++depth;
    } else if (c == ']' || c == ')' || c == '}') {
      if (--depth == 0) return;
    } else if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (c == '=' && depth == 1) {
      text[at] = ',';
    }
  }
}

// The grammar knows no defaults of type parameters (Python 3.13).
void MaskAllDefaults(const Syntax& syntax, std::string& text) {
  for (NodeId id = 0; id < syntax.size(); ++id) {
    const bool has_defaults =
        AreTypeParameters(syntax, id) && syntax.Text(id).find('=') != std::string_view::npos;
    if (has_defaults) MaskDefaults(text, syntax.at(id).start);
  }
}

// A line that ends within brackets goes on. The grammar knows this only where the bracket may
// close; elsewhere it takes the next line's indentation for the end of a block: "(a +\nb)".
void JoinLines(const Syntax& syntax, std::string& text) {
  int depth = 0;
  std::uint32_t done = 0;
  for (NodeId id = 0; id < syntax.size(); ++id) {
    const Node& node = syntax.at(id);
    if (node.first != kNoNode || node.end == node.start) continue;
    const std::string_view token = syntax.Text(id);
    if (depth > 0) {
      for (std::uint32_t at = done; at < node.start; ++at) {
        if (text[at] == '\n' || text[at] == '\r') text[at] = ' ';
      }
      const bool is_gap = node.kind == kCommentKind || token.front() == '\\';
      if (is_gap) std::fill(text.begin() + node.start, text.begin() + node.end, ' ');
    }
    done = node.end;
    if (node.named) continue;
    if (token == "(" || token == "[" || token == "{") ++depth;
    if ((token == ")" || token == "]" || token == "}") && depth > 0) --depth;
  }
}

// How much of the text is in no tree.
std::size_t Unread(const Syntax& syntax) {
  std::size_t unread = syntax.errors().size();
  std::uint32_t done = 0;
  for (NodeId id = 0; id < syntax.size(); ++id) {
    const Node& node = syntax.at(id);
    if (node.kind != kErrorKind || node.start < done) continue;
    unread += node.end - node.start;
    done = node.end;
  }
  return unread;
}

}  // namespace

Result<Syntax> ReadPython(std::string_view source) {
  auto syntax = Syntax::Parse(PythonGrammar(), source);
  std::string text(source);
  for (int reading = 1; reading < kMostReadings && syntax && !syntax->errors().empty(); ++reading) {
    std::string further = text;
    MaskAllDefaults(*syntax, further);
    JoinLines(*syntax, further);
    if (further == text) break;
    auto mended = Syntax::Parse(PythonGrammar(), source, further);
    if (!mended || Unread(*mended) >= Unread(*syntax)) break;
    syntax = std::move(mended);
    text = std::move(further);
  }
  return syntax;
}

}  // namespace belljar::judgement::analysis::python
