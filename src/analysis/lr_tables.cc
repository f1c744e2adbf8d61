#include "analysis/lr_tables.h"

#include <algorithm>

namespace belljar::analysis {

TSStateId LrTables::AfterToken(LookupMemory& memory, TSStateId state, TSSymbol symbol) const {
  const Cell cell = CellOf(memory, state, symbol);
  if (cell.count == 0) return 0;
  const TSParseAction& last = cell.actions[cell.count - 1].action;
  if (last.type != TSParseActionTypeShift) return 0;
  return last.shift.extra ? state : last.shift.state;
}

// A small state: groups of symbols that have the same value.
std::uint16_t LrTables::Search(TSStateId state, TSSymbol symbol) const {
  const std::uint32_t index = language_->small_parse_table_map[state - language_->large_state_count];
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
