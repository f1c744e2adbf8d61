// Text that can be shown without anything acting on it.
//
// A terminal acts on control characters: escape sequences retitle it, answer for the user or hide
// text. Characters that turn the direction of writing make a reader see other text than is there.
// SafeText takes both out of a stream, whatever pieces it comes in: what it gives does not depend
// on where the stream was cut. Newlines, tabs and carriage returns stay.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace belljar {

enum class TextMode {
  kRaw,      // as it is
  kVisible,  // shown: \x1b, \u202e, and \xff for a byte that is not UTF-8
  kPlain,    // left out, escape sequences as a whole; bytes that are not UTF-8 as U+FFFD
};

std::string_view TextModeName(TextMode mode);
std::optional<TextMode> TextModeNamed(std::string_view name);

class SafeText {
 public:
  explicit SafeText(TextMode mode) : mode_(mode) {}

  // What can be said of it now: a character whose rest is to come is held back.
  std::string Pass(std::string_view bytes);
  // At the end: what was held back.
  std::string Finish();

 private:
  // Where in an escape sequence the stream is (ECMA-48).
  enum class At { kText, kEscape, kEscapeMiddle, kControl, kString, kStringEscape };

  std::string Run(std::string_view bytes, bool last);
  void Add(char32_t point, std::string_view character, std::string& out);
  void AddBad(char byte, std::string& out);
  // Whether the character belongs to the escape sequence; if not, the sequence is over.
  bool Swallows(char32_t point);
  bool SwallowsString(char32_t point);
  bool Begins(char32_t point);

  TextMode mode_;
  std::string held_;
  At at_ = At::kText;
  std::size_t swallowed_ = 0;  // of this sequence
};

// The whole of a text.
std::string MakeSafe(TextMode mode, std::string_view bytes);

// For a terminal and for messages: as kVisible, but carriage returns are shown, too, and bytes that
// are not UTF-8 become U+FFFD.
std::string MakeVisible(std::string_view bytes);

}  // namespace belljar
