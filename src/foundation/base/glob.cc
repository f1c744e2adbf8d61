#include "foundation/base/glob.h"

#include <string>
#include <vector>

namespace belljar {
namespace {

std::vector<std::string_view> PartsOf(std::string_view path) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// The length in bytes of the first UTF-8 character.
std::size_t CharacterAt(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && (text[length] & 0xC0) == 0x80) ++length;
  return length;
}

// Matches one path component. After a mismatch it backtracks only to the last *, which then takes
// one character more: earlier stars already took as little as possible.
bool NameMatches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && pattern[p] == '?') {
      ++p;
      n += CharacterAt(name.substr(n));
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      resume += CharacterAt(name.substr(resume));
      n = resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace

bool GlobMatches(std::string_view pattern, std::string_view path) {
  if (pattern.starts_with('/') != path.starts_with('/')) return false;
  const auto names = PartsOf(path);
  // reached[i]: the pattern parts handled so far match the first i names.
  std::vector<bool> reached(names.size() + 1, false);
  reached[0] = true;
  for (const std::string_view part : PartsOf(pattern)) {
    std::vector<bool> next(names.size() + 1, false);
    for (std::size_t i = 0; i <= names.size(); ++i) {
      if (part == "**") {
        next[i] = reached[i] || (i > 0 && next[i - 1]);
      } else {
        next[i] = i > 0 && reached[i - 1] && NameMatches(part, names[i - 1]);
      }
    }
    reached = std::move(next);
  }
  return reached.back();
}

}  // namespace belljar
