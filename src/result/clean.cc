#include "result/clean.h"

#include "base/text.h"
#include "result/run_result.h"

namespace belljar::result {
namespace {

constexpr std::array<const char*, 2> kStreamNames = {"stdout", "stderr"};

constexpr std::size_t kLookedAt = 8192;

// These are bytes in base64: nothing in them is text.
bool IsText(std::string_view mime) {
  return !mime.starts_with("image/png") && !mime.starts_with("image/jpeg") &&
         !mime.starts_with("image/gif") && !mime.starts_with("audio/") &&
         !mime.starts_with("video/") && mime != "application/pdf" &&
         mime != "application/octet-stream";
}

}  // namespace

std::string Cleaner::Pass(Stream stream, std::string_view bytes) {
  if (!redactor_) return std::string(bytes);
  auto& cleaning = streams_[static_cast<std::size_t>(stream)];
  if (!cleaning) cleaning.emplace(redactor_);
  return cleaning->Feed(bytes);
}

std::string Cleaner::Finish(Stream stream) {
  auto& cleaning = streams_[static_cast<std::size_t>(stream)];
  return cleaning ? cleaning->Finish() : "";
}

std::string Cleaner::Whole(std::string_view text, const std::string& where) {
  return redactor_->RedactWhole(text, counts_[where]);
}

void Cleaner::CleanValue(json::value& value, const std::string& where, int depth) {
  if (depth == 0) value = "[too deep]";
  if (value.is_string()) {
    value = Whole(std::string_view(value.get_string()), where);
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

void Cleaner::CleanRest(RunResult& result) {
  if (!redactor_) return;
  result.reason = Whole(result.reason, "judgement");
  for (json::value& finding : result.findings) CleanValue(finding, "judgement", 4);
  for (auto& [key, value] : result.decision) CleanValue(value, "judgement", 4);
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
  for (auto& [path, bytes] : result.files.fetched) {
    // A NUL early on is what tells bytes from text, here as elsewhere.
    if (bytes.substr(0, kLookedAt).find('\0') == std::string::npos) bytes = Whole(bytes, "files");
  }
}

json::array Cleaner::Told() const {
  json::array told;
  const auto tell = [&](std::string_view where, const redact::Counts& counts) {
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

}  // namespace belljar::result
