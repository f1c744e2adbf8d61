#include <string.h>

#include <algorithm>

#include "judgement/redaction/matcher.h"

namespace belljar::judgement::redaction {
namespace {

// How many bytes already released are kept, for anchors, leads and checks that look back.
constexpr std::size_t kHistoryBytes = 256;
// Larger inputs are processed in slices of this size, so that the data stays in the cache between
// the steps.
constexpr std::size_t kSliceBytes = 32 << 10;

bool ComesFirst(const Match& a, const Match& b) {
  if (a.begin != b.begin) return a.begin < b.begin;
  if (a.continuation != b.continuation) return a.continuation;
  if (a.end != b.end) return a.end > b.end;
  return a.order < b.order;
}

}  // namespace

class StreamRedactor::Impl {
 public:
  explicit Impl(const CompiledRules& rules) : rules_(rules) {
    hs_scratch_t* scratch = nullptr;
    if (::hs_clone_scratch(rules.scratch(), &scratch) == HS_SUCCESS) scratch_.reset(scratch);
    if (::hs_open_stream(rules.database(), 0, &stream_) != HS_SUCCESS) stream_ = nullptr;
    broken_ = scratch_ == nullptr || stream_ == nullptr;
  }

  ~Impl() {
    if (stream_ != nullptr) ::hs_close_stream(stream_, nullptr, nullptr, nullptr);
    ::explicit_bzero(buffer_.data(), buffer_.size());
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void Take(std::string_view slice, std::string& out) {
    if (broken_) return Refuse(out);
    buffer_.append(slice);
    window_.bytes = buffer_;
    Continue();
    hits_.clear();
    if (::hs_scan_stream(stream_, slice.data(), static_cast<unsigned>(slice.size()), 0,
                         scratch_.get(), OnAnchor, &hits_) != HS_SUCCESS) {
      broken_ = true;
      return Refuse(out);
    }
    for (const AnchorHit& hit : hits_) Begin(rules_.WithAnchor(hit.id), hit.end);
    BeginOthers(slice);
    Emit(Settle(), out);
    Forget();
  }

  void End(std::string& out) {
    if (broken_ || window_.ended) return;
    window_.ended = true;
    Continue();
    FindNumbersUntil(window_.end());
    Emit(window_.end(), out);
  }

  const Counts& counts() const { return counts_; }
  std::size_t held() const { return static_cast<std::size_t>(window_.end() - emitted_); }

 private:
  struct AnchorHit {
    unsigned id;
    std::uint64_t end;
  };

  // The rest of a secret that was matched before its end was reached.
  struct SecretTail {
    const ByteSet* set;
    std::uint64_t at;
  };

  static int OnAnchor(unsigned id, unsigned long long, unsigned long long to, unsigned,
                      void* hits) {
    static_cast<std::vector<AnchorHit>*>(hits)->push_back({id, to});
    return 0;
  }

  // After a failure of Vectorscan nothing is released, because secrets could no longer be found.
  void Refuse(std::string& out) {
    if (!told_) out += "[redacted:unavailable]";
    if (!told_) ++counts_["unavailable"];
    told_ = true;
  }

  // Starts matchers for the finders other than Vectorscan.
  void BeginOthers(std::string_view slice) {
    const std::uint64_t offset = window_.end() - slice.size();
    for (std::size_t at = slice.find('@'); at != slice.npos && !rules_.at_signs().empty();
         at = slice.find('@', at + 1)) {
      Begin(rules_.at_signs(), offset + at + 1);
    }
    for (const Clue clue : {Clue::kCapitals, Clue::kSmall, Clue::kDots, Clue::kColons})
      BeginAtClues(clue, offset);
  }

  // A clue near the end of the previous bytes may be complete only now, so those bytes are searched
  // again.
  void BeginAtClues(Clue clue, std::uint64_t offset) {
    if (rules_.WithClue(clue).empty()) return;
    const std::size_t known = static_cast<std::size_t>(offset - window_.base);
    const bool by_letters = clue == Clue::kCapitals || clue == Clue::kSmall;
    const std::size_t again = by_letters ? 1 : kClueBytes;
    const std::size_t anchor_end = by_letters ? 2 : 1;
    clues_.clear();
    FindClues(clue, window_.bytes, known - std::min(known, again), window_.bytes.size(), clues_);
    for (const std::size_t at : clues_) {
      Begin(rules_.WithClue(clue), window_.base + at + anchor_end);
    }
  }

  void Begin(std::span<const std::size_t> sequences, std::uint64_t anchor_end) {
    for (const std::size_t index : sequences) {
      const CompiledSequence& compiled = rules_.sequence(index);
      std::uint64_t begin = 0;
      if (!Matcher::CanBegin(window_, compiled, anchor_end, begin)) continue;
      if (IsWaiting(compiled, begin)) continue;
      Matcher matcher(compiled, begin);
      if (Follow(matcher)) open_.push_back(matcher);
    }
  }

  // Whether a matcher for this candidate is open already: clues are found more than once.
  bool IsWaiting(const CompiledSequence& compiled, std::uint64_t begin) const {
    if (compiled.rule->finder != Finder::kDots && compiled.rule->finder != Finder::kColons) {
      return false;
    }
    return std::any_of(open_.begin(), open_.end(),
                       [&](const Matcher& matcher) { return matcher.Is(compiled, begin); });
  }

  // Advances a matcher; true if it waits for more bytes.
  bool Follow(Matcher& matcher) {
    const Matcher::State state = matcher.Advance(window_);
    if (state == Matcher::State::kWaiting) return true;
    if (state == Matcher::State::kFailed) return false;
    matches_.push_back(matcher.match());
    if (state == Matcher::State::kOverlong) {
      tails_.push_back({&matcher.last_set(), matcher.match().end});
      Swallow();
    }
    return false;
  }

  // Resumes everything that waited for these bytes.
  void Continue() {
    Swallow();
    std::erase_if(open_, [&](Matcher& matcher) { return !Follow(matcher); });
  }

  void Swallow() {
    std::erase_if(tails_, [&](SecretTail& rest) {
      const std::uint64_t begin = rest.at;
      while (rest.at < window_.end() && rest.set->Has(window_.At(rest.at))) ++rest.at;
      if (rest.at > begin) matches_.push_back({begin, rest.at, 0, true});
      return rest.at < window_.end();
    });
    // The remaining tails all stand at the end of the bytes, so tails with equal sets behave the
    // same: one of each is kept.
    std::sort(tails_.begin(), tails_.end(),
              [](const SecretTail& a, const SecretTail& b) { return a.set < b.set; });
    const auto same = [](const SecretTail& a, const SecretTail& b) { return a.set == b.set; };
    tails_.erase(std::unique(tails_.begin(), tails_.end(), same), tails_.end());
  }

  void FindNumbersUntil(std::uint64_t to) {
    if (to <= numbers_done_) return;
    numbers_.clear();
    FindNumbers(window_.bytes, static_cast<std::size_t>(numbers_done_ - window_.base),
                static_cast<std::size_t>(to - window_.base), rules_.shapes(), numbers_);
    for (const NumberMatch& found : numbers_) {
      matches_.push_back({window_.base + found.begin, window_.base + found.end, found.order});
    }
    numbers_done_ = to;
  }

  // Returns the offset of the first byte that is still undecided.
  std::uint64_t Settle() {
    std::uint64_t horizon = window_.end();
    if (!rules_.shapes().empty()) horizon = window_.base + OpenNumberStart(window_.bytes);
    FindNumbersUntil(horizon);
    horizon = std::min(horizon, OpenWordStart());
    for (const Matcher& matcher : open_) {
      if (matcher.in_secret()) horizon = std::min(horizon, matcher.secret_begin());
    }
    return horizon;
  }

  // The start of a word at the end that may still become the beginning of a secret.
  std::uint64_t OpenWordStart() const {
    const std::uint64_t end = window_.end();
    const std::uint64_t least =
        end - std::min<std::uint64_t>(window_.bytes.size(), kMaxUnanchoredBytes);
    std::uint64_t start = end;
    for (std::uint64_t at = end; at > least && rules_.held_bytes().Has(window_.At(at - 1)); --at) {
      // No secret contains two dots in a row, so "Loading..." is not held back.
      if (window_.At(at - 1) == '.' && at < end && window_.At(at) == '.') break;
      if (IsFirstByte(window_.At(at - 1))) start = at - 1;
    }
    return start;
  }

  void Emit(std::uint64_t horizon, std::string& out) {
    std::sort(matches_.begin(), matches_.end(), ComesFirst);
    auto next = matches_.begin();
    for (; next != matches_.end() && (next->begin < horizon || window_.ended); ++next) {
      if (!next->continuation && next->begin >= covered_) {
        EmitPlain(next->begin, out);
        const std::string_view kind = rules_.KindOf(next->order);
        out.append("[redacted:").append(kind).append("]");
        ++counts_[std::string(kind)];
      }
      covered_ = std::max(covered_, next->end);
      emitted_ = std::max(emitted_, covered_);
    }
    matches_.erase(matches_.begin(), next);
    EmitPlain(horizon, out);
  }

  void EmitPlain(std::uint64_t to, std::string& out) {
    if (to <= emitted_) return;
    out.append(window_.Between(emitted_, to));
    emitted_ = to;
  }

  void Forget() {
    const std::uint64_t decided = std::min({emitted_, numbers_done_, Undecided()});
    if (decided < window_.base + kHistoryBytes + kSliceBytes / 8) return;
    const auto gone = static_cast<std::size_t>(decided - kHistoryBytes - window_.base);
    buffer_.erase(0, gone);
    window_.base += gone;
    window_.bytes = buffer_;
  }

  // The first byte that a waiting matcher may still look at.
  std::uint64_t Undecided() const {
    std::uint64_t least = emitted_;
    for (const Matcher& matcher : open_) {
      least = std::min(least, matcher.in_secret() ? matcher.secret_begin() : matcher.at());
    }
    return least;
  }

  const CompiledRules& rules_;
  ScratchPtr scratch_;
  hs_stream_t* stream_ = nullptr;
  std::string buffer_;  // at least kHistoryBytes released bytes, then the held-back ones
  Window window_;
  std::vector<AnchorHit> hits_;
  std::vector<Matcher> open_;
  std::vector<SecretTail> tails_;
  std::vector<Match> matches_;  // found, but not applied yet
  std::vector<NumberMatch> numbers_;
  std::vector<std::size_t> clues_;
  std::uint64_t emitted_ = 0;       // everything before it is released or redacted
  std::uint64_t covered_ = 0;       // end of the last secret
  std::uint64_t numbers_done_ = 0;  // numbers that start before it are decided
  Counts counts_;
  bool broken_ = false;
  bool told_ = false;
};

StreamRedactor::StreamRedactor(std::shared_ptr<const Redactor> redactor)
    : redactor_(std::move(redactor)), impl_(std::make_unique<Impl>(redactor_->rules())) {}
StreamRedactor::~StreamRedactor() = default;
StreamRedactor::StreamRedactor(StreamRedactor&&) noexcept = default;
StreamRedactor& StreamRedactor::operator=(StreamRedactor&&) noexcept = default;

std::string StreamRedactor::Feed(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() + impl_->held());
  for (std::size_t at = 0; at < bytes.size(); at += kSliceBytes) {
    impl_->Take(bytes.substr(at, kSliceBytes), out);
  }
  return out;
}

std::string StreamRedactor::Finish() {
  std::string out;
  impl_->End(out);
  return out;
}

const Counts& StreamRedactor::counts() const { return impl_->counts(); }
std::size_t StreamRedactor::held() const { return impl_->held(); }

}  // namespace belljar::judgement::redaction
