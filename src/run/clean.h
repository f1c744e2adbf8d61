// Clean: what leaves passes the redactor first, while it streams and in the result.
//
// A Cleaner belongs to one run. Each stream has a redactor of its own, so that a secret split over
// two writes is one secret; what else the guest hands over is cleaned whole.
//
// Where the caller wants text that is safe to show, that is done before: a secret with escape
// sequences in it would be put together again after the redactor had passed it.
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
  // `redactor` null: everything passes as it is.
  explicit Cleaner(std::shared_ptr<const judgement::redaction::Redactor> redactor = nullptr,
                   TextMode text = TextMode::kRaw)
      : redactor_(std::move(redactor)), text_(text), safe_{SafeText(text), SafeText(text)} {}

  // What may go out of it now.
  std::string Pass(Stream stream, std::string_view bytes);
  // At the end: what was held back.
  std::string Finish(Stream stream);

  // Everything of a result but the two streams, which are done: error, displayed data, files handed
  // out as text. Says in the result what was taken out of all of it.
  void CleanRest(RunResult& result);

  // [{"kind","stream","count"}]
  json::array Told() const;

 private:
  void CleanParts(RunResult& result);
  std::string Redacted(Stream stream, std::string_view bytes);
  std::string Whole(std::string_view text, const std::string& where);
  // An output that fits: it has been read from what may leave, and only has to be safe to show.
  void MakeSafeIn(json::value& value) const;
  void CleanValue(json::value& value, const std::string& where, int depth);

  std::shared_ptr<const judgement::redaction::Redactor> redactor_;
  TextMode text_;
  std::array<SafeText, 2> safe_;
  std::array<std::optional<judgement::redaction::StreamRedactor>, 2> streams_;
  std::map<std::string, judgement::redaction::Counts>
      counts_;  // of what is cleaned whole, by where it was
};

}  // namespace belljar::run
