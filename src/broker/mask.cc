#include "broker/mask.h"

#include <algorithm>
#include <utility>

namespace belljar::broker {
namespace {

// How many bytes at the end of `text` are the beginning of `value`, and not all of it.
std::size_t BegunAtEnd(std::string_view text, std::string_view value) {
  for (std::size_t size = std::min(text.size(), value.size() - 1); size > 0; --size) {
    if (text.ends_with(value.substr(0, size))) return size;
  }
  return 0;
}

}  // namespace

std::string Mask::Pass(std::string_view bytes) {
  held_ += bytes;
  std::size_t keep = 0;
  for (const std::string& value : values_) {
    for (std::size_t at = held_.find(value); at != std::string::npos;
         at = held_.find(value, at + value.size())) {
      held_.replace(at, value.size(), value.size(), '*');
    }
    keep = std::max(keep, BegunAtEnd(held_, value));
  }
  std::string passed = held_.substr(0, held_.size() - keep);
  held_.erase(0, passed.size());
  return passed;
}

std::string Mask::Finish() { return std::exchange(held_, ""); }

}  // namespace belljar::broker
