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
  TSStateId state = 0;       // of the parser, in which it was read
  bool keyword = false;      // it looks like one, whether or not it is taken for one
  bool external = false;     // the scanner's
  ScannerState scanner = 0;  // what it knew afterwards, if so
};

class LrLexer {
 public:
  // The lexer's state where a parser goes on without a token.
  static constexpr auto kNoLexing = static_cast<std::uint16_t>(-1);

  LrLexer();
  LrLexer(const LrLexer&) = delete;
  LrLexer& operator=(const LrLexer&) = delete;

  void Begin(const LrTables& tables, const ScannerTraits& scanner, std::string_view text);
  // To be called after Begin, whatever came of it.
  void End();

  // How many bytes have been looked at, however often.
  std::size_t read() const { return read_; }
  // The token at `position`; false: there is none, or none that could be read.
  bool Next(LookupMemory& memory, TSStateId state, std::uint32_t position, ScannerState before,
            Token& token) {
    Look look{tables_->ModeOf(state), false, position, before};
    token = {};
    token.state = state;
    if (look.mode.lex_state == kNoLexing) return false;
    if (!Find(memory, look, token)) {
      // What is no token in this state may be one elsewhere, and then serve another version.
      look.mode = tables_->ModeOf(kAnyState);
      look.anywhere = true;
      if (!Find(memory, look, token)) return false;
    }
    token.start = source_.start;
    token.end = source_.end;
    if (!token.external && token.symbol != 0 &&
        token.symbol == tables_->language().keyword_capture_token) {
      AsKeyword(memory, state, token);
    }
    return !source_.odd;
  }
  bool Same(ScannerState a, ScannerState b) const { return a == b || Written(a) == Written(b); }

 private:
  using Source = LrSource;
  static constexpr std::uint32_t kOpen = ~0U;
  // In which the parser would look for its way behind an error: every token is one.
  static constexpr TSStateId kAnyState = 0;

  static Source* Of(TSLexer* lexer) { return reinterpret_cast<Source*>(lexer); }
  static void Advance(TSLexer* lexer, bool skip);
  static void PassAlike(Source& source);
  static void PassComment(Source& source);
  static void MarkEnd(TSLexer* lexer) { Of(lexer)->end = Of(lexer)->at; }
  static std::uint32_t Column(TSLexer* lexer);
  static bool AtStart(const TSLexer* lexer);
  static bool AtEnd(const TSLexer* lexer);
  static void LookAt(Source& source) {
    source.width = 1;
    if (source.at >= source.size) {
      source.seen.lookahead = 0;
      return;
    }
    const auto byte = static_cast<unsigned char>(source.text[source.at]);
    source.seen.lookahead = byte;
    if (byte >= 0x80) LookFar(source);
  }

  void Start(std::uint32_t position) {
    read_ += source_.at - began_;
    began_ = position;
    source_.at = position;
    source_.start = position;
    source_.end = kOpen;
    source_.seen.result_symbol = 0;
    LookAt(source_);
  }
  // A token may be marked to end before what was skipped in front of it: it is empty, and there.
  void Finish() {
    if (source_.end == kOpen) source_.end = source_.at;
    if (source_.end < source_.start) source_.start = source_.end;
  }

  // Where a token is looked for.
  struct Look {
    TSLexMode mode;
    bool anywhere;  // of those that are tokens in any state
    std::uint32_t position;
    ScannerState before;
  };
  bool Find(LookupMemory& memory, const Look& look, Token& token) {
    if (look.mode.external_lex_state != 0 && !Passes(look) && Scan(memory, look, token)) {
      token.external = true;
      return true;
    }
    Start(look.position);
    if (!memory.words.Run(source_, look.mode.lex_state)) return false;
    Finish();
    token.symbol = source_.seen.result_symbol;
    return true;
  }
  // Whether the scanner need not be asked.
  bool Passes(const Look& look) const {
    return traits_.finds_nothing != nullptr &&
           traits_.finds_nothing(tables_->ExternalTokens(look.mode.external_lex_state),
                                 {source_.text + look.position, source_.size - look.position});
  }
  bool Scan(LookupMemory& memory, const Look& look, Token& token);
  void Take(ScannerState before);
  ScannerState Written(std::size_t length, ScannerState before);
  std::string_view Written(ScannerState state) const {
    return state == 0 ? std::string_view()
                      : std::string_view(written_).substr(places_[state].at, places_[state].length);
  }
  void AsKeyword(LookupMemory& memory, TSStateId state, Token& token);

  Source source_{};
  std::uint32_t began_ = 0;
  std::size_t read_ = 0;
  const LrTables* tables_ = nullptr;
  ScannerTraits traits_;
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
