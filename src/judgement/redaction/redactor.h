// Redactor: removes credentials and personal data from a stream of text.
//
// A secret is replaced by "[redacted:KIND]". The output depends only on the whole sequence of
// bytes, not on how they are split into pieces, down to single bytes. Bytes that belong to no
// secret pass unchanged, including invalid UTF-8 and NULs.
//
// How it works. Vectorscan, a multi-pattern matcher, sees each byte once in streaming mode and
// reports anchors: a few bytes with which a secret begins ("ghp_"), or the name before it
// ("api_key"). Each anchor starts a small matcher that follows the rule's pattern (pattern.h) byte
// by byte and can wait for the next piece. Secrets without letters to anchor on, above all numbers,
// are found separately (number.h). A candidate of the right shape is passed to the rule's check
// (checks.h). The rejected alternative is to let Vectorscan match whole patterns: it does not
// report which matches may still grow, so nothing could be released before the end of a line.
//
// Held-back bytes. Feed() returns everything up to the first byte that may still turn out to belong
// to a secret: the secret of an unfinished matcher, an unfinished word (at most 80 bytes), or an
// unfinished number (at most 48 bytes). A prompt such as "name? " is not delayed: "name" is
// released with the byte after it. A matcher holds back at most kMaxHeldBytes.
//
// Long secrets. A secret of unlimited length is checked after its first 4,096 bytes; the rest is
// dropped as it arrives, so that it is redacted as a whole and never stored. If an inner part of a
// pattern exceeds 16 KiB, it does not match.
//
// Overlaps. All bytes of all matches are redacted. Overlapping matches are merged into one; its
// kind is that of the leftmost match, then of the longest, then of the first in the table.
//
// Vectorscan's database. Compiling it takes about 50 ms, too long for each start of a command, so
// it is compiled at build time for three CPU feature levels and embedded: Create() then takes 2 ms.
// If none of them fits (another CPU architecture, another version of Vectorscan), each Create()
// compiles it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/json.h"
#include "foundation/base/result.h"

namespace belljar::judgement::redaction {

struct Options {
  bool credentials = true;
  bool personal = true;
  bool machine_addresses = false;  // IP and MAC addresses
};

// How many secrets of each kind were redacted.
using Counts = std::map<std::string, std::uint64_t>;

constexpr std::size_t kMaxHeldBytes = 64 << 10;

class CompiledRules;

// Whether the value is a whole number with at least 12 digits, like a payment card's. Shorter
// numbers are not secrets by themselves, so that a list of a million of them need not be checked
// one by one.
bool IsLongNumber(const json::value& value);

// Immutable; threads may share it. Create it once and keep it.
class Redactor {
 public:
  static Result<std::shared_ptr<const Redactor>> Create(const Options& options = {});
  ~Redactor();

  // Redacts a whole text; adds to `counts`.
  std::string RedactWhole(std::string_view text, Counts& counts) const;

  const CompiledRules& rules() const { return *rules_; }

 private:
  explicit Redactor(std::unique_ptr<const CompiledRules> rules);

  std::unique_ptr<const CompiledRules> rules_;
};

// Redacts one stream. Not thread-safe.
class StreamRedactor {
 public:
  // Shared ownership, because a stream may outlive the configuration that its redactor belongs to.
  explicit StreamRedactor(std::shared_ptr<const Redactor> redactor);
  ~StreamRedactor();
  StreamRedactor(StreamRedactor&&) noexcept;
  StreamRedactor& operator=(StreamRedactor&&) noexcept;

  // Processes the next bytes and returns the output that is final.
  std::string Feed(std::string_view bytes);

  // Ends the stream and returns the rest. Feed() must not be called afterwards.
  std::string Finish();

  const Counts& counts() const;

  // How many bytes are held back.
  std::size_t held() const;

 private:
  class Impl;
  std::shared_ptr<const Redactor> redactor_;
  std::unique_ptr<Impl> impl_;
};

// A kind of secret, described for a person; listed in the order of the table.
struct KindInfo {
  std::string_view kind;
  std::string_view group;    // "credential", "personal" or "machine"
  std::string_view pattern;  // the kind's first rule
};
std::vector<KindInfo> ListKinds();

}  // namespace belljar::judgement::redaction
