// Path patterns (globs): "out/*.csv", "cache/**".
//
// `*` matches any part of a name, `?` one character, and `**` as a whole path component matches any
// number of components, including none. A pattern that begins with / matches only absolute paths.
// Brackets, braces and escapes are not supported. Matching takes time at most proportional to the
// product of both lengths, for every pattern and path.
#pragma once

#include <string_view>

namespace belljar {

bool GlobMatches(std::string_view pattern, std::string_view path);

}  // namespace belljar
