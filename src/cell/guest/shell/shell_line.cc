#include "cell/guest/shell/shell_line.h"

#include <stdio.h>

#include <algorithm>

namespace belljar::cell::guest {

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

std::string ReportLine(std::uint64_t n) {
  return "builtin echo " + std::to_string(n) + " $? $- >&61 2>&-\n";
}

std::optional<ShellReport> ParseReport(const std::string& line) {
  unsigned long long n = 0;
  int status = 0;
  char flags[64] = {};
  if (::sscanf(line.c_str(), "%llu %d %63s", &n, &status, flags) < 2) return std::nullopt;
  if (status < 0 || status > 255) return std::nullopt;
  return ShellReport{n, status, std::string_view(flags).find('e') != std::string_view::npos};
}

}  // namespace belljar::cell::guest
