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
#include "analysis/lr_scanner.h"

namespace belljar::analysis {

// What a thread has looked up in the tables of a language: its lexers, the table values of states
// and symbols, and where a part leads. A place is shared by many questions; the last one that was
// asked has it.
struct LookupMemory {
  explicit LookupMemory(const TSLanguage& of)
      : language(&of),
        words(of.lex_fn),
        keywords(of.keyword_lex_fn),
        places(kPlaces),
        ahead(kPlacesAhead) {}

  static constexpr unsigned kShift = 19;
  static constexpr std::size_t kPlaces = std::size_t{1} << (32 - kShift);
  struct Place {
    std::uint32_t key = ~0U;
    std::uint16_t value = 0;
  };
  static constexpr unsigned kShiftAhead = 52;
  static constexpr std::size_t kPlacesAhead = std::size_t{1} << (64 - kShiftAhead);
  // What a part leads to, and what is to be done there, as far as that needs no other version.
  enum class Act : std::uint8_t { kOther, kReduce, kShift };
  struct Ahead {
    std::uint64_t key = ~std::uint64_t{0};
    TSStateId state = 0;
    std::uint16_t entry = 0;  // of the tables: all that may be done
    Act act = Act::kOther;
    std::uint8_t count = 0;  // of the parts that are reduced
    std::uint16_t to = 0;    // the symbol they become, or the state after a shift
  };
  const TSLanguage* language;
  LrAutomaton words;
  LrAutomaton keywords;
  std::vector<Place> places;
  std::vector<Ahead> ahead;
};

class LrTables {
 public:
  // What may be done in a state with a symbol.
  struct Cell {
    const TSParseActionEntry* entry = nullptr;

    unsigned count() const { return entry->entry.count; }
    const TSParseAction& action(unsigned number) const { return entry[1 + number].action; }
    // A token that was read in another state serves here, too.
    bool reusable() const { return entry->entry.reusable; }
    // Whether there is one thing to do: to go round in a repetition is nothing by itself.
    bool Only() const {
      return count() == 1 || (count() == 2 && action(1).type == TSParseActionTypeShift &&
                              action(1).shift.repetition);
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
  // The symbol that a part of a production has where the production calls it `alias`, if it is one
  // that parts may have been spared (Spares); or 0.
  TSSymbol SparedUnder(TSSymbol alias) const { return spared_under_[alias]; }

  std::uint16_t Lookup(LookupMemory& memory, TSStateId state, TSSymbol symbol) const {
    return In(memory).At(state, symbol);
  }

  // Whether a reduction does nothing but give its only part another, hidden symbol. Many states of
  // an expression grammar lead through ten of these for a name; where there is one way to go on,
  // the part can as well stay what it is.
  bool Spares(const TSParseAction& action) const {
    return action.type == TSParseActionTypeReduce && action.reduce.child_count == 1 &&
           action.reduce.dynamic_precedence == 0 &&
           productions_[action.reduce.production_id].silent && spared_[action.reduce.symbol];
  }

  // The same for many lookups: a copy whose parts can stay in registers.
  struct Lookups {
    const LrTables* tables;
    const std::uint16_t* large_states;
    LookupMemory::Place* remembered;
    LookupMemory::Ahead* ahead;
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
    Cell CellOf(TSStateId state, TSSymbol symbol) const { return CellAt(At(state, symbol)); }
    Cell CellAt(std::uint16_t place) const { return {&actions[place]}; }

    // Where a part on top of `base` leads before a token `next`, reductions that can be spared
    // done: the part has led to `state`, or is of a symbol.
    const LookupMemory::Ahead& AfterState(TSStateId base, TSStateId state, TSSymbol next) const {
      return Ahead((std::uint64_t{base} << 32U) | (std::uint64_t{state} << 16U) | next);
    }
    const LookupMemory::Ahead& AfterSymbol(TSStateId base, TSSymbol symbol, TSSymbol next) const {
      return Ahead(kOfSymbol | (std::uint64_t{base} << 32U) | (std::uint64_t{symbol} << 16U) |
                   next);
    }
    // The same where nothing is known of what the part stands on: nothing is spared.
    const LookupMemory::Ahead& After(TSStateId state, TSSymbol next) const {
      return Ahead(kAlone | (std::uint64_t{state} << 16U) | next);
    }

   private:
    friend LrTables;
    static constexpr std::uint64_t kOfSymbol = std::uint64_t{1} << 48U;
    static constexpr std::uint64_t kAlone = std::uint64_t{1} << 49U;

    const LookupMemory::Ahead& Ahead(std::uint64_t key) const {
      LookupMemory::Ahead& place = ahead[(key * 0x9E3779B97F4A7C15U) >> LookupMemory::kShiftAhead];
      if (place.key != key) place = tables->FindAhead(*this, key);
      return place;
    }
  };
  Lookups In(LookupMemory& memory) const {
    return {this,
            language_->parse_table,
            memory.places.data(),
            memory.ahead.data(),
            language_->parse_actions,
            language_->large_state_count,
            language_->symbol_count};
  }

 private:
  static constexpr int kMostSpared = 64;

  std::uint16_t Search(TSStateId state, TSSymbol symbol) const;
  LookupMemory::Ahead FindAhead(const Lookups& lookups, std::uint64_t key) const;
  void FindSpared();

  const TSLanguage* language_;
  std::vector<Production> productions_;
  std::vector<TSFieldMapEntry> fields_;
  std::vector<std::uint8_t> spared_;    // by symbol
  std::vector<TSSymbol> spared_under_;  // by symbol or alias
};

}  // namespace belljar::analysis
