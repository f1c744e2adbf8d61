// The innermost loop of the driver.
#include "analysis/lr_driver.h"

namespace belljar::analysis {

// Returns the state it leads to.
inline TSStateId LrDriver::ReduceStraight(const TSParseAction& action,
                                          const LrTables::Lookups& lookups,
                                          LrStack::Straight& stack, LrParts::Desk& desk) {
  const std::uint32_t count = action.reduce.child_count;
  const TSSymbol symbol = action.reduce.symbol;
  const LrStack::Place* const last = stack.top;
  LrStack::Place* const base = stack.top - count;
  const std::uint32_t end = last->position;
  const std::int32_t precedence =
      action.reduce.dynamic_precedence + last->precedence - base->precedence;
  const std::uint32_t list = desk.list_id;
  const std::uint32_t start = count == 0 ? end : desk.parts[base[1].link.part].start;
  for (const LrStack::Place* one = base; one != last;) *desk.next_list++ = (++one)->link.part;
  desk.list_id += count;
  const std::uint16_t production = action.reduce.production_id;
  *desk.next = {start, end, list, count, precedence, symbol, production, false, false};
  const TSStateId next = lookups.At(base->state, symbol);
  stack.top = base;
  stack.id -= count;
  stack.Push(next, *desk.next++, desk.id++);
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
  bool shifted = false;
  unsigned steps = 0;
  for (; cell.count == 1 && steps < kStraightSteps && !shifted; ++steps) {
    const TSParseAction& action = cell.actions[0].action;
    if (action.type == TSParseActionTypeReduce) {
      if (stack.top - stack.bottom < action.reduce.child_count) break;
      cell = lookups.CellOf(ReduceStraight(action, lookups, stack, desk), symbol);
    } else if (action.type == TSParseActionTypeShift && !action.shift.repetition &&
               !action.shift.extra) {
      *desk.next = LrParts::Of(token_, false);
      stack.Push(action.shift.state, *desk.next++, desk.id++);
      shifted = true;
    } else {
      break;
    }
  }
  work_ += kStep * steps;
  parts_.TakeBack(desk);
  stack_.TakeBack(stack);
  if (shifted && token_.external) stack_.versions().front().scanner = token_.scanner;
  return shifted;
}

}  // namespace belljar::analysis
