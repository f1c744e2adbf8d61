#include "isolate/native/shell_line.h"

#include <algorithm>

namespace belljar::isolate {

std::string Quoted(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/._-").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, plain)) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string FileNameFor(const std::string& name) {
  const bool simple = !name.empty() && name[0] != '.' && name.size() < 200 &&
                      name.find('/') == std::string::npos && name != "stdin" && name != "status";
  return simple ? name : "cell.sh";
}

}  // namespace belljar::isolate
