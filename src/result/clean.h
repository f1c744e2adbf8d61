// Clean: what leaves passes the redactor first, while it streams and in the result.
//
// A Cleaner belongs to one run. Each stream has a redactor of its own, so that a secret split over
// two writes is one secret; what else the guest hands over is cleaned whole.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "redact/redactor.h"
#include "result/capture.h"

namespace belljar::result {

struct RunResult;

class Cleaner {
 public:
  // `redactor` null: everything passes as it is.
  explicit Cleaner(std::shared_ptr<const redact::Redactor> redactor = nullptr)
      : redactor_(std::move(redactor)) {}

  // What may go out of it now.
  std::string Pass(Stream stream, std::string_view bytes);
  // At the end: what was held back.
  std::string Finish(Stream stream);

  // Everything of a result but the two streams: error, displayed data, files handed out as text.
  void CleanRest(RunResult& result);

  // [{"kind","stream","count"}]
  json::array Told() const;

 private:
  std::string Whole(std::string_view text, const std::string& where);
  void CleanValue(json::value& value, const std::string& where, int depth);

  std::shared_ptr<const redact::Redactor> redactor_;
  std::array<std::optional<redact::StreamRedactor>, 2> streams_;
  std::map<std::string, redact::Counts> counts_;  // of what is cleaned whole, by where it was
};

}  // namespace belljar::result
