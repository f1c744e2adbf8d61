// Syntax: the syntax tree of a text, parsed by tree-sitter and stored in a flat array.
//
// Moving between tree-sitter's own nodes is slow (finding a child scans its siblings), so its tree
// is walked once and copied into one array in source order (pre-order); a NodeId is an index into
// it. The names of a grammar's node kinds and fields are resolved once per grammar: an analyser
// lists the kinds that it uses in its own enum and compares nodes with those.
//
// The text is hostile. Parsing is bounded in time and number of nodes; beyond either, Parse returns
// an error, and the caller reports that the text could not be judged. A text with syntax errors
// still gives a tree, in which the parts that did not parse are nodes of kind kErrorKind.
//
// A Syntax refers to the text that it was given and must not outlive it. It is immutable once its
// analyser has corrected what the grammar is known to misread (Rename).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "judgement/analysis/finding.h"

struct TSLanguage;

namespace belljar::judgement::analysis {

using NodeId = std::uint32_t;
constexpr NodeId kNoNode = ~NodeId{0};

// Node kinds that every grammar has. The kinds of a particular grammar are numbered from
// kFirstOwnKind, in the order in which its analyser lists their names.
enum CommonKind : std::uint16_t { kOtherKind, kErrorKind, kCommentKind, kFirstOwnKind };

// One grammar, with the names of the kinds and fields that an analyser uses.
class Grammar {
 public:
  // Field numbers are positions in `fields`, counted from 1. A name that the grammar does not have
  // is a programming error and aborts the process at start-up.
  Grammar(const TSLanguage* language, std::span<const std::string_view> kinds,
          std::span<const std::string_view> fields);

  const TSLanguage* language() const { return language_; }
  std::uint16_t KindOf(std::uint16_t symbol) const;
  std::uint8_t FieldOf(std::uint16_t field) const { return fields_[field]; }

 private:
  const TSLanguage* language_;
  std::vector<std::uint16_t> kinds_;  // indexed by tree-sitter's symbol
  std::vector<std::uint8_t> fields_;  // indexed by tree-sitter's field
};

struct Node {
  std::uint16_t kind = kOtherKind;
  std::uint8_t field = 0;  // the field of the parent that this node fills
  bool named = false;      // false: an anonymous token such as "(" or "import"
  std::uint32_t start = 0;
  std::uint32_t end = 0;
  NodeId parent = kNoNode;
  NodeId next = kNoNode;   // sibling, in source order
  NodeId first = kNoNode;  // first child
  bool operator==(const Node&) const = default;
};

struct SyntaxError {
  Place place;
  std::string text;  // the text that did not parse, shortened; or the missing token
  bool missing = false;
};

class Syntax {
 public:
  static Result<Syntax> Parse(const Grammar& grammar, std::string_view source) {
    return Parse(grammar, source, source);
  }
  // As above, with a modified text of the same length for the parser; nodes still refer to
  // `source`.
  static Result<Syntax> Parse(const Grammar& grammar, std::string_view source,
                              std::string_view for_parser);

  // For an analyser that knows better than its grammar what a node is.
  template <class Kind>
  void Rename(NodeId id, Kind kind) {
    nodes_[id].kind = static_cast<std::uint16_t>(kind);
  }
  // Makes a node a token, which is no named child.
  void MakeToken(NodeId id) {
    nodes_[id].kind = kOtherKind;
    nodes_[id].named = false;
  }

  NodeId root() const { return 0; }
  std::size_t size() const { return nodes_.size(); }
  const Node& at(NodeId id) const { return nodes_[id]; }
  template <class Kind>
  bool Is(NodeId id, Kind kind) const {
    return id != kNoNode && nodes_[id].kind == static_cast<std::uint16_t>(kind);
  }

  std::string_view source() const { return source_; }
  std::string_view Text(NodeId id) const {
    return {source_.data() + nodes_[id].start, nodes_[id].end - nodes_[id].start};
  }
  Place PlaceOf(NodeId id) const { return PlaceAt(nodes_[id].start); }
  Place PlaceAt(std::uint32_t offset) const;

  // A named node that is not a comment.
  bool IsNamed(NodeId id) const { return nodes_[id].named && nodes_[id].kind != kCommentKind; }
  // The first child in that field, or kNoNode.
  NodeId Field(NodeId id, std::uint8_t field) const {
    NodeId child = nodes_[id].first;
    while (child != kNoNode && nodes_[child].field != field) child = nodes_[child].next;
    return child;
  }
  // The named child with that index, comments not counted; or kNoNode.
  NodeId Named(NodeId id, std::size_t number) const;
  // A range of the named children without comments. To see anonymous tokens too, follow `first` and
  // `next`.
  class Children;
  Children NamedChildren(NodeId id) const;
  std::vector<NodeId> ListOfNamedChildren(NodeId id) const;

  // The first few syntax errors. Empty if the text is well formed according to the grammar.
  const std::vector<SyntaxError>& errors() const { return errors_; }

 private:
  Syntax() = default;

  std::string_view source_;
  std::vector<Node> nodes_;
  std::vector<SyntaxError> errors_;
  std::vector<std::uint32_t> lines_;  // offset of the start of each line
};

class Syntax::Children {
 public:
  class Iterator {
   public:
    Iterator(const Syntax& syntax, NodeId at) : syntax_(&syntax), at_(at) { Skip(); }
    NodeId operator*() const { return at_; }
    Iterator& operator++() {
      at_ = syntax_->nodes_[at_].next;
      Skip();
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    void Skip() {
      while (at_ != kNoNode && !syntax_->IsNamed(at_)) at_ = syntax_->nodes_[at_].next;
    }
    const Syntax* syntax_;
    NodeId at_;
  };

  Children(const Syntax& syntax, NodeId first) : syntax_(syntax), first_(first) {}
  Iterator begin() const { return {syntax_, first_}; }
  Iterator end() const { return {syntax_, kNoNode}; }
  bool empty() const { return begin() == end(); }

 private:
  const Syntax& syntax_;
  NodeId first_;
};

inline Syntax::Children Syntax::NamedChildren(NodeId id) const { return {*this, at(id).first}; }

}  // namespace belljar::judgement::analysis
