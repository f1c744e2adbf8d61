// The innermost loop of the driver.
#include "analysis/lr_driver.h"

namespace belljar::analysis {

// Returns the state it leads to. `base` is what the new part will stand on.
inline TSStateId LrDriver::ReduceStraight(const TSParseAction& action, LrStack::Place* base,
                                          const LrTables::Lookups& lookups,
                                          LrStack::Straight& stack, LrParts::Desk& desk) {
  const LrStack::Place* const last = stack.top;
  const std::uint32_t end = last->position;
  const std::int32_t added = action.reduce.dynamic_precedence + last->precedence;
  const TSSymbol symbol = action.reduce.symbol;
  const PartId id = desk.NextId();
  *desk.next++ = {.start = base == last ? end : desk.parts[base[1].link.part].start,
                  .end = end,
                  .first = desk.NextList(),
                  .count = action.reduce.child_count,
                  .precedence = added - base->precedence,
                  .symbol = symbol,
                  .production = action.reduce.production_id};
  for (const LrStack::Place* one = base; one != last;) *desk.next_listed++ = (++one)->link.part;
  const TSStateId next = lookups.At(base->state, symbol);
  stack.top = base;
  stack.Push(next, end, id, added);
  return next;
}

// What Finish does of the only version, as long as there is one thing to do, and nothing in the
// way. False: it is not done.
bool LrDriver::FinishStraight(LrTables::Cell& cell) {
  const auto lent = stack_.Lend(kStraightSteps + 1);
  if (!lent) return false;
  LrStack::Straight stack = *lent;
  LrParts::Desk desk = parts_.Lend(kStraightSteps + 1, kStraightSteps * kMostChildren);
  const LrTables::Lookups lookups = tables_->In(*memory_);
  const TSSymbol symbol = token_.symbol;
  const Part* const first = desk.next;
  LrTables::Cell here = cell;
  bool shifted = false;
  while (here.Only() && desk.next - first < kStraightSteps) {
    const TSParseAction& action = here.actions[0].action;
    if (action.type == TSParseActionTypeReduce) {
      if (stack.top - stack.bottom < action.reduce.child_count) break;
      LrStack::Place* const base = stack.top - action.reduce.child_count;
      here = lookups.CellOf(ReduceStraight(action, base, lookups, stack, desk), symbol);
      continue;
    }
    if (action.type != TSParseActionTypeShift || action.shift.repetition || action.shift.extra) {
      break;
    }
    stack.Push(action.shift.state, token_.end, desk.NextId(), stack.top->precedence);
    *desk.next++ = LrParts::Of(token_, false);
    shifted = true;
    break;
  }
  cell = here;
  work_ += kStep * static_cast<std::size_t>(desk.next - first);
  parts_.TakeBack(desk);
  stack_.TakeBack(stack);
  if (shifted && token_.external) stack_.versions().front().scanner = token_.scanner;
  return shifted;
}

}  // namespace belljar::analysis
