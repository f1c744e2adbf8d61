// Constant texts of JavaScript: escapes, the encodings that programs hide names in, and the few
// regular expressions that are simple enough to follow.
//
// A text that is known only in part has kHole where the unknown is. JavaScript counts in UTF-16
// units; here texts are UTF-8, and what counts works on code points, which differs only beyond the
// basic plane.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belljar::judgement::analysis::javascript {

constexpr char kHole = '\x01';
inline bool IsWhole(std::string_view text) { return text.find(kHole) == std::string_view::npos; }

// The inside of a literal, or an identifier, with its escapes read.
std::string Unescape(std::string_view text);

std::u32string CodesOf(std::string_view text);
std::string TextOf(std::u32string_view codes);
void AppendCode(std::string& text, std::uint32_t code);

// Lenient, as JavaScript is: what is not of the alphabet is skipped, padding may be missing.
std::string DecodeBase64(std::string_view text);
std::string DecodeHex(std::string_view text);
// "%41", and "%u0041" of the old unescape.
std::string DecodePercent(std::string_view text);
// Bytes as atob gives them: one code point each.
std::string FromLatin1(std::string_view bytes);

// Of a number literal, with its prefix, separators and suffix.
std::optional<double> ParseNumber(std::string_view text);

// A regular expression of single characters and classes, each with a repeat. Others: nullopt.
class Pattern {
 public:
  static std::optional<Pattern> Parse(std::string_view body, std::string_view flags);

  struct Match {
    std::size_t begin;
    std::size_t end;
  };
  // All matches; only the first unless the pattern has the flag g. Looks at each place of the text
  // a few times at most, and gives up on the rest.
  std::vector<Match> Find(std::u32string_view text) const;

 private:
  struct Range {
    char32_t low;
    char32_t high;
  };
  struct Atom {
    std::vector<Range> ranges;
    bool inverted = false;
    std::size_t least = 1;
    std::size_t most = 1;
  };
  static bool ParseAtom(std::u32string_view body, std::size_t& at, Atom& atom);
  static bool ParseClass(std::u32string_view body, std::size_t& at, Atom& atom);
  static bool ParseEscape(char32_t letter, Atom& atom);
  static void ParseRepeat(std::u32string_view body, std::size_t& at, Atom& atom);
  bool Fits(const Atom& atom, char32_t code) const;
  // The end of the match at `at`; npos: there is none. Greedy, and gives nothing back.
  std::size_t MatchAt(std::u32string_view text, std::size_t at, std::size_t& steps) const;

  std::vector<Atom> atoms_;
  bool global_ = false;
  bool any_case_ = false;
  bool at_start_ = false;
  bool at_end_ = false;
};

}  // namespace belljar::judgement::analysis::javascript
