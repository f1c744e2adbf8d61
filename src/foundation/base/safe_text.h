// SafeText: neutralises terminal escape sequences and misleading characters in a stream of text.
//
// A terminal acts on control characters: escape sequences retitle it, answer for the user or hide
// text. Bidirectional control characters make a reader see other text than is there. SafeText
// removes or escapes both. Its output does not depend on how the stream was split into pieces.
// Newlines, tabs and carriage returns stay.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace belljar {

enum class TextMode {
  kRaw,      // unchanged
  kVisible,  // escaped: \x1b, \u202e, and \xff for a byte that is not UTF-8
  kPlain,    // removed, escape sequences as a whole; bytes that are not UTF-8 become U+FFFD
};

std::string_view TextModeName(TextMode mode);
std::optional<TextMode> TextModeNamed(std::string_view name);

class SafeText {
 public:
  explicit SafeText(TextMode mode) : mode_(mode) {}

  // Processes the next bytes. An incomplete character at the end is held back until the next call.
  std::string Pass(std::string_view bytes);
  // Ends the stream and returns what was held back.
  std::string Finish();

 private:
  // The state of the ECMA-48 escape sequence parser.
  enum class At { kText, kEscape, kEscapeMiddle, kControl, kString, kStringEscape };

  std::string Run(std::string_view bytes, bool last);
  void Add(char32_t point, std::string_view character, std::string& out);
  void AddBad(char byte, std::string& out);
  // Whether the character still belongs to the current escape sequence; if not, the sequence is
  // over.
  bool Swallows(char32_t point);
  bool SwallowsString(char32_t point);
  bool Begins(char32_t point);

  TextMode mode_;
  std::string held_;
  At at_ = At::kText;
  std::size_t swallowed_ = 0;  // characters removed so far as part of this sequence
};

// Processes a whole text at once.
std::string MakeSafe(TextMode mode, std::string_view bytes);

// For terminals and error messages: like kVisible, but carriage returns are escaped too, and bytes
// that are not UTF-8 become U+FFFD.
std::string MakeVisible(std::string_view bytes);

}  // namespace belljar
