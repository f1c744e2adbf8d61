#include "analysis/lr_tables.h"

#include <algorithm>
#include <iterator>

namespace belljar::analysis {

LrTables::LrTables(const TSLanguage* language) : language_(language) {
  std::vector<std::size_t> ends;
  for (std::uint32_t id = 0; id < language->production_id_count; ++id) {
    Production& made = productions_.emplace_back();
    const std::size_t length = language->max_alias_sequence_length;
    const TSSymbol* aliases = language->alias_sequences + id * length;
    const bool any = std::any_of(aliases, aliases + length, [](TSSymbol one) { return one != 0; });
    if (id != 0 && any) made.aliases = aliases;
    if (language->field_count > 0) {
      const auto& slice = language->field_map_slices[id];
      const TSFieldMapEntry* entries = language->field_map_entries + slice.index;
      std::copy_if(entries, entries + slice.length, std::back_inserter(fields_),
                   [](const TSFieldMapEntry& entry) { return !entry.inherited; });
    }
    ends.push_back(fields_.size());
  }
  for (std::size_t id = 0, start = 0; id < ends.size(); start = ends[id++]) {
    Production& made = productions_[id];
    made.fields = {fields_.data() + start, ends[id] - start};
    made.silent = made.fields.empty() && made.aliases == nullptr;
  }
  FindSpared();
}

// Hidden symbols. Of those that productions call something else now and then, the ones whose other
// names are no symbols of their own, so that the name tells what was there.
void LrTables::FindSpared() {
  const std::uint32_t symbols = language_->symbol_count;
  spared_under_.assign(symbols + language_->alias_count, 0);
  for (std::uint32_t symbol = 0; symbol < symbols; ++symbol) {
    spared_.push_back(language_->symbol_metadata[symbol].visible ? 0 : 1);
  }
  for (const std::uint16_t* at = language_->alias_map; *at != 0; at += 2 + at[1]) {
    const std::span names(at + 3, at[1] - 1U);  // behind its own
    const bool told = std::all_of(names.begin(), names.end(), [&](TSSymbol name) {
      return name >= symbols && spared_under_[name] == 0;
    });
    if (!told) spared_[at[0]] = 0;
    if (spared_[at[0]] == 0) continue;
    for (const TSSymbol name : names) spared_under_[name] = at[0];
  }
}

LookupMemory::Ahead LrTables::FindAhead(const Lookups& lookups, std::uint64_t key) const {
  const auto base = static_cast<TSStateId>(key >> 32U);
  const auto middle = static_cast<std::uint16_t>(key >> 16U);
  const auto next = static_cast<TSSymbol>(key);
  const int most = (key & Lookups::kAlone) != 0 ? 0 : kMostSpared;
  LookupMemory::Ahead found{key};
  found.state = (key & Lookups::kOfSymbol) != 0 ? lookups.At(base, middle) : middle;
  found.entry = lookups.At(found.state, next);
  for (int steps = 0; steps < most; ++steps) {
    const Cell cell = lookups.CellAt(found.entry);
    if (!cell.Only() || !Spares(cell.action(0))) break;
    found.state = lookups.At(base, cell.action(0).reduce.symbol);
    found.entry = lookups.At(found.state, next);
  }
  const Cell cell = lookups.CellAt(found.entry);
  if (!cell.Only()) return found;
  const TSParseAction& action = cell.action(0);
  if (action.type == TSParseActionTypeReduce) {
    found.act = LookupMemory::Act::kReduce;
    found.count = action.reduce.child_count;
    found.to = action.reduce.symbol;
  } else if (action.type == TSParseActionTypeShift && !action.shift.repetition &&
             !action.shift.extra) {
    found.act = LookupMemory::Act::kShift;
    found.to = action.shift.state;
  }
  return found;
}

TSStateId LrTables::AfterToken(LookupMemory& memory, TSStateId state, TSSymbol symbol) const {
  const Cell cell = CellOf(memory, state, symbol);
  if (cell.count() == 0) return 0;
  const TSParseAction& last = cell.action(cell.count() - 1);
  if (last.type != TSParseActionTypeShift) return 0;
  return last.shift.extra ? state : last.shift.state;
}

// A small state: groups of symbols that have the same value.
std::uint16_t LrTables::Search(TSStateId state, TSSymbol symbol) const {
  const std::uint32_t index =
      language_->small_parse_table_map[state - language_->large_state_count];
  const std::uint16_t* at = &language_->small_parse_table[index];
  for (std::uint16_t groups = *at++; groups > 0; --groups) {
    const std::uint16_t value = at[0];
    const std::uint16_t* const end = at + 2 + at[1];
    if (std::find(at + 2, end, symbol) != end) return value;
    at = end;
  }
  return 0;
}

}  // namespace belljar::analysis
