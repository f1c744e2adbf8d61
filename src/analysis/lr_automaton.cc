#include "analysis/lr_automaton.h"

#include <algorithm>

namespace belljar::analysis {
namespace {

bool Continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

}  // namespace

void LookFar(LrSource& source) {
  const auto lead = static_cast<unsigned char>(source.text[source.at]);
  const std::uint32_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  bool well = lead >= 0xC2 && lead <= 0xF4 && source.size - source.at > more;
  std::uint32_t code = lead & (0x3FU >> more);
  for (std::uint32_t i = 1; well && i <= more; ++i) {
    const char next = source.text[source.at + i];
    well = Continues(next);
    code = (code << 6U) | (static_cast<unsigned char>(next) & 0x3FU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0x80, 0x800, 0x10000};
  if (!well || code < kLeast[more] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
    source.odd = true;
    source.seen.lookahead = -1;
    return;
  }
  source.width = more + 1;
  source.seen.lookahead = static_cast<std::int32_t>(code);
}

LrAutomaton::Move LrAutomaton::Ask(TSStateId state, std::int32_t character) const {
  LrProbe probe{};
  probe.at_end = character == kEndOfText;
  probe.seen.lookahead = probe.at_end ? 0 : character;
  probe.seen.mark_end = [](TSLexer*) {};
  probe.seen.eof = [](const TSLexer* lexer) {
    return reinterpret_cast<const LrProbe*>(lexer)->at_end;
  };
  Move move;
  if (function_(&probe.seen, state)) move.accepted = probe.seen.result_symbol;
  if (probe.moved) move.next = probe.next;
  move.skips = probe.moved && probe.skips;
  return move;
}

void LrAutomaton::Know(TSStateId state) {
  if (state >= accepted_.size()) {
    const std::size_t count = std::size_t{state} + 1;
    steps_.resize(count * kPlain, kUnknown);
    accepted_.resize(count, kUnknownSymbol);
  }
  if (accepted_[state] == kUnknownSymbol) accepted_[state] = Ask(state, kEndOfText).accepted;
}

std::uint16_t LrAutomaton::Learn(TSStateId state, std::int32_t character) {
  const Move move = Ask(state, character);
  std::uint16_t step = kStop;
  if (move.next != kNowhere) {
    Know(move.next);
    const bool accepts = accepted_[move.next] != kNothing;
    step = static_cast<std::uint16_t>(move.next | (move.skips ? kSkips : 0) |
                                      (accepts ? kAccepts : 0));
  }
  const auto column = static_cast<unsigned>(character);
  if (column < kPlain) steps_[state * kPlain + column] = step;
  return step;
}

// What the table does not have, the character at `source.at` being of `source.width` bytes.
std::uint16_t LrAutomaton::Beyond(LrSource& source, TSStateId state) {
  source.width = 0;
  if (source.at >= source.size) return Learn(state, kEndOfText);
  const auto byte = static_cast<unsigned char>(source.text[source.at]);
  source.width = 1;
  if (byte < kPlain) return Learn(state, byte);
  LookFar(source);
  return source.odd ? kStop : Learn(state, source.seen.lookahead);
}

bool LrAutomaton::Run(LrSource& source, TSStateId state) {
  if (state >= accepted_.size() || accepted_[state] == kUnknownSymbol) Know(state);
  const auto* const text = reinterpret_cast<const unsigned char*>(source.text);
  const std::uint16_t* row = &steps_[state * kPlain];
  const std::uint32_t size = source.size;
  std::uint32_t at = source.at;
  std::uint32_t start = at;
  std::uint32_t end = at;
  TSStateId last = state;  // that accepts something
  for (;;) {
    const unsigned byte = at < size ? text[at] : kPlain;
    std::uint16_t step = byte < kPlain ? row[byte] : kUnknown;
    std::uint32_t width = 1;
    if (step == kStop) break;
    if (step == kUnknown) {
      source.at = at;
      step = Beyond(source, state);
      if (step == kStop) break;
      width = source.width;
    }
    at += width;
    state = step & kStates;
    // Mostly it goes on as it has just done, and need not wait for where each character leads.
    row = &steps_[state * kPlain];
    while (at < size && text[at] < kPlain && row[text[at]] == step) ++at;
    start = (step & kSkips) != 0 ? at : start;
    last = (step & kAccepts) != 0 ? state : last;
    end = (step & kAccepts) != 0 ? at : end;
  }
  source.at = at;
  source.start = start;
  source.end = end;
  source.seen.result_symbol = accepted_[last];
  return accepted_[last] != kNothing && !source.odd;
}

}  // namespace belljar::analysis
