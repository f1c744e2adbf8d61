// LrParts: the parts of a text that a parser has put together, and the tree that they make.
//
// A part is a token or a production with its parts; parts are never changed, and not given back
// before the parser is done, so that several readings of a text can share them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/lr_lexer.h"
#include "analysis/lr_pool.h"
#include "analysis/lr_tables.h"
#include "analysis/syntax.h"

namespace belljar::analysis {

using PartId = std::uint32_t;

struct alignas(32) Part {
  std::uint32_t start = 0;
  std::uint32_t end = 0;
  std::uint32_t first = 0;  // of its parts, in LrParts; of a scanner's token: what it knew
  std::uint32_t count = 0;  // of its parts
  std::int32_t precedence = 0;
  TSSymbol symbol = 0;
  std::uint16_t production = 0;
  bool extra = false;  // a comment and the like, which may stand anywhere
  bool external = false;
};

class LrParts {
 public:
  void Clear();

  const Part& at(PartId id) const { return parts_[id]; }
  std::size_t size() const { return parts_.size(); }
  std::span<const Part> all() const { return parts_.all(); }
  // The parts of all parts: of one, `count` from `first` on.
  std::span<const PartId> lists() const { return lists_.all(); }

  static Part Of(const Token& token, bool extra) {
    return {token.start, token.end, token.scanner, 0, 0, token.symbol, 0, extra, token.external};
  }
  PartId Add(const Token& token, bool extra) {
    parts_.Push(Of(token, extra));
    return static_cast<PartId>(parts_.size() - 1);
  }
  // Room for new ones and for their lists of parts, written by the innermost loop; to be given
  // back.
  struct Desk {
    const Part* parts;
    Part* next;
    const PartId* lists;
    PartId* next_listed;
    const Part* limit;  // up to there, there is room for as many as were asked for
    const PartId* limit_listed;

    PartId NextId() const { return static_cast<PartId>(next - parts); }
    std::uint32_t NextList() const { return static_cast<std::uint32_t>(next_listed - lists); }
  };
  Desk Lend(std::size_t count, std::size_t listed) {
    Part* const next = parts_.Room(count);
    PartId* const next_listed = lists_.Room(listed);
    return {&parts_[0], next, &lists_[0], next_listed, parts_.Limit(count), lists_.Limit(listed)};
  }
  void TakeBack(const Desk& desk) {
    parts_.Resize(desk.NextId());
    lists_.Resize(desk.NextList());
  }

  // Of `parts`, which stand in reverse. One of none is at `position`.
  PartId Add(const TSParseAction& reduction, std::span<const PartId> reversed,
             std::uint32_t position);
  PartId AddRoot(PartId whole, std::span<const PartId> reversed);

  // Whether tree-sitter would have `other` in place of `one`, both readings of the same text.
  // nullopt: it takes too long to say.
  std::optional<bool> Prefers(PartId one, PartId other) const;

 private:
  int Compare(PartId one, PartId other) const;

  LrPool<Part> parts_;
  LrPool<PartId> lists_;
};

}  // namespace belljar::analysis
