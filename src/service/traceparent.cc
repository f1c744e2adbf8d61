#include "service/traceparent.h"

#include <algorithm>

namespace belljar::service {
namespace {

bool IsHex(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool IsZero(std::string_view text) { return text.find_first_not_of('0') == std::string_view::npos; }

}  // namespace

bool IsTraceparent(std::string_view text) {
  if (text.size() != 55 || !text.starts_with("00-") || text[35] != '-' || text[52] != '-') {
    return false;
  }
  const auto trace = text.substr(3, 32);
  const auto parent = text.substr(36, 16);
  return IsHex(trace) && IsHex(parent) && IsHex(text.substr(53)) && !IsZero(trace) &&
         !IsZero(parent);
}

}  // namespace belljar::service
