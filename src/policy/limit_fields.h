// The limits a caller can wish for, as a table: key, unit and allowed range. The parser, Validate
// and their error sentences all read it, so that a range is written down once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "policy/limits.h"

namespace belljar::policy {

enum class Unit { kDuration, kSize, kCount, kCpus };

struct LimitField {
  std::string_view key;
  Unit unit;
  // As stored in Limits: milliseconds, bytes, a count, thousandths of a CPU.
  std::uint64_t low;
  std::uint64_t high;
  std::uint64_t (*get)(const Limits& limits);
  void (*set)(Limits& limits, std::uint64_t value);
};

std::span<const LimitField> LimitFields();

// The row of `key`, or nullptr.
const LimitField* FindLimitField(std::string_view key);

// A stored value as people write it: "24 h", "0.5 s", "512 MiB", "64".
std::string ShowLimit(Unit unit, std::uint64_t value);

// `"timeout" must be from 0.001 s to 24 h, not 25 h`.
Error OutOfRange(const LimitField& field, std::string_view shown);

Result<> CheckLimits(const Limits& limits);

}  // namespace belljar::policy
