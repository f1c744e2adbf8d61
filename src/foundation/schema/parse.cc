#include <algorithm>

#include "foundation/schema/parser.h"
#include "foundation/schema/schema.h"
#include "foundation/schema/value.h"

namespace belljar::schema {
namespace {

// Decodes one step of a "$ref": first the URI's percent escapes, then the JSON pointer's ~ escapes.
std::string Unescape(std::string_view step) {
  std::string plain;
  for (std::size_t i = 0; i < step.size(); ++i) {
    const auto digit = [&](std::size_t at) {
      const char c = at < step.size() ? step[at] : 'x';
      return std::string_view("0123456789abcdef")
          .find(static_cast<char>(c | ('A' <= c && c <= 'F' ? 32 : 0)));
    };
    const bool escaped = step[i] == '%' && digit(i + 1) < 16 && digit(i + 2) < 16;
    plain += escaped ? static_cast<char>(digit(i + 1) * 16 + digit(i + 2)) : step[i];
    if (escaped) i += 2;
  }
  for (const auto& [from, to] : {std::pair{"~1", "/"}, std::pair{"~0", "~"}}) {
    for (std::size_t at = plain.find(from); at != std::string::npos;
         at = plain.find(from, at + 1)) {
      plain.replace(at, 2, to);
    }
  }
  return plain;
}

const json::value* Step(const json::value& value, const std::string& step) {
  if (value.is_object()) return value.get_object().if_contains(step);
  if (!value.is_array() || step.empty() || step.size() > 6) return nullptr;
  if (step.find_first_not_of("0123456789") != std::string::npos) return nullptr;
  return value.get_array().if_contains(std::stoul(step));
}

// Calls `visit` for every schema that applies to the same value as `node`.
template <class Visit>
Result<> ForSameValue(const Node& node, const Visit& visit) {
  for (const Node* one :
       {node.reference, node.none_of, node.condition, node.then, node.otherwise}) {
    if (one != nullptr) BJ_TRY(visit(*one));
  }
  for (const auto* list : {&node.all_of, &node.any_of, &node.one_of}) {
    for (const Node* one : *list) BJ_TRY(visit(*one));
  }
  for (const auto& [name, one] : node.object.fits_with) BJ_TRY(visit(*one));
  return {};
}

// Computes, for each node, the length of the longest chain of schemas that apply to the same value.
// A cycle is an error, because checking it would never end.
class Chains {
 public:
  Result<std::size_t> LengthOf(const Node& node, std::size_t before = 0) {
    if (const auto found = lengths_.find(&node); found != lengths_.end()) return found->second;
    if (before > kMaxChain) return TooLong();
    std::size_t longest = 0;
    const auto measured = ForSameValue(node, [&](const Node& next) -> Result<> {
      const std::size_t length = BJ_TRY(LengthOf(next, before + 1));
      longest = std::max(longest, length);
      return {};
    });
    if (!measured) return measured.error();
    if (longest + 1 > kMaxChain) return TooLong();
    lengths_.emplace(&node, longest + 1);
    return longest + 1;
  }

 private:
  static Error TooLong() {
    return Error(Kind::kInvalid,
                 fmt::format("its references lead back to themselves without going into the value, "
                             "or through more than {} schemas",
                             kMaxChain));
  }
  std::map<const Node*, std::size_t> lengths_;
};

}  // namespace

Error Parser::BadAt(const std::vector<std::string>& where, std::string message) {
  std::string path;
  for (const std::string& step : where) path += (path.empty() ? "" : "/") + step;
  if (path.size() > 200) path = path.substr(0, 100) + "..." + path.substr(path.size() - 100);
  return Error(Kind::kInvalid, fmt::format("at {}: {}", OneLine(path), message));
}

Result<const json::value*> Parser::Find(std::string_view pointer) const {
  const json::value* at = &root_;
  std::string_view rest = pointer.substr(1);
  while (!rest.empty() && at != nullptr) {
    if (rest[0] != '/') return Bad("\"$ref\" must be a path such as #/$defs/name");
    const std::size_t end = std::min(rest.find('/', 1), rest.size());
    at = Step(*at, Unescape(rest.substr(1, end - 1)));
    rest.remove_prefix(end);
  }
  if (at == nullptr) return Bad("\"$ref\" leads to {}, which is not there", Shown(pointer));
  return at;
}

Result<> Parser::Refer(Node& node, const json::value& target) {
  if (!target.is_string()) return Bad("\"$ref\" must be a string, not {}", TypeOf(target));
  const std::string_view pointer = target.get_string();
  if (!pointer.starts_with('#')) {
    return Bad("\"$ref\" leads out of the schema, to {}; nothing is loaded: put it into $defs",
               Shown(pointer));
  }
  const json::value* const found = BJ_TRY(Find(pointer));
  references_.push_back({&node, found, where_});
  return {};
}

Result<const Node*> Parser::Sub(const json::value& value, std::string_view step) {
  if (!step.empty()) where_.emplace_back(step.substr(0, 64));
  Node* const node = BJ_TRY(ReadNode(value));
  if (!step.empty()) where_.pop_back();
  return node;
}

Result<std::vector<const Node*>> Parser::SubList(const json::value& value) {
  if (!value.is_array() || value.get_array().empty()) {
    return Bad("a list of schemas is needed, with at least one in it");
  }
  std::vector<const Node*> nodes;
  for (const json::value& item : value.get_array()) {
    nodes.push_back(BJ_TRY(Sub(item, std::to_string(nodes.size()))));
  }
  return nodes;
}

Result<std::map<std::string, const Node*, std::less<>>> Parser::SubMap(const json::value& value) {
  if (!value.is_object()) return Bad("an object of schemas is needed, not {}", TypeOf(value));
  std::map<std::string, const Node*, std::less<>> nodes;
  for (const auto& [name, member] : value.get_object()) {
    const Node* const node = BJ_TRY(Sub(member, name));
    nodes.emplace(name, node);
  }
  return nodes;
}

Result<const Pattern*> Parser::PatternOf(std::string_view text) {
  if (tree_.patterns.size() == kMaxPatterns) {
    return Bad("the schema has more than {} patterns", kMaxPatterns);
  }
  auto pattern = Pattern::Create(text);
  if (!pattern) return Bad("{}", pattern.error().message());
  tree_.patterns.push_back(*std::move(pattern));
  return &tree_.patterns.back();
}

Result<> Parser::ReadKeywords(const json::object& object, Node& node) {
  for (const auto& [name, value] : object) {
    const Keyword* const keyword = FindKeyword(name);
    if (keyword == nullptr && !name.starts_with("x-")) {
      const std::string_view nearest = NearestKeyword(name);
      return Bad("the keyword {} is not known, and ignoring it could change what is meant{}",
                 Shown(name),
                 nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest));
    }
    if (keyword == nullptr) continue;
    where_.emplace_back(name);
    BJ_TRY(keyword->read(*this, value, node));
    where_.pop_back();
  }
  return {};
}

Result<Node*> Parser::ReadNode(const json::value& value) {
  if (const auto found = known_.find(&value); found != known_.end()) return found->second;
  if (where_.size() > 2 * kMaxSchemaDepth) return Bad("the schema is too deep");
  tree_.nodes.emplace_back();
  Node* const node = &tree_.nodes.back();
  known_.emplace(&value, node);
  if (value.is_bool()) {
    node->never = !value.get_bool();
    return node;
  }
  if (!value.is_object()) {
    return Bad("a schema is an object, true or false, not {}", TypeOf(value));
  }
  BJ_TRY(ReadKeywords(value.get_object(), *node));
  return node;
}

Result<> Parser::CheckChains() const {
  Chains chains;
  for (const Node& node : tree_.nodes) BJ_TRY(chains.LengthOf(node));
  return {};
}

Result<> Parser::Run() {
  tree_.root = BJ_TRY(Sub(root_, "#"));
  // ReadNode may append to references_ while this loop runs.
  for (std::size_t i = 0; i < references_.size(); ++i) {
    const Reference reference = references_[i];
    where_ = reference.where;
    reference.from->reference = BJ_TRY(ReadNode(*reference.to));
  }
  return CheckChains();
}

namespace {

bool IsTooDeep(const json::value& value, std::size_t left) {
  if (left == 0) return true;
  const auto deeper = [&](const json::value& part) { return IsTooDeep(part, left - 1); };
  if (value.is_array()) return std::ranges::any_of(value.get_array(), deeper);
  if (!value.is_object()) return false;
  return std::ranges::any_of(value.get_object(),
                             [&](const auto& member) { return deeper(member.value()); });
}

}  // namespace

Result<Schema> ParseSchema(const json::value& value) {
  if (IsTooDeep(value, kMaxSchemaDepth)) {
    return Error(Kind::kInvalid,
                 fmt::format("the schema is more than {} levels deep", kMaxSchemaDepth));
  }
  const std::size_t bytes = json::serialize(value).size();
  if (bytes > kMaxSchemaBytes) {
    return Error(Kind::kInvalid, fmt::format("the schema has {} bytes; at most {} are allowed",
                                             bytes, kMaxSchemaBytes));
  }
  auto tree = std::make_shared<Tree>();
  BJ_TRY(Parser(value, *tree).Run());
  return Schema(std::move(tree));
}

}  // namespace belljar::schema
