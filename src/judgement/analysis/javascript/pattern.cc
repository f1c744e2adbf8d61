#include <algorithm>

#include "judgement/analysis/javascript/text.h"

namespace belljar::judgement::analysis::javascript {
namespace {

constexpr std::size_t kNoMatch = ~std::size_t{0};
constexpr std::size_t kMaxMatches = 4096;
constexpr std::size_t kMaxLooks = 32;

bool IsOneOf(char32_t code, std::u32string_view set) {
  return set.find(code) != std::u32string_view::npos;
}

}  // namespace

std::optional<Pattern> Pattern::Parse(std::string_view body, std::string_view flags) {
  Pattern pattern;
  pattern.global_ = flags.find('g') != std::string_view::npos;
  pattern.any_case_ = flags.find('i') != std::string_view::npos;
  std::u32string codes = CodesOf(body);
  if (codes.starts_with(U'^')) {
    pattern.at_start_ = true;
    codes.erase(0, 1);
  }
  if (codes.ends_with(U'$') && !codes.ends_with(U"\\$")) {
    pattern.at_end_ = true;
    codes.pop_back();
  }
  for (std::size_t at = 0; at < codes.size();) {
    Atom atom;
    if (!ParseAtom(codes, at, atom)) return std::nullopt;
    ParseRepeat(codes, at, atom);
    pattern.atoms_.push_back(std::move(atom));
  }
  if (pattern.atoms_.empty()) return std::nullopt;
  return pattern;
}

bool Pattern::ParseAtom(std::u32string_view body, std::size_t& at, Atom& atom) {
  const char32_t code = body[at++];
  if (IsOneOf(code, U"(){}|*+?^$")) return false;
  if (code == U'[') return ParseClass(body, at, atom);
  if (code == U'.') {
    atom.inverted = true;
    atom.ranges.push_back({U'\n', U'\n'});
    return true;
  }
  if (code == U'\\') return at < body.size() && ParseEscape(body[at++], atom);
  atom.ranges.push_back({code, code});
  return true;
}

bool Pattern::ParseEscape(char32_t letter, Atom& atom) {
  switch (letter) {
    case U'd':
      atom.ranges.push_back({U'0', U'9'});
      return true;
    case U's':
      atom.ranges.push_back({U'\t', U'\r'});
      atom.ranges.push_back({U' ', U' '});
      return true;
    case U'w':
      atom.ranges.push_back({U'0', U'9'});
      atom.ranges.push_back({U'A', U'Z'});
      atom.ranges.push_back({U'a', U'z'});
      atom.ranges.push_back({U'_', U'_'});
      return true;
    case U'D':
    case U'S':
    case U'W':
      if (!atom.ranges.empty()) return false;
      ParseEscape(letter + (U'a' - U'A'), atom);
      atom.inverted = true;
      return true;
    default:
      if ((letter >= U'a' && letter <= U'z') || (letter >= U'0' && letter <= U'9')) return false;
      atom.ranges.push_back({letter, letter});
      return true;
  }
}

bool Pattern::ParseClass(std::u32string_view body, std::size_t& at, Atom& atom) {
  if (at < body.size() && body[at] == U'^') {
    atom.inverted = true;
    ++at;
  }
  while (at < body.size() && body[at] != U']') {
    const char32_t low = body[at++];
    if (low == U'\\') {
      const bool inverted = atom.inverted;
      if (at == body.size() || !ParseEscape(body[at++], atom)) return false;
      atom.inverted = inverted;
      continue;
    }
    char32_t high = low;
    if (at + 1 < body.size() && body[at] == U'-' && body[at + 1] != U']') {
      high = body[at + 1];
      at += 2;
    }
    atom.ranges.push_back({low, high});
  }
  return at++ < body.size();
}

void Pattern::ParseRepeat(std::u32string_view body, std::size_t& at, Atom& atom) {
  if (at == body.size()) return;
  const char32_t code = body[at];
  if (code == U'{' && at + 2 < body.size() && body[at + 2] == U'}') {
    atom.least = atom.most = static_cast<std::size_t>(body[at + 1] - U'0');
    at += 3;
    return;
  }
  if (!IsOneOf(code, U"*+?")) return;
  atom.least = code == U'+' ? 1 : 0;
  atom.most = code == U'?' ? 1 : kNoMatch;
  ++at;
}

bool Pattern::Fits(const Atom& atom, char32_t code) const {
  const auto is_in = [&](char32_t one) {
    return std::any_of(atom.ranges.begin(), atom.ranges.end(),
                       [&](const Range& range) { return range.low <= one && one <= range.high; });
  };
  bool fits = is_in(code);
  if (any_case_ && !fits) {
    const bool is_letter = (code | 0x20U) >= U'a' && (code | 0x20U) <= U'z';
    fits = is_letter && is_in(code ^ 0x20U);
  }
  return fits != atom.inverted;
}

std::size_t Pattern::MatchAt(std::u32string_view text, std::size_t at, std::size_t& steps) const {
  for (const Atom& atom : atoms_) {
    std::size_t count = 0;
    while (count < atom.most && at < text.size() && Fits(atom, text[at])) {
      ++steps;
      ++count;
      ++at;
    }
    if (count < atom.least) return kNoMatch;
  }
  return at_end_ && at != text.size() ? kNoMatch : at;
}

std::vector<Pattern::Match> Pattern::Find(std::u32string_view text) const {
  std::vector<Match> matches;
  const std::size_t most = kMaxLooks * text.size();
  std::size_t steps = 0;
  for (std::size_t at = 0; at < text.size() && matches.size() < kMaxMatches && steps <= most;) {
    const std::size_t end = MatchAt(text, at, steps);
    if (end != kNoMatch && end > at) {
      matches.push_back({at, end});
      if (!global_) break;
      at = end;
    } else {
      ++at;
    }
    if (at_start_) break;
  }
  return matches;
}

}  // namespace belljar::judgement::analysis::javascript
