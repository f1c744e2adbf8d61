// CompiledRules: the rule table, compiled for matching. Internal to this folder.
#pragma once

#include <hs/hs.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "judgement/redaction/number.h"
#include "judgement/redaction/redactor.h"
#include "judgement/redaction/rule.h"

namespace belljar::judgement::redaction {

struct Anchor {
  std::vector<Item> items;
  Case letter_case;
  std::vector<std::size_t> sequences;  // sequences that begin with this anchor
};

struct CompiledSequence {
  Sequence sequence;
  const Rule* rule;
  std::size_t order;  // the rule's index in the table
  Group group;
};

struct SequenceTable {
  std::vector<CompiledSequence> sequences;
  std::vector<Anchor> anchors;  // indexed by Vectorscan's pattern ids
  // Indexes of the sequences for the other finders.
  std::vector<std::size_t> at_signs, capitals, small, dots, colons;
};

Result<SequenceTable> BuildSequences();

struct FreeDatabase {
  void operator()(hs_database_t* database) const { ::hs_free_database(database); }
};
using DatabasePtr = std::unique_ptr<hs_database_t, FreeDatabase>;

// Compiles for the current machine if `platform` is null.
Result<DatabasePtr> CompileDatabase(const SequenceTable& table, const hs_platform_info_t* platform);

// The databases compiled at build time, in the order of EmbeddedCpuFeatures().
std::span<const std::string_view> EmbeddedDatabases();

// The CPU feature sets with an embedded database, the most demanding first.
std::span<const unsigned long long> EmbeddedCpuFeatures();

struct FreeScratch {
  void operator()(hs_scratch_t* scratch) const { ::hs_free_scratch(scratch); }
};
using ScratchPtr = std::unique_ptr<hs_scratch_t, FreeScratch>;

class CompiledRules {
 public:
  static Result<std::unique_ptr<const CompiledRules>> Create(const Options& options);

  const hs_database_t* database() const { return database_.get(); }
  const hs_scratch_t* scratch() const { return scratch_.get(); }  // a prototype; users clone it
  const CompiledSequence& sequence(std::size_t index) const { return table_.sequences[index]; }
  std::span<const std::size_t> WithAnchor(unsigned id) const {
    return table_.anchors[id].sequences;
  }
  std::span<const std::size_t> at_signs() const { return table_.at_signs; }
  std::span<const std::size_t> WithClue(Clue clue) const {
    if (clue == Clue::kCapitals) return table_.capitals;
    if (clue == Clue::kSmall) return table_.small;
    return clue == Clue::kDots ? table_.dots : table_.colons;
  }
  const NumberShapes& shapes() const { return shapes_; }
  std::string_view KindOf(std::size_t order) const { return entries_[order].rule->kind; }
  // The bytes that an unfinished word may consist of.
  const ByteSet& held_bytes() const { return held_bytes_; }

 private:
  CompiledRules() = default;
  void Choose(const Options& options);
  Result<> Load();

  std::vector<RuleEntry> entries_;
  SequenceTable table_;
  NumberShapes shapes_;
  ByteSet held_bytes_;
  DatabasePtr database_;
  ScratchPtr scratch_;
};

}  // namespace belljar::judgement::redaction
