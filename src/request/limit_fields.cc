#include "request/limit_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <type_traits>

namespace belljar::request {
namespace {

constexpr std::uint64_t kDayMs = 24 * 3'600'000;
constexpr std::uint64_t kMaxCpus = 64;
constexpr std::uint64_t kKiB = 1 << 10;
constexpr std::uint64_t kGiB = kMiB << 10;
constexpr std::uint64_t kTiB = kMiB << 20;

constexpr std::uint64_t Stored(std::uint64_t value) { return value; }
constexpr std::uint64_t Stored(std::chrono::milliseconds value) {
  // A negative time can come from arithmetic on flags; it becomes zero, which is out of every
  // range.
  return value.count() < 0 ? 0 : static_cast<std::uint64_t>(value.count());
}

template <class T>
constexpr T FromStored(std::uint64_t value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(value);  // in range: the table's upper bounds fit the members' types
  } else {
    return T(static_cast<typename T::rep>(value));
  }
}

template <auto member>
constexpr LimitField Field(std::string_view key, Unit unit, std::uint64_t low, std::uint64_t high) {
  using T = std::remove_cvref_t<decltype(std::declval<Limits>().*member)>;
  return {key,
          unit,
          low,
          high,
          [](const Limits& limits) { return Stored(limits.*member); },
          [](Limits& limits, std::uint64_t value) { limits.*member = FromStored<T>(value); }};
}

constexpr std::array kFields = {
    Field<&Limits::wall>("timeout", Unit::kDuration, 1, kDayMs),
    Field<&Limits::cpu_time>("cpu_time", Unit::kDuration, 1, kDayMs* kMaxCpus),
    Field<&Limits::memory_bytes>("memory", Unit::kSize, 16 * kMiB, kTiB),
    Field<&Limits::cpu_millis>("cpus", Unit::kCpus, 10, kMaxCpus * 1000),
    Field<&Limits::processes>("processes", Unit::kCount, 1, 32'768),
    Field<&Limits::output_lines>("output_lines", Unit::kCount, 1, 10'000'000),
    Field<&Limits::output_bytes>("output_bytes", Unit::kSize, 1, kGiB),
    Field<&Limits::workspace_bytes>("workspace", Unit::kSize, 64 * kKiB, kTiB),
    Field<&Limits::workspace_inodes>("workspace_inodes", Unit::kCount, 16, 16'777'216),
    Field<&Limits::open_files>("open_files", Unit::kCount, 16, 65'536),
    Field<&Limits::file_size_bytes>("file_size", Unit::kSize, 1, kTiB),
    Field<&Limits::file_operations>("file_operations", Unit::kCount, 1, 1'000'000'000),
};

std::string ShowSize(std::uint64_t bytes) {
  constexpr std::array kUnits = {"TiB", "GiB", "MiB", "KiB"};
  std::uint64_t unit = kTiB;
  for (const char* name : kUnits) {
    if (bytes >= unit && bytes % unit == 0) return fmt::format("{} {}", bytes / unit, name);
    unit >>= 10;
  }
  return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
}

}  // namespace

std::span<const LimitField> LimitFields() { return kFields; }

const LimitField* FindLimitField(std::string_view key) {
  const auto* const found = std::find_if(kFields.begin(), kFields.end(),
                                         [&](const LimitField& field) { return field.key == key; });
  return found == kFields.end() ? nullptr : found;
}

std::string ShowLimit(Unit unit, std::uint64_t value) {
  constexpr std::uint64_t kHourMs = 3'600'000;
  switch (unit) {
    case Unit::kDuration:
      if (value != 0 && value % kHourMs == 0) return fmt::format("{} h", value / kHourMs);
      return fmt::format("{} s", static_cast<double>(value) / 1000);
    case Unit::kSize:
      return ShowSize(value);
    case Unit::kCpus:
      return fmt::format("{}", static_cast<double>(value) / 1000);
    case Unit::kCount:
      break;
  }
  return fmt::format("{}", value);
}

Error OutOfRange(const LimitField& field, std::string_view shown) {
  return Error(Kind::kInvalid, fmt::format("\"{}\" must be from {} to {}, not {}", field.key,
                                           ShowLimit(field.unit, field.low),
                                           ShowLimit(field.unit, field.high), shown));
}

Result<> CheckLimits(const Limits& limits) {
  for (const LimitField& field : kFields) {
    const std::uint64_t value = field.get(limits);
    if (value < field.low || value > field.high) {
      return OutOfRange(field, ShowLimit(field.unit, value));
    }
  }
  return {};
}

}  // namespace belljar::request
