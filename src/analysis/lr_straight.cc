// The innermost loop of the driver.
#include "analysis/lr_driver.h"

namespace belljar::analysis {

// What the loop works on, in registers as far as they go.
struct LrDriver::Straight {
  using Ahead = LookupMemory::Ahead;

  LrTables::Lookups lookups;
  LrStack::Straight stack;
  LrParts::Desk desk;
  std::uint16_t entry = 0;  // what may be done, where Take stopped

  bool Roomy() const {
    return desk.next <= desk.limit && desk.next_listed <= desk.limit_listed &&
           stack.top <= stack.limit;
  }

  // What is to be done before a token, with what is on top.
  const Ahead* LookFrom(TSSymbol next) {
    LrStack::Place& top = *stack.top;
    if (stack.top == stack.bottom) return &lookups.After(top.state, next);
    const Ahead* const ahead = &lookups.AfterState(stack.top[-1].state, top.state, next);
    top.state = ahead->state;
    return ahead;
  }

  const Ahead* Reduce(const Ahead& how, TSSymbol next) {
    // Not to be read once the next place has been looked for, which may be the same.
    const unsigned count = how.count;
    const TSSymbol symbol = how.to;
    LrStack::Place* const base = stack.top - count;  // what the new part will stand on
    const LrStack::Place* const last = stack.top;
    const auto& action = lookups.CellAt(how.entry).action(0).reduce;
    const std::uint32_t end = last->position;
    const std::int32_t added = action.dynamic_precedence + last->precedence;
    const PartId id = desk.NextId();
    const Ahead* const ahead = &lookups.AfterSymbol(base->state, symbol, next);
    ::new (desk.next++) Part{.start = base == last ? end : desk.parts[base[1].link.part].start,
                             .end = end,
                             .first = desk.NextList(),
                             .count = count,
                             .precedence = added - base->precedence,
                             .symbol = symbol,
                             .production = action.production_id};
    for (const LrStack::Place* one = base; one != last;) *desk.next_listed++ = (++one)->link.part;
    stack.top = base;
    stack.Push(ahead->state, end, id, added);
    return ahead;
  }

  // As long as there is one thing to do, and nothing in the way. False: the token is not taken.
  bool Take(const Token& token) {
    const Ahead* ahead = LookFrom(token.symbol);
    const Part* const last = desk.next + kStraightSteps;
    while (ahead->act == LookupMemory::Act::kReduce && desk.next < last &&
           stack.top - stack.bottom >= ahead->count) {
      ahead = Reduce(*ahead, token.symbol);
    }
    entry = ahead->entry;
    if (ahead->act != LookupMemory::Act::kShift) return false;
    stack.Push(ahead->to, token.end, desk.NextId(), stack.top->precedence);
    ::new (desk.next++) Part(LrParts::Of(token, false));
    return true;
  }
};

// What Finish does of the only version, for as many tokens as there is one thing to do.
LrDriver::Step LrDriver::GoStraight(LrTables::Cell& cell, Reach& reach) {
  Straight straight{tables_->In(*memory_), stack_.Lend(kStraightSteps + 1),
                    parts_.Lend(kStraightSteps + 1, kStraightSteps * kMostChildren)};
  Step step = Step::kGoOn;
  ScannerState& scanner = stack_.versions().front().scanner;
  cached_ = token_;
  while (straight.Take(cached_)) {
    const LrStack::Place& top = *straight.stack.top;
    if (cached_.external) scanner = cached_.scanner;
    reach.Note(top.position);
    work_ += kStep;
    if (IsTimeToLook() || !straight.Roomy()) {
      step = Step::kDone;
      break;
    }
    if (!lexer_.Next(*memory_, top.state, top.position, scanner, cached_)) {
      step = Step::kGiveUp;
      break;
    }
    cached_at_ = top.position;
    cached_before_ = scanner;
  }
  cell = straight.lookups.CellAt(straight.entry);
  token_ = cached_;
  parts_.TakeBack(straight.desk);
  stack_.TakeBack(straight.stack);
  return step;
}

}  // namespace belljar::analysis
