// LrDriver: reads a text with the tables that tree-sitter generated for a grammar.
//
// Tree-sitter's runtime is made for editors: it keeps every tree so that a changed text is read
// again in parts, counts who uses what, and goes on behind errors. None of that is needed to read a
// program once, and it takes five times as long as the rest. This driver does what the runtime does
// where a text has no errors, and nothing else; where it does not know for certain what the runtime
// would choose, it gives up, and the runtime reads the text instead. So the nodes are the same,
// whoever has read them, which tests and a fuzzer compare.
//
// Where the grammar has several ways to go on, all are followed at once (LrStack).
//
// It gives up: at the first error, on texts that are no plain UTF-8, when the deadline has passed,
// and when there are too many ways.
//
// Keeps its buffers; for one thread.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/lr_flatten.h"
#include "analysis/lr_lexer.h"
#include "analysis/lr_parts.h"
#include "analysis/lr_stack.h"
#include "analysis/lr_tables.h"

namespace belljar::analysis {

class LrDriver {
 public:
  LrDriver() : stack_(parts_, lexer_) {}

  struct Bounds {
    bool (*is_late)(double deadline);  // asked now and then
    double deadline;
    std::size_t most_nodes;
  };
  // False: it has given up, and what is in `nodes` is nothing.
  bool Read(const Grammar& grammar, std::string_view text, const Bounds& bounds,
            LrPool<Node>& nodes);

 private:
  // The most that is done for a token in one go, and the most parts that a production has.
  static constexpr int kStraightSteps = 64;
  static constexpr int kMostChildren = 255;

  // What has become of a version.
  enum class Step { kGoOn, kDone, kGiveUp };
  static constexpr std::size_t kNone = ~std::size_t{0};

  LookupMemory& MemoryOf(const TSLanguage& language);
  void Begin(const Grammar& grammar, std::string_view text);
  bool Run();
  bool IsPlain();
  // How far it has come, and which version is the next to go on.
  struct Reach {
    std::uint32_t position = 0;
    std::size_t first = 0;

    void Note(std::uint32_t now) {
      first = now > position ? 1 : 0;
      position = std::max(position, now);
    }
  };
  bool GoPlainly(Reach& reach);
  bool Round(Reach& reach);
  bool IsTimeToLook() const { return work_ + lexer_.read() > next_look_; }
  bool LooksLate();

  bool Advance(std::size_t version);
  bool Finish(std::size_t version, LrTables::Cell& cell);
  struct Straight;
  Step GoStraight(LrTables::Cell& cell, Reach& reach);
  Step Act(std::size_t version, LrTables::Cell& cell);
  Step Several(std::size_t version, LrTables::Cell& cell);
  Step Without(std::size_t version, LrTables::Cell& cell);
  bool LookAhead(std::size_t version, LrTables::Cell& cell);
  // The token at a position, into token_.
  bool Fetch(TSStateId state, std::uint32_t position, ScannerState scanner) {
    if (!lexer_.Next(*memory_, state, position, scanner, cached_)) return false;
    token_ = cached_;
    cached_at_ = position;
    cached_before_ = scanner;
    return true;
  }
  bool Cached(TSStateId state, ScannerState scanner, LrTables::Cell& cell) const;
  void Shift(std::size_t version, const TSParseAction& action);
  bool ReducePlain(const TSParseAction& action);
  bool ReduceBeside(std::size_t version, const TSParseAction& action);
  bool Reduce(std::size_t version, const TSParseAction& action, std::size_t& made);
  bool Choose(const TSParseAction& action, std::size_t& number);
  void Join(std::size_t version, std::size_t slice, std::size_t& removed);
  void SetTrailing(std::vector<PartId>& reversed);
  bool Accept(std::size_t version);

  int Rank(int i);
  bool Condense();

  TSStateId StateOf(std::size_t version) const { return stack_.Top(version).state; }
  LrTables::Cell CellOf(TSStateId state, TSSymbol symbol) {
    return tables_->CellOf(*memory_, state, symbol);
  }

  LrLexer lexer_;
  LrParts parts_;
  LrStack stack_;
  LrFlatten flatten_;
  std::vector<std::unique_ptr<LookupMemory>> memories_;
  LookupMemory* memory_ = nullptr;  // that of the language at hand
  const LrTables* tables_ = nullptr;

  Token token_;
  // The last token that was read, where, and what the scanner knew before.
  Token cached_;
  static constexpr std::uint32_t kNowhere = ~0U;
  std::uint32_t cached_at_ = kNowhere;
  ScannerState cached_before_ = 0;

  std::vector<PartId> reversed_;
  std::vector<PartId> trailing_;
  std::vector<LrStack::Slice> slices_;
  std::optional<PartId> root_;

  Bounds bounds_{};
  // Looking at the clock costs as much as reading a hundred bytes.
  static constexpr std::size_t kStep = 32;  // as many bytes as that
  static constexpr std::size_t kBetweenLooks = std::size_t{1} << 18U;
  std::size_t work_ = 0;
  std::size_t next_look_ = 0;
};

}  // namespace belljar::analysis
