#include "judgement/analysis/python/python.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "judgement/analysis/analyse.h"
#include "judgement/analysis/python/check.h"
#include "judgement/analysis/report.h"

namespace belljar::judgement::analysis {

Analysis AnalysePython(std::string_view source) { return python::AnalyseText(source, 0); }

namespace python {
namespace {

// Tests eight bytes at a time.
bool IsAscii(std::string_view text) {
  std::uint64_t seen = 0;
  for (; text.size() >= sizeof seen; text.remove_prefix(sizeof seen)) {
    std::uint64_t some = 0;
    std::memcpy(&some, text.data(), sizeof some);
    seen |= some;
  }
  for (const char c : text) seen |= static_cast<unsigned char>(c);
  return (seen & 0x8080808080808080U) == 0;
}

// The source text with its identifiers in Unicode NFKC form, so that later code can compare names
// bytewise; nullopt if all identifiers are in that form already.
std::optional<std::string> WithPlainNames(const Syntax& syntax) {
  if (IsAscii(syntax.source())) return std::nullopt;
  std::string plain;
  std::size_t done = 0;
  for (NodeId node = 0; node < syntax.size(); ++node) {
    if (!syntax.Is(node, Py::kIdentifier)) continue;
    const std::string name = Normalised(syntax.Text(node));
    if (name == syntax.Text(node)) continue;
    plain.append(syntax.source().substr(done, syntax.at(node).start - done)).append(name);
    done = syntax.at(node).end;
  }
  if (done == 0) return std::nullopt;
  return plain.append(syntax.source().substr(done));
}

}  // namespace

Analysis AnalyseText(std::string_view source, int level) {
  Report report(level);
  auto syntax = ReadPython(source);
  const std::optional<std::string> plain = syntax ? WithPlainNames(*syntax) : std::nullopt;
  if (plain) syntax = ReadPython(*plain);
  if (!syntax) {
    report.Add("py-unclear", {}, syntax.error().message());
    return report.Take();
  }
  for (const SyntaxError& error : syntax->errors()) {
    report.Add("py-syntax", error.place, error.missing ? "something is missing here" : error.text);
  }
  Scopes scopes(*syntax);
  Evaluator evaluator(*syntax, scopes);
  Checks checks(*syntax, scopes, evaluator, report);
  for (NodeId node = 0; node < syntax->size(); ++node) {
    if (syntax->at(node).named && syntax->at(node).kind >= kFirstOwnKind) checks.Check(node);
  }
  if (!syntax->errors().empty()) checks.Unread();
  if (evaluator.exhausted()) report.Add("py-unclear", {}, "it is too intricate to follow");
  return report.Take();
}

}  // namespace python
}  // namespace belljar::judgement::analysis
