// LrTables: what tree-sitter generated for a grammar, as our own driver reads it.
//
// The tables are tree-sitter's and so is the grammar; this only looks things up in them. Most
// states are written down as lists of symbols, which are slow to search, so that what was found is
// remembered for each thread (LookupMemory).
//
// Immutable, and lives as long as the program.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/lr_automaton.h"

namespace belljar::analysis {

// Whether what a scanner writes down needs to be given back to it before each token.
enum class ScannerKeeps {
  kNothing,  // always: it may know something else by then
  kState,    // only when that was another: a search that found nothing has left it as it was, and
             // what it writes down is all that it knows
};

// What there is to know of a grammar's scanner, of which its tables say nothing.
struct ScannerTraits {
  ScannerKeeps keeps = ScannerKeeps::kNothing;
  // Whether it would find none of the tokens marked in `wanted` where `rest` begins, and leave
  // everything as it was. Then it is not asked.
  bool (*finds_nothing)(const bool* wanted, std::string_view rest) = nullptr;
};

// What a thread has looked up in the tables of a language: its lexers, and the table values of
// states and symbols. Of these a place is shared by many pairs; the last one that was looked up has
// it.
struct LookupMemory {
  explicit LookupMemory(const TSLanguage& of)
      : language(&of), words(of.lex_fn), keywords(of.keyword_lex_fn), places(kPlaces) {}

  static constexpr unsigned kShift = 19;
  static constexpr std::size_t kPlaces = std::size_t{1} << (32 - kShift);
  struct Place {
    std::uint32_t key = ~0U;
    std::uint16_t value = 0;
  };
  const TSLanguage* language;
  LrAutomaton words;
  LrAutomaton keywords;
  std::vector<Place> places;
};

class LrTables {
 public:
  // What may be done in a state with a symbol.
  struct Cell {
    const TSParseActionEntry* actions = nullptr;
    unsigned count = 0;
    bool reusable = false;  // a token that was read in another state serves here, too

    // Whether there is one thing to do: to go round in a repetition is nothing by itself.
    bool Only() const {
      return count == 1 || (count == 2 && actions[1].action.type == TSParseActionTypeShift &&
                            actions[1].action.shift.repetition);
    }
  };
  // What a production says of its parts, by number.
  struct Production {
    const TSSymbol* aliases = nullptr;        // what it calls them; null: what they are
    std::span<const TSFieldMapEntry> fields;  // without what hidden parts say themselves
    bool silent = false;                      // it says nothing
  };

  explicit LrTables(const TSLanguage* language);

  // Whether they are laid out as this was written for.
  bool known() const { return ts_language_abi_version(language_) == 14; }
  const TSLanguage& language() const { return *language_; }

  Cell CellOf(LookupMemory& memory, TSStateId state, TSSymbol symbol) const {
    return In(memory).CellOf(state, symbol);
  }
  // Where the parser is after a symbol that is no token.
  TSStateId After(LookupMemory& memory, TSStateId state, TSSymbol symbol) const {
    return Lookup(memory, state, symbol);
  }
  // The same for a token.
  TSStateId AfterToken(LookupMemory& memory, TSStateId state, TSSymbol symbol) const;

  TSLexMode ModeOf(TSStateId state) const { return language_->lex_modes[state]; }
  const bool* ExternalTokens(std::uint16_t lex_state) const {
    return language_->external_scanner.states + language_->external_token_count * lex_state;
  }
  const Production& ProductionOf(std::uint16_t id) const { return productions_[id]; }

  std::uint16_t Lookup(LookupMemory& memory, TSStateId state, TSSymbol symbol) const {
    return In(memory).At(state, symbol);
  }

  // The same for many lookups: a copy whose parts can stay in registers.
  struct Lookups {
    const LrTables* tables;
    const std::uint16_t* large_states;
    LookupMemory::Place* remembered;
    const TSParseActionEntry* actions;
    std::uint32_t large_count;
    std::uint32_t symbols;

    std::uint16_t At(TSStateId state, TSSymbol symbol) const {
      if (state < large_count) return large_states[state * symbols + symbol];
      const std::uint32_t key = (std::uint32_t{state} << 16U) | symbol;
      LookupMemory::Place& place = remembered[(key * 0x9E3779B1U) >> LookupMemory::kShift];
      if (place.key != key) place = {key, tables->Search(state, symbol)};
      return place.value;
    }
    Cell CellOf(TSStateId state, TSSymbol symbol) const {
      const TSParseActionEntry* entry = &actions[At(state, symbol)];
      return {entry + 1, entry->entry.count, entry->entry.reusable};
    }
  };
  Lookups In(LookupMemory& memory) const {
    return {this,
            language_->parse_table,
            memory.places.data(),
            language_->parse_actions,
            language_->large_state_count,
            language_->symbol_count};
  }

 private:
  std::uint16_t Search(TSStateId state, TSSymbol symbol) const;

  const TSLanguage* language_;
  std::vector<Production> productions_;
  std::vector<TSFieldMapEntry> fields_;
};

}  // namespace belljar::analysis
