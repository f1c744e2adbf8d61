// Patterns of paths: "out/*.csv", "cache/**".
//
// `*` is any part of a name, `?` one character, `**` as a name of its own any number of names,
// none included; one that begins with / is for paths that do. There is nothing else: no brackets,
// no braces, no escapes. The time taken is bounded by the product of both lengths, whatever they
// are.
#pragma once

#include <string_view>

namespace belljar {

bool GlobMatches(std::string_view pattern, std::string_view path);

}  // namespace belljar
