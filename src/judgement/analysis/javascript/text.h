// String constants of JavaScript: escape sequences, the encodings in which programs hide names, and
// a subset of regular expressions.
//
// In a string that is known only in part, kHole stands for each unknown part. JavaScript counts
// UTF-16 code units; here strings are UTF-8 and positions count code points, which differs only for
// characters outside the basic multilingual plane.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belljar::judgement::analysis::javascript {

constexpr char kHole = '\x01';
inline bool IsWhole(std::string_view text) { return text.find(kHole) == std::string_view::npos; }

// The content of a literal, or an identifier, with its escape sequences decoded.
std::string Unescape(std::string_view text);

std::u32string CodesOf(std::string_view text);
std::string TextOf(std::u32string_view codes);
void AppendCode(std::string& text, std::uint32_t code);

// Lenient like JavaScript's decoders: characters outside the alphabet are skipped, and padding may
// be missing.
std::string DecodeBase64(std::string_view text);
std::string DecodeHex(std::string_view text);
// Decodes "%41", and also "%u0041" as the legacy function unescape does.
std::string DecodePercent(std::string_view text);
// Converts bytes to a string like atob: each byte becomes one code point.
std::string FromLatin1(std::string_view bytes);

// Parses a number literal with its radix prefix, separators and BigInt suffix.
std::optional<double> ParseNumber(std::string_view text);

// A regular expression that is a sequence of characters and classes, each with a quantifier. Parse
// returns nullopt for all others.
class Pattern {
 public:
  static std::optional<Pattern> Parse(std::string_view body, std::string_view flags);

  struct Match {
    std::size_t begin;
    std::size_t end;
  };
  // All matches, or only the first if the pattern lacks the flag g. The number of steps is bounded
  // linearly; text beyond the bound is not searched.
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
  // The end of the match that starts at `at`; npos if there is none. Greedy, without backtracking.
  std::size_t MatchAt(std::u32string_view text, std::size_t at, std::size_t& steps) const;

  std::vector<Atom> atoms_;
  bool global_ = false;
  bool any_case_ = false;
  bool at_start_ = false;
  bool at_end_ = false;
};

}  // namespace belljar::judgement::analysis::javascript
