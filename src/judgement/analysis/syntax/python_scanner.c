// The scanner of tree-sitter's Python grammar, with room left in its buffer.
//
// It writes its state down as single bytes, followed by two bytes for each open indentation as long
// as one byte of the buffer is left. Where the number of bytes before is odd, the last indentation
// therefore ends one byte behind the parser's buffer. The scanner is told a buffer that is one byte
// smaller than it is, so that whatever it writes fits.
#include "tree_sitter/parser.h"

#undef TREE_SITTER_SERIALIZATION_BUFFER_SIZE
#define TREE_SITTER_SERIALIZATION_BUFFER_SIZE 1023

#include "scanner.c"
