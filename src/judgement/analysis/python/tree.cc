#include "judgement/analysis/python/tree.h"

#include <array>

extern "C" const TSLanguage* tree_sitter_python();

namespace belljar::judgement::analysis::python {
namespace {

// In the order of the enum Py.
constexpr std::array<std::string_view, 87> kKinds = {
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
    "type_alias_statement",
    "type_parameter",
    "generic_type",
};

// In the order of the enum Field.
constexpr std::array<std::string_view, 20> kFields = {
    "alias",      "alternative", "arguments", "attribute",    "body",  "condition", "consequence",
    "function",   "key",         "left",      "module_name",  "name",  "object",    "operator",
    "parameters", "right",       "subscript", "superclasses", "value", "argument"};

}  // namespace

const Grammar& PythonGrammar() {
  static const Grammar grammar(tree_sitter_python(), kKinds, kFields);
  return grammar;
}

}  // namespace belljar::judgement::analysis::python
