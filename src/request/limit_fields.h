// LimitField: a table of the limits that a caller can set: key, unit and allowed range. The parser,
// Validate and their error messages all read it, so that each range is defined once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "foundation/base/result.h"
#include "request/limits.h"

namespace belljar::request {

enum class Unit { kDuration, kSize, kCount, kCpus };

struct LimitField {
  std::string_view key;
  Unit unit;
  // In the unit of Limits: milliseconds, bytes, a count, or thousandths of a CPU.
  std::uint64_t low;
  std::uint64_t high;
  std::uint64_t (*get)(const Limits& limits);
  void (*set)(Limits& limits, std::uint64_t value);
};

std::span<const LimitField> LimitFields();

// The row of `key`, or nullptr.
const LimitField* FindLimitField(std::string_view key);

// A stored value for people: "24 h", "0.5 s", "512 MiB", "64".
std::string ShowLimit(Unit unit, std::uint64_t value);

// The error for a value out of range: `"timeout" must be from 0.001 s to 24 h, not 25 h`.
Error OutOfRange(const LimitField& field, std::string_view shown);

Result<> CheckLimits(const Limits& limits);

}  // namespace belljar::request
