#include "judgement/analysis/syntax/syntax.h"

#include <fmt/format.h>
#include <tree_sitter/api.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <memory>

namespace belljar::judgement::analysis {
namespace {

// The limit on parse time: several times what honest texts of that size need, so that only texts
// made to be slow exceed it. It is CPU time, so that a busy machine does not change the answer.
constexpr double kParseSeconds = 0.1;
constexpr double kParseSecondsPerByte = 1e-6;
// The maximal number of nodes in a tree.
constexpr std::size_t kMaxNodes = 6'000'000;
constexpr std::size_t kMaxErrors = 10;
constexpr std::size_t kMaxErrorText = 60;

double CpuSeconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct ParserDeleter {
  void operator()(TSParser* parser) const { ts_parser_delete(parser); }
};
struct TreeDeleter {
  void operator()(TSTree* tree) const { ts_tree_delete(tree); }
};
using TreePtr = std::unique_ptr<TSTree, TreeDeleter>;

// One parser per thread, because it keeps its buffers: creating one for each text would cost as
// much as parsing a short text.
TSParser* ThreadParser() {
  thread_local const std::unique_ptr<TSParser, ParserDeleter> parser(ts_parser_new());
  return parser.get();
}

double DeadlineFor(std::string_view source) {
  return CpuSeconds() + kParseSeconds + kParseSecondsPerByte * static_cast<double>(source.size());
}

TreePtr ParseText(const TSLanguage* language, std::string_view source) {
  struct Text {
    std::string_view bytes;
    double deadline;
  } text{source, DeadlineFor(source)};
  const auto read = [](void* payload, std::uint32_t offset, TSPoint, std::uint32_t* length) {
    const std::string_view bytes = static_cast<Text*>(payload)->bytes;
    const std::string_view rest = offset < bytes.size() ? bytes.substr(offset) : "";
    *length = static_cast<std::uint32_t>(rest.size());
    return rest.data();
  };
  const auto is_late = [](TSParseState* state) {
    return CpuSeconds() > static_cast<Text*>(state->payload)->deadline;
  };
  TSParser* parser = ThreadParser();
  ts_parser_set_language(parser, language);
  TreePtr tree(ts_parser_parse_with_options(parser, nullptr,
                                            TSInput{&text, read, TSInputEncodingUTF8, nullptr},
                                            TSParseOptions{&text, is_late}));
  if (!tree) ts_parser_reset(parser);
  return tree;
}

std::string Shortened(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  if (text.size() <= kMaxErrorText) return std::string(text);
  std::size_t end = kMaxErrorText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "…";
}

// Copies tree-sitter's tree in one pre-order walk.
class Copy {
 public:
  Copy(const Grammar& grammar, const TSTree* tree)
      : grammar_(grammar), cursor_(ts_tree_cursor_new(ts_tree_root_node(tree))) {}
  ~Copy() { ts_tree_cursor_delete(&cursor_); }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  void Into(std::vector<Node>& nodes, std::vector<NodeId>& broken) {
    NodeId parent = kNoNode;
    NodeId previous = kNoNode;
    for (;;) {
      const NodeId here = Add(nodes, broken, parent, previous);
      if (ts_tree_cursor_goto_first_child(&cursor_)) {
        parent = here;
        previous = kNoNode;
        continue;
      }
      previous = here;
      while (!ts_tree_cursor_goto_next_sibling(&cursor_)) {
        if (!ts_tree_cursor_goto_parent(&cursor_)) return;
        previous = parent;
        parent = nodes[parent].parent;
      }
    }
  }

 private:
  NodeId Add(std::vector<Node>& nodes, std::vector<NodeId>& broken, NodeId parent,
             NodeId previous) {
    const auto here = static_cast<NodeId>(nodes.size());
    const TSNode node = ts_tree_cursor_current_node(&cursor_);
    Node& made = nodes.emplace_back();
    made.kind = grammar_.KindOf(ts_node_symbol(node));
    made.field = grammar_.FieldOf(ts_tree_cursor_current_field_id(&cursor_));
    made.named = ts_node_is_named(node);
    made.start = ts_node_start_byte(node);
    made.end = ts_node_end_byte(node);
    made.parent = parent;
    if (previous != kNoNode) {
      nodes[previous].next = here;
    } else if (parent != kNoNode) {
      nodes[parent].first = here;
    }
    if (broken.size() < kMaxErrors && (made.kind == kErrorKind || ts_node_is_missing(node))) {
      broken.push_back(here);
    }
    return here;
  }

  const Grammar& grammar_;
  TSTreeCursor cursor_;
};

std::vector<std::uint32_t> LineStarts(std::string_view source) {
  constexpr std::size_t kCommonLine = 24;
  std::vector<std::uint32_t> starts{0};
  starts.reserve(source.size() / kCommonLine + 16);
  for (std::size_t at = source.find('\n'); at != std::string_view::npos;
       at = source.find('\n', at + 1)) {
    starts.push_back(static_cast<std::uint32_t>(at + 1));
  }
  return starts;
}

}  // namespace

Grammar::Grammar(const TSLanguage* language, std::span<const std::string_view> kinds,
                 std::span<const std::string_view> fields)
    : language_(language) {
  std::vector<bool> seen(kinds.size());
  for (std::uint32_t symbol = 0; symbol < ts_language_symbol_count(language); ++symbol) {
    const std::string_view name = ts_language_symbol_name(language, static_cast<TSSymbol>(symbol));
    const auto own = std::find(kinds.begin(), kinds.end(), name);
    std::uint16_t kind = name == "comment" ? kCommentKind : kOtherKind;
    const bool is_named =
        ts_language_symbol_type(language, static_cast<TSSymbol>(symbol)) == TSSymbolTypeRegular;
    if (is_named && own != kinds.end()) {
      const auto number = static_cast<std::size_t>(own - kinds.begin());
      kind = static_cast<std::uint16_t>(kFirstOwnKind + number);
      seen[number] = true;
    }
    kinds_.push_back(kind);
  }
  fields_.resize(ts_language_field_count(language) + 1);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const TSFieldId id = ts_language_field_id_for_name(
        language, fields[i].data(), static_cast<std::uint32_t>(fields[i].size()));
    if (id == 0) seen.push_back(false);
    fields_[id] = static_cast<std::uint8_t>(i + 1);
  }
  fields_[0] = 0;
  if (std::find(seen.begin(), seen.end(), false) != seen.end()) std::abort();
}

std::uint16_t Grammar::KindOf(std::uint16_t symbol) const {
  return symbol < kinds_.size() ? kinds_[symbol] : static_cast<std::uint16_t>(kErrorKind);
}

Result<Syntax> Syntax::Parse(const Grammar& grammar, std::string_view source,
                             std::string_view for_parser) {
  const TreePtr tree = ParseText(grammar.language(), for_parser);
  if (!tree) return Error(Kind::kExhausted, "it takes too long to read");
  const std::size_t size = ts_node_descendant_count(ts_tree_root_node(tree.get()));
  if (size > kMaxNodes) {
    return Error(Kind::kExhausted, fmt::format("it has more than {} parts", kMaxNodes));
  }
  Syntax syntax;
  syntax.source_ = source;
  syntax.lines_ = LineStarts(source);
  syntax.nodes_.reserve(size);
  std::vector<NodeId> broken;
  Copy(grammar, tree.get()).Into(syntax.nodes_, broken);
  for (const NodeId id : broken) {
    const bool missing = syntax.at(id).kind != kErrorKind;
    syntax.errors_.push_back({syntax.PlaceOf(id), Shortened(syntax.Text(id)), missing});
  }
  return syntax;
}

Place Syntax::PlaceAt(std::uint32_t offset) const {
  const auto after = std::upper_bound(lines_.begin(), lines_.end(), offset);
  const auto line = static_cast<std::uint32_t>(after - lines_.begin());
  return {line, offset - lines_[line - 1] + 1};
}

NodeId Syntax::Named(NodeId id, std::size_t number) const {
  for (NodeId child = at(id).first; child != kNoNode; child = at(child).next) {
    if (!IsNamed(child)) continue;
    if (number-- == 0) return child;
  }
  return kNoNode;
}

std::vector<NodeId> Syntax::ListOfNamedChildren(NodeId id) const {
  std::vector<NodeId> children;
  for (const NodeId child : NamedChildren(id)) children.push_back(child);
  return children;
}

}  // namespace belljar::judgement::analysis
