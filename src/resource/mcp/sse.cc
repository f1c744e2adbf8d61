#include "resource/mcp/sse.h"

#include <fmt/format.h>

namespace belljar::resource::mcp {

Result<> SseReader::Feed(std::string_view bytes, const OnEvent& on_event) {
  for (const char c : bytes) {
    const bool belongs = c == '\n' && after_return_;
    after_return_ = c == '\r';
    if (belongs) continue;
    if (c == '\n' || c == '\r') {
      BJ_TRY(EndLine(on_event));
    } else if (line_.size() + data_.size() >= most_) {
      return Error(Kind::kInvalid, fmt::format("an event of more than {} bytes", most_));
    } else {
      line_ += c;
    }
  }
  return {};
}

Result<> SseReader::EndLine(const OnEvent& on_event) {
  const std::string line = std::exchange(line_, {});
  if (line.empty()) {
    const std::string data = std::exchange(data_, {});
    if (!std::exchange(has_data_, false)) return {};
    return on_event(data);
  }
  constexpr std::string_view kData = "data";
  if (!line.starts_with(kData) || (line.size() > kData.size() && line[kData.size()] != ':'))
    return {};
  std::string_view value = std::string_view(line).substr(std::min(line.size(), kData.size() + 1));
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (has_data_) data_ += '\n';
  data_ += value;
  has_data_ = true;
  return {};
}

}  // namespace belljar::resource::mcp
