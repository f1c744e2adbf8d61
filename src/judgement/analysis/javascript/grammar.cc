#include "judgement/analysis/javascript/grammar.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

extern "C" {
const TSLanguage* tree_sitter_javascript();
const TSLanguage* tree_sitter_typescript();
}

namespace belljar::judgement::analysis::javascript {
namespace {

using std::string_view;

// In the order of the enum Js.
constexpr std::array kSharedKinds =
    std::to_array<string_view>({"program",
                                "arguments",
                                "array",
                                "array_pattern",
                                "arrow_function",
                                "assignment_expression",
                                "assignment_pattern",
                                "augmented_assignment_expression",
                                "await_expression",
                                "binary_expression",
                                "break_statement",
                                "call_expression",
                                "catch_clause",
                                "class",
                                "class_body",
                                "class_declaration",
                                "class_heritage",
                                "class_static_block",
                                "computed_property_name",
                                "do_statement",
                                "else_clause",
                                "escape_sequence",
                                "export_clause",
                                "export_specifier",
                                "export_statement",
                                "expression_statement",
                                "false",
                                "for_in_statement",
                                "for_statement",
                                "formal_parameters",
                                "function_declaration",
                                "function_expression",
                                "generator_function",
                                "generator_function_declaration",
                                "identifier",
                                "if_statement",
                                "import",
                                "import_clause",
                                "import_specifier",
                                "import_statement",
                                "labeled_statement",
                                "lexical_declaration",
                                "member_expression",
                                "meta_property",
                                "method_definition",
                                "named_imports",
                                "namespace_import",
                                "new_expression",
                                "null",
                                "number",
                                "object",
                                "object_assignment_pattern",
                                "object_pattern",
                                "pair",
                                "pair_pattern",
                                "parenthesized_expression",
                                "private_property_identifier",
                                "property_identifier",
                                "regex",
                                "rest_pattern",
                                "return_statement",
                                "sequence_expression",
                                "shorthand_property_identifier",
                                "shorthand_property_identifier_pattern",
                                "spread_element",
                                "statement_block",
                                "string",
                                "string_fragment",
                                "subscript_expression",
                                "super",
                                "switch_body",
                                "switch_statement",
                                "template_string",
                                "template_substitution",
                                "ternary_expression",
                                "this",
                                "throw_statement",
                                "true",
                                "try_statement",
                                "unary_expression",
                                "undefined",
                                "update_expression",
                                "variable_declaration",
                                "variable_declarator",
                                "while_statement",
                                "with_statement",
                                "yield_expression"});

constexpr std::array kTypeScriptKinds = std::to_array<string_view>({"public_field_definition",
                                                                    "as_expression",
                                                                    "satisfies_expression",
                                                                    "non_null_expression",
                                                                    "type_assertion",
                                                                    "instantiation_expression",
                                                                    "required_parameter",
                                                                    "optional_parameter",
                                                                    "enum_declaration",
                                                                    "enum_assignment",
                                                                    "import_require_clause",
                                                                    "abstract_class_declaration",
                                                                    "internal_module",
                                                                    "type_identifier",
                                                                    "type_annotation",
                                                                    "type_arguments",
                                                                    "type_parameters",
                                                                    "type_alias_declaration",
                                                                    "interface_declaration",
                                                                    "function_signature",
                                                                    "method_signature",
                                                                    "abstract_method_signature",
                                                                    "ambient_declaration",
                                                                    "implements_clause",
                                                                    "asserts_annotation",
                                                                    "type_predicate_annotation",
                                                                    "function_type",
                                                                    "constructor_type",
                                                                    "object_type",
                                                                    "type_query",
                                                                    "tuple_type",
                                                                    "union_type",
                                                                    "array_type"});

constexpr std::array kFields = std::to_array<string_view>(
    {"alias",    "alternative", "arguments", "body",   "condition",   "consequence", "constructor",
     "function", "handler",     "increment", "index",  "initializer", "key",         "kind",
     "label",    "left",        "name",      "object", "operator",    "parameter",   "parameters",
     "pattern",  "property",    "right",     "source", "value",       "argument"});

constexpr string_view kBlanks = " \t";
constexpr string_view kBlanksAndLines = " \t\r\n";

bool IsNamePart(char c) {
  return c == '_' || c == '$' || (c >= '0' && c <= '9') ||
         ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || static_cast<unsigned char>(c) >= 0x80;
}

// Calls `found` with the place behind each `word` that stands alone.
template <class Found>
void ForEachWord(string_view source, string_view word, Found found) {
  for (std::size_t at = source.find(word); at != source.npos; at = source.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !IsNamePart(source[at - 1]);
    if (begins && (end == source.size() || !IsNamePart(source[end]))) found(end);
  }
}

// "using x", on one line; not "using in x".
bool IsUsingDeclared(string_view rest) {
  const std::size_t blanks = std::min(rest.find_first_not_of(kBlanks), rest.size());
  rest.remove_prefix(blanks);
  const string_view name =
      rest.substr(0, std::ranges::find_if_not(rest, IsNamePart) - rest.begin());
  const bool is_name = !name.empty() || rest.starts_with('\\');
  return blanks > 0 && is_name && name != "in" && name != "instanceof" && name != "of";
}

// What the parser reads instead of the text. The grammar takes each "using" for the beginning of a
// declaration, and ends a statement between "await" and a line's end. Names are taken from the text
// itself, so nothing is hidden by this.
std::string ForParser(string_view source) {
  std::string masked(source);
  ForEachWord(source, "using", [&](std::size_t end) {
    if (!IsUsingDeclared(source.substr(end))) masked[end - 1] = 'G';
  });
  ForEachWord(source, "await", [&](std::size_t end) {
    for (; end < masked.size() && kBlanksAndLines.find(masked[end]) != string_view::npos; ++end) {
      masked[end] = ' ';
    }
  });
  return masked;
}

// Where a line ends behind it, the grammar takes "await (x)" for a call, and "await [x]" for a
// member.
void MendAwaits(Syntax& syntax) {
  for (NodeId id = 0; id < syntax.size(); ++id) {
    if (!syntax.Is(id, Js::kCall) && !syntax.Is(id, Js::kSubscript)) continue;
    const NodeId await = syntax.at(id).first;
    if (!syntax.Is(await, Js::kIdentifier) || syntax.Text(await) != "await") continue;
    const NodeId operand = syntax.Named(id, 1);
    if (operand == kNoNode || syntax.at(syntax.at(await).next).kind == kErrorKind) continue;
    if (syntax.Is(operand, Js::kArguments)) {
      const auto given = syntax.ListOfNamedChildren(operand).size();
      if (given == 0) continue;
      syntax.Rename(operand, given == 1 ? Js::kParenthesized : Js::kSequence);
    }
    syntax.MakeToken(await);
    syntax.Rename(id, Js::kAwait);
  }
}

std::vector<string_view> Kinds(std::span<const string_view> own) {
  std::vector<string_view> kinds(kSharedKinds.begin(), kSharedKinds.end());
  kinds.insert(kinds.end(), own.begin(), own.end());
  return kinds;
}

}  // namespace

const Grammar& GrammarOf(Language language) {
  static constexpr string_view kJavaScriptKinds[] = {"field_definition"};
  static const Grammar javascript(tree_sitter_javascript(), Kinds(kJavaScriptKinds), kFields);
  static const Grammar typescript(tree_sitter_typescript(), Kinds(kTypeScriptKinds), kFields);
  return language == Language::kTypeScript ? typescript : javascript;
}

Result<Syntax> ReadScript(string_view source, Language language) {
  const bool mends = language == Language::kJavaScript &&
                     (source.find("using") != source.npos || source.find("await") != source.npos);
  if (!mends) return Syntax::Parse(GrammarOf(language), source);
  Syntax syntax = BJ_TRY(Syntax::Parse(GrammarOf(language), source, ForParser(source)));
  MendAwaits(syntax);
  return syntax;
}

bool IsFunction(const Syntax& syntax, NodeId id) {
  switch (static_cast<Js>(syntax.at(id).kind)) {
    case Js::kArrow:
    case Js::kFunctionDeclaration:
    case Js::kFunctionExpression:
    case Js::kGenerator:
    case Js::kGeneratorDeclaration:
    case Js::kMethod:
      return true;
    default:
      return false;
  }
}

bool IsClass(const Syntax& syntax, NodeId id) {
  return syntax.Is(id, Js::kClass) || syntax.Is(id, Js::kClassDeclaration) ||
         syntax.Is(id, Js::kAbstractClass);
}

bool IsLoop(const Syntax& syntax, NodeId id) {
  return syntax.Is(id, Js::kWhile) || syntax.Is(id, Js::kDo) || syntax.Is(id, Js::kFor) ||
         syntax.Is(id, Js::kForIn);
}

bool IsType(const Syntax& syntax, NodeId id) {
  const std::uint16_t kind = syntax.at(id).kind;
  return kind >= static_cast<std::uint16_t>(Js::kFirstType) &&
         kind <= static_cast<std::uint16_t>(Js::kLastType);
}

}  // namespace belljar::judgement::analysis::javascript
