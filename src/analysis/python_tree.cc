#include "analysis/python_tree.h"

#include <array>

extern "C" const TSLanguage* tree_sitter_python();

namespace belljar::analysis::python {
namespace {

// In the order of Py.
constexpr std::array<std::string_view, 85> kKinds = {
    "module",
    "identifier",
    "attribute",
    "subscript",
    "slice",
    "call",
    "argument_list",
    "keyword_argument",
    "list_splat",
    "dictionary_splat",
    "string",
    "string_start",
    "string_content",
    "escape_sequence",
    "interpolation",
    "concatenated_string",
    "integer",
    "float",
    "true",
    "false",
    "none",
    "list",
    "tuple",
    "set",
    "dictionary",
    "pair",
    "list_comprehension",
    "set_comprehension",
    "dictionary_comprehension",
    "generator_expression",
    "for_in_clause",
    "if_clause",
    "lambda",
    "lambda_parameters",
    "function_definition",
    "class_definition",
    "decorator",
    "parameters",
    "default_parameter",
    "typed_parameter",
    "typed_default_parameter",
    "list_splat_pattern",
    "dictionary_splat_pattern",
    "return_statement",
    "yield",
    "assignment",
    "augmented_assignment",
    "named_expression",
    "pattern_list",
    "tuple_pattern",
    "list_pattern",
    "expression_list",
    "import_statement",
    "import_from_statement",
    "future_import_statement",
    "dotted_name",
    "aliased_import",
    "relative_import",
    "wildcard_import",
    "for_statement",
    "while_statement",
    "if_statement",
    "conditional_expression",
    "boolean_operator",
    "binary_operator",
    "unary_operator",
    "parenthesized_expression",
    "await",
    "as_pattern",
    "as_pattern_target",
    "try_statement",
    "except_clause",
    "except_group_clause",
    "match_statement",
    "case_clause",
    "assert_statement",
    "raise_statement",
    "break_statement",
    "delete_statement",
    "global_statement",
    "nonlocal_statement",
    "expression_statement",
    "block",
    "type",
    "comparison_operator",
};

// In the order of Field.
constexpr std::array<std::string_view, 20> kFields = {
    "alias",      "alternative", "arguments", "attribute",    "body",  "condition", "consequence",
    "function",   "key",         "left",      "module_name",  "name",  "object",    "operator",
    "parameters", "right",       "subscript", "superclasses", "value", "argument"};

// Tokens of tree-sitter-python's scanner, by number.
constexpr unsigned kIndent = 1;
constexpr unsigned kStringContent = 4;
constexpr unsigned kEscapeInterpolation = 5;

enum CharacterClass : std::uint8_t { kMayMatter, kBlank, kOfPrefix, kMattersNot };

constexpr std::array<CharacterClass, 256> kClasses = [] {
  std::array<CharacterClass, 256> classes{};
  for (unsigned c = '!'; c < 0x7F; ++c) classes[c] = kMattersNot;
  for (const char c : {'"', '\'', '`', '#', '\\'})
    classes[static_cast<unsigned char>(c)] = kMayMatter;
  for (const char c : {'f', 'F', 'r', 'R', 'b', 'B', 'u', 'U'}) {
    classes[static_cast<unsigned char>(c)] = kOfPrefix;
  }
  classes[' '] = classes['\t'] = kBlank;
  return classes;
}();

// What a string has more of than of anything else.
constexpr std::array<bool, 256> kAlike = [] {
  std::array<bool, 256> alike{};
  for (unsigned c = ' '; c < 0x7F; ++c) alike[c] = true;
  for (const char c : {'"', '\'', '`', '\\', '{', '}'})
    alike[static_cast<unsigned char>(c)] = false;
  return alike;
}();

// The second byte that the scanner writes down is the number of open strings. Where it is asked for
// an indentation, too, it looks for a way behind an error.
bool ScannerIsInString(const bool* wanted, std::string_view known) {
  return wanted[kStringContent] && !wanted[kIndent] && known.size() > 1 && known[1] != 0;
}

// The scanner is there for strings, the ends of lines and what stands between those; elsewhere it
// looks at as much as this does.
bool ScannerFindsNothing(const bool* wanted, std::string_view rest) {
  if (wanted[kStringContent] || wanted[kEscapeInterpolation]) return false;
  const auto class_at = [rest](std::size_t at) {
    return at < rest.size() ? kClasses[static_cast<unsigned char>(rest[at])] : kMayMatter;
  };
  std::size_t at = 0;
  while (class_at(at) == kBlank) ++at;
  while (class_at(at) == kOfPrefix) ++at;
  return class_at(at) != kMayMatter;
}

}  // namespace

const Grammar& PythonGrammar() {
  static const Grammar grammar(tree_sitter_python(), kKinds, kFields,
                               {.keeps = ScannerKeeps::kState,
                                .finds_nothing = &ScannerFindsNothing,
                                .in_string = &ScannerIsInString,
                                .alike = kAlike.data(),
                                .comment = '#'});
  return grammar;
}

}  // namespace belljar::analysis::python
