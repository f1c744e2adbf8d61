// BJ_EMBED(symbol, path): embeds the bytes of a file in the binary (the assembler's .incbin). They
// lie between the symbols symbol_begin and symbol_end.
#pragma once

#include <string_view>

#define BJ_EMBED(symbol, path)              \
  __asm__(                                  \
      ".pushsection .rodata\n"              \
      ".balign 64\n"                        \
      ".global " #symbol "_begin\n" #symbol \
      "_begin:\n"                           \
      ".incbin \"" path                     \
      "\"\n"                                \
      ".global " #symbol "_end\n" #symbol   \
      "_end:\n"                             \
      ".byte 0\n"                           \
      ".popsection\n");                     \
  extern "C" const char symbol##_begin[];   \
  extern "C" const char symbol##_end[]

namespace belljar {

inline std::string_view Between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace belljar
