// LrAutomaton: a generated lexer, learnt as a table.
//
// Tree-sitter generates lexers as C code: a function that looks at a character, jumps, and asks for
// the next one. As a table of states and characters the same automaton takes a handful of
// instructions for a character instead of fifty. The table is learnt from the function itself, an
// entry when it is first needed: the function is called with a text that has nothing but that
// character, and tells where it would go (LrProbe in lr_source.h). Characters beyond ASCII are
// asked for each time.
//
// What a state accepts must not depend on the character behind it; as tree-sitter writes lexers, it
// never does, and a test looks at every state of our grammars.
//
// For one thread.
#pragma once

#include <tree_sitter/api.h>
// Behind api.h, whose types it needs. Its macros are for generated code.
#include "analysis/lr_source.h"
#undef UNUSED
#undef START_LEXER
#undef ADVANCE
#undef ADVANCE_MAP
#undef SKIP
#undef ACCEPT_TOKEN
#undef END_STATE
#undef SMALL_STATE
#undef STATE
#undef ACTIONS
#undef SHIFT
#undef SHIFT_REPEAT
#undef SHIFT_EXTRA
#undef REDUCE
#undef RECOVER
#undef ACCEPT_INPUT

#include <cstdint>
#include <vector>

namespace belljar::analysis {

// The character of several bytes at `source.at`. What is none is marked, and taken for a single
// byte.
void LookFar(LrSource& source);

class LrAutomaton {
 public:
  using Function = bool (*)(TSLexer*, TSStateId);

  explicit LrAutomaton(Function function) : function_(function) {}

  // The longest token from `source.at` on, which then lies from `start` to `end`; false: none.
  bool Run(LrSource& source, TSStateId state);

  // What the function does in a state with a character, or with the end of the text.
  struct Move {
    TSStateId next = kNowhere;
    bool skips = false;
    TSSymbol accepted = kNothing;
  };
  static constexpr std::int32_t kEndOfText = -1;
  Move Ask(TSStateId state, std::int32_t character) const;

  static constexpr TSStateId kNowhere = 0xFFFF;
  static constexpr TSSymbol kNothing = 0xFFFF;

 private:
  // A step: the state it leads to, whether that accepts something, and whether the character is
  // none of the token's.
  static constexpr std::uint16_t kSkips = 0x8000;
  static constexpr std::uint16_t kAccepts = 0x4000;
  static constexpr std::uint16_t kStates = 0x3FFF;
  static constexpr std::uint16_t kStop = 0xFFFF;
  static constexpr std::uint16_t kUnknown = 0xFFFE;
  static constexpr TSSymbol kUnknownSymbol = 0xFFFE;
  static constexpr unsigned kPlain = 128;  // characters below that are in the table

  void Know(TSStateId state);
  std::uint16_t Learn(TSStateId state, std::int32_t character);
  std::uint16_t Beyond(LrSource& source, TSStateId state);

  Function function_;
  std::vector<std::uint16_t> steps_;  // by state and character
  std::vector<TSSymbol> accepted_;
};

}  // namespace belljar::analysis
