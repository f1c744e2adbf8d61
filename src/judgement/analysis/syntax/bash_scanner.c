// tree-sitter-bash's external scanner, compiled with a smaller serialization buffer.
//
// For each here-document the scanner checks that three bytes and the delimiter fit, but writes
// seven bytes and the delimiter. With many here-documents or long delimiters it writes four bytes
// past the end of the parser's buffer. The scanner is therefore told a smaller size than the buffer
// really has, so that the overrun stays inside it.
#include "tree_sitter/parser.h"

#undef TREE_SITTER_SERIALIZATION_BUFFER_SIZE
#define TREE_SITTER_SERIALIZATION_BUFFER_SIZE 1000

#include "scanner.c"
