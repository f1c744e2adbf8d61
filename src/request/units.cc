#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "foundation/base/quote.h"
#include "request/request.h"

namespace belljar::request {
namespace {

// A text split into its leading number and the unit behind it.
struct Split {
  std::string_view number;
  std::string_view unit;
};

Split SplitUnit(std::string_view text, std::string_view number_characters) {
  const std::size_t end = std::min(text.find_first_not_of(number_characters), text.size());
  return {text.substr(0, end), text.substr(end)};
}

// Parses "12" or "12.5". Signs, exponents, "inf" and "nan" are refused.
std::optional<double> ParseDecimal(std::string_view text) {
  if (text.empty() || text.size() > 32) return std::nullopt;
  if (text.front() == '.' || text.back() == '.') return std::nullopt;
  if (text.find_first_not_of("0123456789.") != std::string_view::npos) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The power of two of a size unit. "MB" is not accepted, because many readers take it for a million
// bytes.
std::optional<unsigned> SizeShift(std::string_view unit) {
  if (unit.empty()) return 0;
  if (unit.size() != 1 && unit.substr(1) != "iB") return std::nullopt;
  constexpr std::string_view kLower = "kmgt";
  constexpr std::string_view kUpper = "KMGT";
  std::size_t place = kUpper.find(unit[0]);
  if (place == std::string_view::npos) place = kLower.find(unit[0]);
  if (place == std::string_view::npos) return std::nullopt;
  return static_cast<unsigned>(10 * (place + 1));
}

std::optional<double> MillisecondsPer(std::string_view unit) {
  if (unit == "ms") return 1;
  if (unit.empty() || unit == "s") return 1000;
  if (unit == "m") return 60'000;
  if (unit == "h") return 3'600'000;
  return std::nullopt;
}

}  // namespace

Result<std::uint64_t> ParseSize(std::string_view text) {
  const auto [number, unit] = SplitUnit(text, "0123456789");
  const std::optional<unsigned> shift = SizeShift(unit);
  if (number.empty() || !shift) {
    return Error(Kind::kInvalid, Quote(text) +
                                     " is not a size; write a whole number of bytes, or one with "
                                     "K, M, G or T, such as 512M");
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc() || value > (std::numeric_limits<std::uint64_t>::max() >> *shift)) {
    return Error(Kind::kInvalid, Quote(text) + " is too large for a size");
  }
  return value << *shift;
}

Result<std::chrono::milliseconds> ParseDuration(std::string_view text) {
  const auto [number, unit] = SplitUnit(text, "0123456789.");
  const std::optional<double> value = ParseDecimal(number);
  const std::optional<double> scale = MillisecondsPer(unit);
  if (!value || !scale) {
    return Error(Kind::kInvalid, Quote(text) +
                                     " is not a time; write seconds, or a number with ms, s, m or "
                                     "h, such as 0.5 or 2m");
  }
  const double milliseconds = *value * *scale;
  if (milliseconds < 1) {
    return Error(Kind::kInvalid, Quote(text) + " is shorter than a millisecond");
  }
  // 30,000 years; far below the point where the conversion to integer is undefined
  constexpr double kLongest = 1e15;
  if (milliseconds > kLongest) {
    return Error(Kind::kInvalid, Quote(text) + " is too long for a time");
  }
  return std::chrono::milliseconds(std::llround(milliseconds));
}

Result<std::uint32_t> ParseCpus(std::string_view text) {
  const std::optional<double> value = ParseDecimal(text);
  if (!value || *value > 1e6) {
    return Error(Kind::kInvalid,
                 Quote(text) + " is not a number of CPUs; write one such as 2 or 0.5");
  }
  return static_cast<std::uint32_t>(std::llround(*value * 1000));
}

std::chrono::milliseconds DefaultCpuTime(const Limits& limits) {
  return std::chrono::milliseconds(2 * limits.wall.count() * limits.cpu_millis / 1000 + 1000);
}

}  // namespace belljar::request
