// Redactor: takes credentials and personal data out of text while it streams.
//
// A secret is replaced by "[redacted:KIND]". What comes out is a function of the whole sequence of
// bytes and of nothing else: however the bytes are cut into pieces, one at a time included, the
// output is the same. Bytes that belong to no secret pass as they are, invalid UTF-8 and NULs too.
//
// How. Vectorscan, in streaming mode, sees each byte once and reports anchors: a few bytes with
// which a secret begins ("ghp_"), or the name before it ("api_key"). Each anchor starts a small
// matcher that follows the rule's pattern (pattern.h) byte by byte and can wait for the next piece;
// what has no letters to go by, numbers above all, is found apart (number.h). What has the right
// shape is put to the rule's check (checks.h). Letting Vectorscan match whole patterns was the
// other way: it does not say which matches may still grow, so that nothing could be let out before
// the end of a line.
//
// What is held back. Feed() returns everything up to the first byte that may yet turn out to belong
// to a secret: the secret of an unfinished matcher, an unfinished word (80 bytes at most), an
// unfinished number (48 bytes at most). A prompt such as "name? " comes out at once, "name" with
// the byte after it. A matcher holds at most kMaxHeldBytes.
//
// Long secrets. A secret without an upper length is judged by its first 4,096 bytes; what follows
// of it is dropped as it comes, so that it is redacted whole and never stored. Where an inner part
// of a pattern exceeds 16 KiB there is no match.
//
// Overlaps. All bytes of all matches are redacted. Matches that overlap become one; it gets the
// kind of the leftmost, of those the longest, of those the first in the table.
//
// The database. Compiling takes some 50 ms, too much for each start of a command; so it is compiled
// when Belljar is built, for three levels of the CPU, and embedded: Create() then takes 2 ms. When
// none of them fits (another CPU, another Vectorscan than at build time) each Create() compiles.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace belljar::redact {

struct Options {
  bool credentials = true;
  bool personal = true;
  bool machine_addresses = false;  // IP and MAC addresses
};

// How many of each kind were redacted.
using Counts = std::map<std::string, std::uint64_t>;

constexpr std::size_t kMaxHeldBytes = 64 << 10;

class CompiledRules;

// A whole number with as many digits as a payment card's: shorter ones are no secret by themselves,
// and a list of a million of them is not looked at one by one.
bool IsLongNumber(const json::value& value);

// Immutable; threads may share it. Create it once and keep it.
class Redactor {
 public:
  static Result<std::shared_ptr<const Redactor>> Create(const Options& options = {});
  ~Redactor();

  // Adds to `counts`.
  std::string RedactWhole(std::string_view text, Counts& counts) const;

  const CompiledRules& rules() const { return *rules_; }

 private:
  explicit Redactor(std::unique_ptr<const CompiledRules> rules);

  std::unique_ptr<const CompiledRules> rules_;
};

// One stream. Not thread-safe.
class StreamRedactor {
 public:
  // Shared, because a stream may outlive the configuration that its redactor came from.
  explicit StreamRedactor(std::shared_ptr<const Redactor> redactor);
  ~StreamRedactor();
  StreamRedactor(StreamRedactor&&) noexcept;
  StreamRedactor& operator=(StreamRedactor&&) noexcept;

  // What may go out now.
  std::string Feed(std::string_view bytes);

  // The rest. Nothing may be fed afterwards.
  std::string Finish();

  const Counts& counts() const;

  // Bytes that were fed and neither came out nor were redacted yet.
  std::size_t held() const;

 private:
  class Impl;
  std::shared_ptr<const Redactor> redactor_;
  std::unique_ptr<Impl> impl_;
};

// For people: every kind that is known, in the order of the table.
struct KindInfo {
  std::string_view kind;
  std::string_view group;    // "credential", "personal" or "machine"
  std::string_view pattern;  // of its first rule
};
std::vector<KindInfo> ListKinds();

}  // namespace belljar::redact
