// Matcher: matches one candidate against its pattern, incrementally. Internal to this folder.
//
// It pauses when the available bytes end, and resumes when there are more. Offsets count from the
// beginning of the stream.
#pragma once

#include <cstdint>
#include <string_view>

#include "judgement/redaction/compiled.h"

namespace belljar::judgement::redaction {

// The bytes of a stream that are still in memory.
struct Window {
  std::string_view bytes;
  std::uint64_t base = 0;  // offset of bytes[0]
  bool ended = false;      // no more bytes will come

  std::uint64_t end() const { return base + bytes.size(); }
  unsigned char At(std::uint64_t offset) const {
    return static_cast<unsigned char>(bytes[offset - base]);
  }
  std::string_view Between(std::uint64_t begin, std::uint64_t to) const {
    return bytes.substr(begin - base, to - begin);
  }
};

struct Match {
  std::uint64_t begin = 0, end = 0;
  std::size_t order = 0;      // index of its rule in the table
  bool continuation = false;  // continues a match whose beginning was reported earlier
};

class Matcher {
 public:
  enum class State {
    kWaiting,  // for more bytes
    kFailed,
    kMatched,
    kOverlong,  // matched, and the secret may go on without limit in bytes of its last item
  };

  // Whether a candidate can begin before the anchor that ends at `anchor_end`; sets `begin`.
  static bool CanBegin(const Window& window, const CompiledSequence& compiled,
                       std::uint64_t anchor_end, std::uint64_t& begin);

  Matcher(const CompiledSequence& compiled, std::uint64_t begin)
      : compiled_(&compiled), at_(begin), secret_begin_(begin) {}

  State Advance(const Window& window);

  // Whether this matcher belongs to that sequence and began there. Valid only for patterns that are
  // redacted as a whole.
  bool Is(const CompiledSequence& compiled, std::uint64_t begin) const {
    return compiled_ == &compiled && secret_begin_ == begin;
  }

  bool in_secret() const { return item_ >= compiled_->sequence.secret_first; }
  std::uint64_t secret_begin() const { return secret_begin_; }
  std::uint64_t at() const { return at_; }
  const Match& match() const { return match_; }
  const ByteSet& last_set() const { return compiled_->sequence.items.back().set; }

 private:
  void NextItem();
  State Judge(const Window& window, State success);

  const CompiledSequence* compiled_;
  std::uint64_t at_;
  std::uint64_t secret_begin_;
  std::uint64_t secret_end_ = 0;
  std::size_t item_ = 0;
  std::uint32_t count_ = 0;
  Match match_;
};

}  // namespace belljar::judgement::redaction
