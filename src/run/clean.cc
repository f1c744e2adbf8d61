#include "run/clean.h"

#include "foundation/base/text.h"
#include "run/file_kind.h"
#include "run/run_result.h"

namespace belljar::run {
namespace {

constexpr std::array<const char*, 2> kStreamNames = {"stdout", "stderr"};

// False for types that hold base64, which contains no text to redact.
bool IsText(std::string_view mime) {
  return !mime.starts_with("image/png") && !mime.starts_with("image/jpeg") &&
         !mime.starts_with("image/gif") && !mime.starts_with("audio/") &&
         !mime.starts_with("video/") && mime != "application/pdf" &&
         mime != "application/octet-stream";
}

}  // namespace

std::string Cleaner::Redacted(Stream stream, std::string_view bytes) {
  if (!redactor_) return std::string(bytes);
  auto& cleaning = streams_[static_cast<std::size_t>(stream)];
  if (!cleaning) cleaning.emplace(redactor_);
  return cleaning->Feed(bytes);
}

std::string Cleaner::Pass(Stream stream, std::string_view bytes) {
  return Redacted(stream, safe_[static_cast<std::size_t>(stream)].Pass(bytes));
}

std::string Cleaner::Finish(Stream stream) {
  const auto index = static_cast<std::size_t>(stream);
  const std::string held = safe_[index].Finish();
  std::string last = held.empty() ? "" : Redacted(stream, held);
  return streams_[index] ? last + streams_[index]->Finish() : last;
}

std::string Cleaner::Whole(std::string_view text, const std::string& where) {
  if (text.empty()) return {};
  const std::string safe = MakeSafe(text_, text);
  return redactor_ ? redactor_->RedactWhole(safe, counts_[where]) : safe;
}

void Cleaner::CleanValue(json::value& value, const std::string& where, int depth) {
  if (depth == 0) value = "[too deep]";
  if (value.is_string()) {
    value = Whole(std::string_view(value.get_string()), where);
  } else if (judgement::redaction::IsLongNumber(value)) {
    // A card number may come as a JSON number.
    const std::string digits = json::serialize(value);
    std::string clean = Whole(digits, where);
    if (clean != digits) value = std::move(clean);
  } else if (value.is_array()) {
    for (json::value& element : value.get_array()) CleanValue(element, where, depth - 1);
  } else if (value.is_object()) {
    json::object cleaned;
    for (auto& [key, member] : value.get_object()) {
      CleanValue(member, where, depth - 1);
      cleaned.emplace(Whole(key, where), std::move(member));
    }
    value = std::move(cleaned);
  }
}

void Cleaner::MakeSafeIn(json::value& value) const {
  if (value.is_string()) {
    value = MakeSafe(text_, std::string_view(value.get_string()));
  } else if (value.is_array()) {
    for (json::value& element : value.get_array()) MakeSafeIn(element);
  } else if (value.is_object()) {
    json::object safe;
    for (auto& [key, member] : value.get_object()) {
      MakeSafeIn(member);
      safe.emplace(MakeSafe(text_, key), std::move(member));
    }
    value = std::move(safe);
  }
}

void Cleaner::CleanRest(RunResult& result) {
  CleanParts(result);
  result.redactions = Told();
}

void Cleaner::CleanParts(RunResult& result) {
  if (!redactor_ && text_ == TextMode::kRaw) return;
  if (result.output && text_ != TextMode::kRaw) MakeSafeIn(*result.output);
  result.reason = Whole(result.reason, "judgement");
  for (json::value& finding : result.findings) CleanValue(finding, "judgement", 4);
  for (auto& [key, value] : result.decision) {
    // These two have fixed values defined by Belljar.
    if (key != "action" && key != "level") CleanValue(value, "judgement", 4);
  }
  if (result.error) {
    result.error->type = Whole(result.error->type, "error");
    result.error->message = Whole(result.error->message, "error");
    result.error->traceback = Whole(result.error->traceback, "error");
  }
  for (json::object& bundle : result.results) {
    for (auto& [mime, data] : bundle) {
      if (IsText(mime)) CleanValue(data, "results", static_cast<int>(2 * kMaxJsonDepth));
    }
  }
  if (!redactor_) return;
  for (auto& [path, bytes] : result.files.fetched) {
    if (!IsTextFile(bytes)) continue;
    bytes = redactor_->RedactWhole(bytes, counts_["files"]);  // escape sequences in files stay
  }
}

json::array Cleaner::Told() const {
  json::array told;
  const auto tell = [&](std::string_view where, const judgement::redaction::Counts& counts) {
    for (const auto& [kind, count] : counts) {
      told.push_back({{"kind", kind}, {"stream", where}, {"count", count}});
    }
  };
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    if (streams_[i]) tell(kStreamNames[i], streams_[i]->counts());
  }
  for (const auto& [where, counts] : counts_) tell(where, counts);
  return told;
}

}  // namespace belljar::run
