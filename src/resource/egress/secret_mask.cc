#include "resource/egress/secret_mask.h"

#include <algorithm>
#include <utility>

namespace belljar::resource::egress {

SecretMask::SecretMask(std::vector<std::string> values) : values_(std::move(values)) {
  std::erase(values_, "");
  for (const std::string& value : values_) longest_ = std::max(longest_, value.size());
}

std::string SecretMask::Pass(std::string_view bytes) {
  held_ += bytes;
  shown_ += bytes;
  for (const std::string& value : values_) {
    for (std::size_t at = held_.find(value); at != std::string::npos;
         at = held_.find(value, at + 1)) {
      shown_.replace(at, value.size(), value.size(), '*');
    }
  }
  const std::size_t keep = longest_ == 0 ? 0 : std::min(held_.size(), longest_ - 1);
  std::string passed = shown_.substr(0, shown_.size() - keep);
  held_.erase(0, passed.size());
  shown_.erase(0, passed.size());
  return passed;
}

std::string SecretMask::Finish() {
  held_.clear();
  return std::exchange(shown_, "");
}

}  // namespace belljar::resource::egress
