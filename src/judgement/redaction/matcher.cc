#include "judgement/redaction/matcher.h"

#include <algorithm>

namespace belljar::judgement::redaction {
namespace {

bool IsWordByte(unsigned char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool IsHexByte(unsigned char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// Whether the letter before `offset` is the end of an escape: "\n", "%3D", or a terminal's
// "\x1b[32m".
bool EndsEscape(const Window& window, std::uint64_t offset) {
  constexpr std::uint64_t kLongestEscape = 16;
  const auto at = [&](std::uint64_t back) -> unsigned char {
    return offset - window.base >= back ? window.At(offset - back) : 0;
  };
  const std::string_view escaped = "nrtfvb0";
  if (at(2) == '\\' && escaped.contains(static_cast<char>(at(1)))) return true;
  if (at(3) == '%' && IsHexByte(at(2)) && IsHexByte(at(1))) return true;
  if (at(1) != 'm') return false;
  std::uint64_t back = 2;
  while (back < kLongestEscape && ((at(back) >= '0' && at(back) <= '9') || at(back) == ';')) ++back;
  return at(back) == '[' && at(back + 1) == 0x1b;
}

bool BeginsWord(const Window& window, std::uint64_t offset) {
  if (offset == window.base || !IsWordByte(window.At(offset - 1))) return true;
  return EndsEscape(window, offset);
}

}  // namespace

bool Matcher::CanBegin(const Window& window, const CompiledSequence& compiled,
                       std::uint64_t anchor_end, std::uint64_t& begin) {
  const Sequence& sequence = compiled.sequence;
  if (anchor_end - window.base < sequence.anchor_bytes) return false;
  begin = anchor_end - sequence.anchor_bytes;
  if (sequence.has_lead) {
    const Item& lead = sequence.items[0];
    std::uint32_t count = 0;
    while (begin > window.base && count <= lead.most && lead.set.Has(window.At(begin - 1))) {
      --begin;
      ++count;
    }
    if (count > lead.most) return false;
    for (; count > 0 && sequence.secret_first == 0 && !IsFirstByte(window.At(begin)); --count) {
      ++begin;
    }
    if (count < lead.least) return false;
  }
  return sequence.secret_first > 0 || BeginsWord(window, begin);
}

void Matcher::NextItem() {
  ++item_;
  count_ = 0;
  if (item_ == compiled_->sequence.secret_first) secret_begin_ = at_;
  if (item_ == compiled_->sequence.secret_last) secret_end_ = at_;
}

Matcher::State Matcher::Judge(const Window& window, State success) {
  const std::uint64_t end = success == State::kOverlong ? at_ : secret_end_;
  const std::uint64_t context = std::min<std::uint64_t>(secret_begin_ - window.base, kContextBytes);
  const Candidate candidate = {window.Between(secret_begin_, end),
                               window.Between(secret_begin_ - context, secret_begin_),
                               end < window.end() ? static_cast<int>(window.At(end)) : -1};
  const std::size_t size = compiled_->rule->check(candidate);
  if (size == 0) return State::kFailed;
  match_ = {secret_begin_, secret_begin_ + size, compiled_->order};
  return size < candidate.text.size() ? State::kMatched : success;
}

Matcher::State Matcher::Advance(const Window& window) {
  const auto& items = compiled_->sequence.items;
  while (item_ < items.size()) {
    const Item& item = items[item_];
    const std::uint32_t limit = item.most == kOpen ? kJudgedBytes : item.most;
    while (count_ < limit && at_ < window.end() && item.set.Has(window.At(at_))) {
      ++count_;
      ++at_;
    }
    if (at_ == window.end() && !window.ended && (count_ < limit || item.most == kOpen)) {
      return State::kWaiting;
    }
    const bool overlong =
        item.most == kOpen && count_ == limit && at_ < window.end() && item.set.Has(window.At(at_));
    if (overlong) return Judge(window, State::kOverlong);
    if (count_ < item.least) return State::kFailed;
    NextItem();
  }
  if (at_ == window.end() && !window.ended) return State::kWaiting;
  const bool to_the_end = compiled_->sequence.secret_last == items.size();
  if (to_the_end && compiled_->rule->ending == Ending::kWord && at_ < window.end() &&
      (IsWordByte(window.At(at_)) || items.back().set.Has(window.At(at_)))) {
    return State::kFailed;
  }
  return Judge(window, State::kMatched);
}

}  // namespace belljar::judgement::redaction
