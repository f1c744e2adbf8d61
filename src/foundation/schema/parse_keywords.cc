#include <algorithm>
#include <array>

#include "foundation/base/nearest.h"
#include "foundation/schema/parser.h"
#include "foundation/schema/value.h"

namespace belljar::schema {
namespace {

constexpr std::array kTypeNames = {
    std::pair{"null", kNull},     std::pair{"boolean", kBoolean}, std::pair{"integer", kInteger},
    std::pair{"number", kNumber}, std::pair{"string", kString},   std::pair{"array", kArray},
    std::pair{"object", kObject},
};

Result<> Ignore(Parser&, const json::value&, Node&) { return {}; }

Result<> ReadDialect(Parser& parser, const json::value& value, Node&) {
  if (value.is_string()) {
    const std::string_view name = value.get_string();
    for (const char* known : {"draft-06", "draft-07", "2019-09", "2020-12"}) {
      if (name.find(std::string("json-schema.org/") + (known[0] == '2' ? "draft/" : "") + known) !=
          std::string_view::npos) {
        return {};
      }
    }
  }
  return parser.Bad(
      "this kind of schema is not known; known: draft-06, draft-07, 2019-09, 2020-12");
}

// "$id" in a subschema would change the base of references.
Result<> ReadId(Parser& parser, const json::value&, Node&) {
  if (parser.at_root()) return {};
  return parser.Bad("\"$id\" is for the whole schema only");
}

Result<> AddType(Parser& parser, const json::value& value, Node& node) {
  if (value.is_string()) {
    for (const auto& [name, bit] : kTypeNames) {
      if (value.get_string() != name) continue;
      node.types |= bit;
      return {};
    }
  }
  return parser.Bad(
      "a type is one of null, boolean, integer, number, string, array, object; not {}",
      ShownValue(value));
}

Result<> ReadType(Parser& parser, const json::value& value, Node& node) {
  if (!value.is_array()) return AddType(parser, value, node);
  if (value.get_array().empty()) return parser.Bad("the list of types is empty");
  for (const json::value& one : value.get_array()) BJ_TRY(AddType(parser, one, node));
  return {};
}

Result<> ReadEnum(Parser& parser, const json::value& value, Node& node) {
  constexpr std::size_t kMostShown = 200;
  if (!value.is_array() || value.get_array().empty()) {
    return parser.Bad("a list of values is needed, with at least one in it");
  }
  node.values.emplace();
  for (const json::value& one : value.get_array()) {
    node.values->push_back(CanonicalText(one));
    if (node.values_shown.size() > kMostShown) continue;
    node.values_shown += (node.values_shown.empty() ? "" : ", ") + ShownValue(one);
    if (node.values_shown.size() > kMostShown) node.values_shown += ", ...";
  }
  return {};
}

Result<> ReadConst(Parser&, const json::value& value, Node& node) {
  node.constant = CanonicalText(value);
  node.constant_shown = ShownValue(value);
  return {};
}

// ---- numbers and strings ----

template <auto member>
Result<> ReadNumber(Parser& parser, const json::value& value, Node& node) {
  if (!value.is_number()) return parser.Bad("a number is needed, not {}", TypeOf(value));
  node.number.*member = NumberOf(value);
  return {};
}

Result<> ReadMultipleOf(Parser& parser, const json::value& value, Node& node) {
  BJ_TRY(ReadNumber<&NumberTerms::multiple_of>(parser, value, node));
  if (*node.number.multiple_of > 0) return {};
  return parser.Bad("a number above 0 is needed");
}

template <auto terms, auto count, auto side>
Result<> ReadCount(Parser& parser, const json::value& value, Node& node) {
  constexpr long double kMost = 1e15L;
  if (!value.is_number() || !IsWhole(value) || NumberOf(value) < 0 || NumberOf(value) > kMost) {
    return parser.Bad("a whole number from 0 on is needed");
  }
  (node.*terms).*count.*side = static_cast<std::uint64_t>(NumberOf(value));
  return {};
}

Result<> ReadPattern(Parser& parser, const json::value& value, Node& node) {
  if (!value.is_string()) return parser.Bad("a string is needed, not {}", TypeOf(value));
  node.string.pattern = BJ_TRY(parser.PatternOf(value.get_string()));
  return {};
}

Result<> ReadFormat(Parser& parser, const json::value& value, Node& node) {
  if (!value.is_string()) return parser.Bad("a string is needed, not {}", TypeOf(value));
  node.string.format = FindFormat(value.get_string());
  if (node.string.format != nullptr) return {};
  std::string known;
  for (const Format& format : Formats()) {
    known += (known.empty() ? "" : ", ") + std::string(format.name);
  }
  return parser.Bad("the format {} is not checked in this version; known: {}", ShownValue(value),
                    known);
}

// ---- arrays and objects ----

Result<> ReadTruth(Parser& parser, const json::value& value, Node& node) {
  if (!value.is_bool()) return parser.Bad("true or false is needed, not {}", TypeOf(value));
  node.array.unique = value.get_bool();
  return {};
}

// A list as the value of "items" is draft 7's form of "prefixItems".
Result<> ReadPrefix(Parser& parser, const json::value& value, Node& node) {
  if (!node.array.first.empty()) {
    return parser.Bad("give either \"prefixItems\" or a list of \"items\", not both");
  }
  node.array.first = BJ_TRY(parser.SubList(value));
  return {};
}

Result<> ReadItems(Parser& parser, const json::value& value, Node& node) {
  if (value.is_array()) return ReadPrefix(parser, value, node);
  // With a single schema for all items, "additionalItems" has no effect.
  node.array.rest = BJ_TRY(parser.Sub(value, ""));
  return {};
}

Result<> ReadAdditionalItems(Parser& parser, const json::value& value, Node& node) {
  const Node* const rest = BJ_TRY(parser.Sub(value, ""));
  node.array.additional = rest;
  return {};
}

template <auto terms, auto member>
Result<> ReadSub(Parser& parser, const json::value& value, Node& node) {
  (node.*terms).*member = BJ_TRY(parser.Sub(value, ""));
  return {};
}

template <auto terms, auto member>
Result<> ReadSubMap(Parser& parser, const json::value& value, Node& node) {
  (node.*terms).*member = BJ_TRY(parser.SubMap(value));
  return {};
}

Result<> ReadPatternProperties(Parser& parser, const json::value& value, Node& node) {
  const auto nodes = BJ_TRY(parser.SubMap(value));
  for (const auto& [text, sub] : nodes) {
    const Pattern* const pattern = BJ_TRY(parser.PatternOf(text));
    node.object.by_pattern.emplace_back(pattern, sub);
  }
  return {};
}

Result<std::vector<std::string>> NamesOf(Parser& parser, const json::value& value) {
  std::vector<std::string> names;
  const bool list = value.is_array();
  for (std::size_t i = 0; list && i < value.get_array().size(); ++i) {
    const json::value& name = value.get_array()[i];
    if (!name.is_string()) break;
    names.emplace_back(name.get_string());
  }
  if (list && names.size() == value.get_array().size()) return names;
  return parser.Bad("a list of names is needed");
}

Result<> ReadRequired(Parser& parser, const json::value& value, Node& node) {
  node.object.required = BJ_TRY(NamesOf(parser, value));
  return {};
}

// Draft 7's "dependencies" covers both dependentRequired (a list) and dependentSchemas (a schema).
Result<> ReadDependencies(Parser& parser, const json::value& value, Node& node) {
  if (!value.is_object()) return parser.Bad("an object is needed, not {}", TypeOf(value));
  for (const auto& [name, needed] : value.get_object()) {
    if (needed.is_array()) {
      node.object.needs[name] = BJ_TRY(NamesOf(parser, needed));
    } else {
      node.object.fits_with[name] = BJ_TRY(parser.Sub(needed, name));
    }
  }
  return {};
}

Result<> ReadDependentRequired(Parser& parser, const json::value& value, Node& node) {
  if (!value.is_object()) return parser.Bad("an object is needed, not {}", TypeOf(value));
  for (const auto& [name, needed] : value.get_object()) {
    node.object.needs[name] = BJ_TRY(NamesOf(parser, needed));
  }
  return {};
}

Result<> ReadDependentSchemas(Parser& parser, const json::value& value, Node& node) {
  auto nodes = BJ_TRY(parser.SubMap(value));
  node.object.fits_with.merge(nodes);
  return {};
}

// ---- schemas of the same value ----

Result<> ReadReference(Parser& parser, const json::value& value, Node& node) {
  return parser.Refer(node, value);
}

// Definitions are parsed only to report their mistakes; "$ref" finds them by their path.
Result<> ReadDefinitions(Parser& parser, const json::value& value, Node&) {
  BJ_TRY(parser.SubMap(value));
  return {};
}

template <auto member>
Result<> ReadOne(Parser& parser, const json::value& value, Node& node) {
  node.*member = BJ_TRY(parser.Sub(value, ""));
  return {};
}

template <auto member>
Result<> ReadSeveral(Parser& parser, const json::value& value, Node& node) {
  node.*member = BJ_TRY(parser.SubList(value));
  return {};
}

constexpr std::array kKeywords = {
    Keyword{"$comment", Ignore},
    Keyword{"$defs", ReadDefinitions},
    Keyword{"$id", ReadId},
    Keyword{"$ref", ReadReference},
    Keyword{"$schema", ReadDialect},
    Keyword{"additionalItems", ReadAdditionalItems},
    Keyword{"additionalProperties", ReadSub<&Node::object, &ObjectTerms::others>},
    Keyword{"allOf", ReadSeveral<&Node::all_of>},
    Keyword{"anyOf", ReadSeveral<&Node::any_of>},
    Keyword{"const", ReadConst},
    Keyword{"contains", ReadSub<&Node::array, &ArrayTerms::contains>},
    Keyword{"default", Ignore},
    Keyword{"definitions", ReadDefinitions},
    Keyword{"dependencies", ReadDependencies},
    Keyword{"dependentRequired", ReadDependentRequired},
    Keyword{"dependentSchemas", ReadDependentSchemas},
    Keyword{"deprecated", Ignore},
    Keyword{"description", Ignore},
    Keyword{"else", ReadOne<&Node::otherwise>},
    Keyword{"enum", ReadEnum},
    Keyword{"examples", Ignore},
    Keyword{"exclusiveMaximum", ReadNumber<&NumberTerms::below>},
    Keyword{"exclusiveMinimum", ReadNumber<&NumberTerms::above>},
    Keyword{"format", ReadFormat},
    Keyword{"if", ReadOne<&Node::condition>},
    Keyword{"items", ReadItems},
    Keyword{"maxContains", ReadCount<&Node::array, &ArrayTerms::contained, &Count::most>},
    Keyword{"maxItems", ReadCount<&Node::array, &ArrayTerms::length, &Count::most>},
    Keyword{"maxLength", ReadCount<&Node::string, &StringTerms::length, &Count::most>},
    Keyword{"maxProperties", ReadCount<&Node::object, &ObjectTerms::length, &Count::most>},
    Keyword{"maximum", ReadNumber<&NumberTerms::maximum>},
    Keyword{"minContains", ReadCount<&Node::array, &ArrayTerms::contained, &Count::least>},
    Keyword{"minItems", ReadCount<&Node::array, &ArrayTerms::length, &Count::least>},
    Keyword{"minLength", ReadCount<&Node::string, &StringTerms::length, &Count::least>},
    Keyword{"minProperties", ReadCount<&Node::object, &ObjectTerms::length, &Count::least>},
    Keyword{"minimum", ReadNumber<&NumberTerms::minimum>},
    Keyword{"multipleOf", ReadMultipleOf},
    Keyword{"not", ReadOne<&Node::none_of>},
    Keyword{"oneOf", ReadSeveral<&Node::one_of>},
    Keyword{"pattern", ReadPattern},
    Keyword{"patternProperties", ReadPatternProperties},
    Keyword{"prefixItems", ReadPrefix},
    Keyword{"properties", ReadSubMap<&Node::object, &ObjectTerms::members>},
    Keyword{"propertyNames", ReadSub<&Node::object, &ObjectTerms::names>},
    Keyword{"readOnly", Ignore},
    Keyword{"required", ReadRequired},
    Keyword{"then", ReadOne<&Node::then>},
    Keyword{"title", Ignore},
    Keyword{"type", ReadType},
    Keyword{"uniqueItems", ReadTruth},
    Keyword{"writeOnly", Ignore},
};

}  // namespace

const Keyword* FindKeyword(std::string_view name) {
  const auto* const found = std::ranges::find(kKeywords, name, &Keyword::name);
  return found == kKeywords.end() ? nullptr : &*found;
}

std::string_view NearestKeyword(std::string_view wrong) {
  std::string_view nearest;
  std::size_t least = 3;
  if (wrong.size() > 32) return nearest;
  for (const Keyword& keyword : kKeywords) {
    const std::size_t distance = EditDistance(wrong, keyword.name);
    if (distance >= least || distance >= wrong.size()) continue;
    least = distance;
    nearest = keyword.name;
  }
  return nearest;
}

}  // namespace belljar::schema
