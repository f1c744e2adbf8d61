// The scanner of tree-sitter's bash grammar, with room left in its buffer.
//
// For each here-document it checks for three bytes and a delimiter, and writes seven and the
// delimiter: many of them, or long delimiters, write four bytes past the end of the parser's buffer. It is
// given a smaller buffer than there is instead, so that whatever it writes fits.
#include "tree_sitter/parser.h"

#undef TREE_SITTER_SERIALIZATION_BUFFER_SIZE
#define TREE_SITTER_SERIALIZATION_BUFFER_SIZE 1000

#include "scanner.c"
