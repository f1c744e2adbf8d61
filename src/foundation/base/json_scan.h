// Scans JSON text for what a json::value does not keep (numbers exactly as written), and for the
// scalars of text that is malformed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belljar {

// Calls `on_scalar` for each string, number and literal of a JSON text, which may be malformed,
// exactly as it is written. `names` is the path to it: one entry for each enclosing object or list
// (empty for a list). The scan stops when `on_scalar` returns false or when the depth exceeds
// kMaxJsonDepth.
using OnScalar =
    std::function<bool(const std::vector<std::string_view>& names, std::string_view written)>;
void EachScalar(std::string_view text, const OnScalar& on_scalar);

// The place ("params.arguments.n") of the first number in a well-formed text that a json::value
// cannot hold exactly: an integer beyond 64 bits, or a number too large for a double.
std::optional<std::string> PlaceOfUnheldNumber(std::string_view text);

}  // namespace belljar
