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
}

TSStateId LrTables::AfterToken(LookupMemory& memory, TSStateId state, TSSymbol symbol) const {
  const Cell cell = CellOf(memory, state, symbol);
  if (cell.count == 0) return 0;
  const TSParseAction& last = cell.actions[cell.count - 1].action;
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
