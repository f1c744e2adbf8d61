/* A text that lies in memory, as the generated lexers see it: TSLexer, and behind it where they
 * are.
 *
 * Included in front of each grammar's generated code (CMakeLists.txt), too. That calls a function
 * for every character, because the text of an editor may lie anywhere; here the macros that it is
 * written with take the step to the next character by themselves where the lexer is ours, which is
 * known by its lack of a log. Tree-sitter's runtime has one, and is called as ever.
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
} LrSource;

#ifndef __cplusplus

static inline void LrStep(TSLexer* lexer, bool skip) {
  LrSource* source = (LrSource*)lexer;
  const uint32_t next = source->at + source->width;
  const uint8_t byte = next < source->size ? (uint8_t)source->text[next] : 0xFF;
  if (byte >= 0x80) {
    lexer->advance(lexer, skip);
    return;
  }
  source->at = next;
  source->width = 1;
  if (skip) source->start = next;
  lexer->lookahead = byte;
}

/* On to the last of several equal characters, for a state that they do not change. */
static inline void LrSkipEqual(TSLexer* lexer) {
  LrSource* source = (LrSource*)lexer;
  if (source->width != 1) return;
  const char same = source->at < source->size ? source->text[source->at] : 0;
  while (source->at + 1 < source->size && source->text[source->at + 1] == same) ++source->at;
}

/* Of letters, digits and the like, the first few ranges decide. */
static inline bool LrContains(const TSCharacterRange* ranges, uint32_t length, int32_t character) {
  if (character >= 0x80) return set_contains(ranges, length, character);
  for (uint32_t i = 0; i < length && ranges[i].start <= character; ++i) {
    if (character <= ranges[i].end) return true;
  }
  return false;
}
#define set_contains(ranges, length, character) LrContains(ranges, length, character)

#undef START_LEXER
#define START_LEXER()                \
  bool result = false;               \
  bool skip = false;                 \
  const bool ours = lexer->log == 0; \
  UNUSED bool eof = false;           \
  int32_t lookahead;                 \
  goto start;                        \
  next_state:                        \
  if (ours) {                        \
    LrStep(lexer, skip);             \
  } else {                           \
    lexer->advance(lexer, skip);     \
  }                                  \
  start:                             \
  skip = false;                      \
  lookahead = lexer->lookahead;

#undef SKIP
#define SKIP(state_value)                                 \
  {                                                       \
    if (ours && state == state_value) LrSkipEqual(lexer); \
    skip = true;                                          \
    state = state_value;                                  \
    goto next_state;                                      \
  }

#undef ACCEPT_TOKEN
#define ACCEPT_TOKEN(symbol_value)                    \
  result = true;                                      \
  lexer->result_symbol = symbol_value;                \
  if (ours) {                                         \
    ((LrSource*)lexer)->end = ((LrSource*)lexer)->at; \
  } else {                                            \
    lexer->mark_end(lexer);                           \
  }

#endif
#endif
