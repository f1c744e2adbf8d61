// What a text of JSON says that a json::value does not keep, or that is said though it is
// malformed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belljar {

// The texts, numbers and words of what is meant as JSON, malformed or not, as they are written;
// each with the names on the way to it, one for every object and list around it (a list's is
// empty). False ends it, as does a depth of more than kMaxJsonDepth.
using OnScalar =
    std::function<bool(const std::vector<std::string_view>& names, std::string_view written)>;
void EachScalar(std::string_view text, const OnScalar& on_scalar);

// The place ("params.arguments.n") of the first number in a well-formed text that a json::value
// does not hold as it is written: a whole one beyond 64 bits, or one too large for a double.
std::optional<std::string> PlaceOfUnheldNumber(std::string_view text);

}  // namespace belljar
