#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>

#include "record/entry.h"

namespace belljar::record {
namespace {

// Removes `digits` digits from the front of `text`; false if they are not there.
bool TakeDigits(std::string_view& text, std::size_t digits, int& value) {
  if (text.size() < digits) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + digits, value);
  if (error != std::errc() || end != text.data() + digits || text[0] == '-') return false;
  text.remove_prefix(digits);
  return true;
}

bool TakeChar(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

struct Clock {
  int hour = 0, minute = 0, second = 0, ms = 0;
  std::chrono::minutes ahead_of_utc{0};
};

// Parses one to nine digits; those beyond milliseconds are ignored.
bool TakeFraction(std::string_view& text, int& ms) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || digits > 9) return false;
  for (std::size_t i = 0; i < 3; ++i) ms = ms * 10 + (i < digits ? text[i] - '0' : 0);
  text.remove_prefix(digits);
  return true;
}

// Parses "Z" or an offset such as "+02:00".
bool TakeZone(std::string_view& text, Clock& clock) {
  if (TakeChar(text, 'Z')) return true;
  const int sign = text.starts_with('-') ? -1 : 1;
  if (!TakeChar(text, sign < 0 ? '-' : '+')) return false;
  int hours = 0;
  int minutes = 0;
  if (!TakeDigits(text, 2, hours) || !TakeChar(text, ':') || !TakeDigits(text, 2, minutes)) {
    return false;
  }
  clock.ahead_of_utc = std::chrono::minutes(sign * (hours * 60 + minutes));
  return hours < 24 && minutes < 60;
}

// Parses the time after the "T"; seconds and their fraction may be missing.
bool TakeClock(std::string_view& text, Clock& clock) {
  if (!TakeDigits(text, 2, clock.hour) || !TakeChar(text, ':')) return false;
  if (!TakeDigits(text, 2, clock.minute)) return false;
  if (TakeChar(text, ':') && !TakeDigits(text, 2, clock.second)) return false;
  if (TakeChar(text, '.') && !TakeFraction(text, clock.ms)) return false;
  return TakeZone(text, clock) && clock.hour < 24 && clock.minute < 60 && clock.second < 60;
}

}  // namespace

std::string TimeText(std::int64_t time_ms) {
  using namespace std::chrono;
  const sys_time<milliseconds> at{milliseconds(time_ms)};
  const auto day = floor<days>(at);
  const year_month_day date(day);
  const hh_mm_ss clock(at - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

Result<std::int64_t> ParseTime(std::string_view text) {
  using namespace std::chrono;
  const Error malformed(Kind::kInvalid,
                        fmt::format("\"{}\" is not a time such as 2026-11-15T14:50:03Z", text));
  int y = 0;
  int m = 0;
  int d = 0;
  if (!TakeDigits(text, 4, y) || !TakeChar(text, '-') || !TakeDigits(text, 2, m) ||
      !TakeChar(text, '-') || !TakeDigits(text, 2, d)) {
    return malformed;
  }
  Clock clock;
  if (!text.empty() && (!TakeChar(text, 'T') || !TakeClock(text, clock) || !text.empty())) {
    return malformed;
  }
  const year_month_day date{year(y), month(static_cast<unsigned>(m)),
                            day(static_cast<unsigned>(d))};
  if (!date.ok()) return malformed;
  const milliseconds at = sys_days(date).time_since_epoch() + hours(clock.hour) +
                          minutes(clock.minute) + seconds(clock.second) + milliseconds(clock.ms) -
                          clock.ahead_of_utc;
  return std::int64_t{at.count()};
}

}  // namespace belljar::record
