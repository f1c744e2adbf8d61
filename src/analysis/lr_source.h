/* A text that lies in memory, as a grammar's scanner sees it: TSLexer, and behind it where it is.
 * And a question to a generated lexer.
 *
 * Included in front of each grammar's generated code (CMakeLists.txt), too. Generated lexers are
 * functions that go from character to character; we want the table behind them (lr_automaton.h).
 * So where one is handed an LrProbe, known by its lack of a log, it tells at its first step where
 * that leads, and returns. Tree-sitter's runtime has a log, and is served as ever.
 */
#ifndef BELLJAR_ANALYSIS_LR_SOURCE_H_
#define BELLJAR_ANALYSIS_LR_SOURCE_H_

#include <tree_sitter/parser.h>

typedef struct LrSource {
  TSLexer seen;
  const char* text;
  uint32_t size;
  uint32_t at;
  uint32_t width; /* of the character at hand */
  uint32_t start; /* of the token */
  uint32_t end;   /* of the token, or ~0: not known yet */
  bool odd;       /* it is no plain UTF-8 */
  /* Where steps may be long (ScannerTraits in lr_tables.h). */
  const bool* alike; /* or null */
  char comment;
} LrSource;

typedef struct LrProbe {
  TSLexer seen;
  bool at_end; /* of the text */
  /* The answer. */
  bool moved;
  bool skips;
  TSStateId next;
} LrProbe;

#ifndef __cplusplus

static inline void LrTell(TSLexer* lexer, TSStateId next, bool skips) {
  LrProbe* probe = (LrProbe*)lexer;
  probe->moved = true;
  probe->skips = skips;
  probe->next = next;
}

#undef START_LEXER
#define START_LEXER()           \
  bool result = false;          \
  bool skip = false;            \
  UNUSED bool eof = false;      \
  int32_t lookahead;            \
  goto start;                   \
  next_state:                   \
  if (lexer->log == 0) {        \
    LrTell(lexer, state, skip); \
    return result;              \
  }                             \
  lexer->advance(lexer, skip);  \
  start:                        \
  skip = false;                 \
  lookahead = lexer->lookahead;

#endif
#endif
