// Clean: redacts everything that leaves, both the streamed output and the result.
//
// A Cleaner belongs to one run. Each stream has its own redactor, so that a secret split over two
// writes is still found; everything else the guest hands over is redacted as a whole.
//
// Where the caller wants text that is safe to display (TextMode), escape sequences are removed or
// made visible before redaction: a secret interleaved with escape sequences would otherwise pass
// the redactor and be reassembled afterwards.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "foundation/base/json.h"
#include "foundation/base/safe_text.h"
#include "judgement/redaction/redactor.h"
#include "run/capture.h"

namespace belljar::run {

struct RunResult;

class Cleaner {
 public:
  // `redactor` null: nothing is redacted.
  explicit Cleaner(std::shared_ptr<const judgement::redaction::Redactor> redactor = nullptr,
                   TextMode text = TextMode::kRaw)
      : redactor_(std::move(redactor)), text_(text), safe_{SafeText(text), SafeText(text)} {}

  // The part of the stream that may be sent now.
  std::string Pass(Stream stream, std::string_view bytes);
  // At the end of the stream: the bytes held back so far, redacted.
  std::string Finish(Stream stream);

  // Redacts everything in a result except the two streams, which are already done: the error,
  // displayed data, and files returned as text. Notes in the result what was redacted in all of it.
  void CleanRest(RunResult& result);

  // [{"kind","stream","count"}]
  json::array Told() const;

 private:
  void CleanParts(RunResult& result);
  std::string Redacted(Stream stream, std::string_view bytes);
  std::string Whole(std::string_view text, const std::string& where);
  // For a result.output that matches the schema: it was parsed from redacted stdout, so only its
  // escape sequences have to be handled.
  void MakeSafeIn(json::value& value) const;
  void CleanValue(json::value& value, const std::string& where, int depth);

  std::shared_ptr<const judgement::redaction::Redactor> redactor_;
  TextMode text_;
  std::array<SafeText, 2> safe_;
  std::array<std::optional<judgement::redaction::StreamRedactor>, 2> streams_;
  std::map<std::string, judgement::redaction::Counts>
      counts_;  // redactions outside the two streams, by location
};

}  // namespace belljar::run
