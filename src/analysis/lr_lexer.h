// LrLexer: tokens of a text, found by a grammar's own generated lexers and its scanner.
//
// They ask for one character after the other through TSLexer; here the text lies in memory as a
// whole, and a step to the next character is an addition. What a scanner knows (open strings,
// indentation) is written down after each of its tokens and given back to it before it goes on,
// because the driver may have several ways to read a text, each with a scanner's state of its own.
//
// Texts that do not begin or go on as plain UTF-8 are not read (`odd`).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/lr_tables.h"

namespace belljar::analysis {

// What scanners have written down, by number; 0 is nothing.
using ScannerState = std::uint32_t;

struct Token {
  std::uint32_t start = 0;
  std::uint32_t end = 0;
  TSSymbol symbol = 0;
  TSStateId state = 0;    // of the parser, in which it was read
  bool keyword = false;   // it looks like one, whether or not it is taken for one
  bool external = false;  // the scanner's
  ScannerState scanner = 0;  // what it knew afterwards, if so
};

class LrLexer {
 public:
  LrLexer();
  LrLexer(const LrLexer&) = delete;
  LrLexer& operator=(const LrLexer&) = delete;

  void Begin(const LrTables& tables, ScannerKeeps keeps, std::string_view text);
  // To be called after Begin, whatever came of it.
  void End();

  // The token at `position`; false: there is none, or none that could be read.
  bool Next(LookupMemory& memory, TSStateId state, std::uint32_t position, ScannerState before,
            Token& token);
  bool Same(ScannerState a, ScannerState b) const {
    return a == b || Written(a) == Written(b);
  }

 private:
  // What the generated code sees, first, so that a pointer to it is a pointer to the whole.
  struct Source {
    TSLexer seen;
    const char* text;
    std::uint32_t size;
    std::uint32_t at;
    std::uint32_t width;  // of the character at hand
    std::uint32_t start;  // of the token
    std::uint32_t end;    // of the token, or kOpen
    bool odd;
  };
  static constexpr std::uint32_t kOpen = ~0U;

  static Source* Of(TSLexer* lexer) { return reinterpret_cast<Source*>(lexer); }
  static void Advance(TSLexer* lexer, bool skip);
  static void MarkEnd(TSLexer* lexer) { Of(lexer)->end = Of(lexer)->at; }
  static std::uint32_t Column(TSLexer* lexer);
  static bool AtStart(const TSLexer* lexer);
  static bool AtEnd(const TSLexer* lexer);
  static void Look(Source& source);
  static void LookFar(Source& source);

  void Start(std::uint32_t position);
  void Finish();
  bool Find(LookupMemory& memory, TSLexMode mode, std::uint32_t position, ScannerState before,
            Token& token);
  bool Scan(LookupMemory& memory, std::uint16_t wanted, std::uint32_t position,
            ScannerState before, Token& token);
  void Take(ScannerState before);
  ScannerState Written(std::size_t length, ScannerState before);
  std::string_view Written(ScannerState state) const {
    return state == 0 ? std::string_view()
                      : std::string_view(written_).substr(places_[state].at, places_[state].length);
  }
  void AsKeyword(LookupMemory& memory, TSStateId state, Token& token);

  Source source_{};
  const LrTables* tables_ = nullptr;
  ScannerKeeps keeps_ = ScannerKeeps::kNothing;
  void* scanner_ = nullptr;
  ScannerState holds_ = kUnknown;  // what the scanner knows, where that is certain
  static constexpr ScannerState kUnknown = ~0U;
  struct Range {
    std::uint32_t at;
    std::uint32_t length;
  };
  std::string written_;
  std::vector<Range> places_;
  char buffer_[TREE_SITTER_SERIALIZATION_BUFFER_SIZE];
};

}  // namespace belljar::analysis
