// Lines for a shell that is kept, and what it answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace belljar::cell::guest {

// One word of a shell line, whatever it holds; without quotes where it needs none.
std::string Quoted(std::string_view text);

// `name` if it is a plain file's name that the driver does not use itself, else another one.
std::string FileNameFor(const std::string& name);

// What the bash says when it is done with a cell.
struct ShellReport {
  std::uint64_t n = 0;
  int status = 0;
  bool errexit = false;  // set -e
};

// The line by which it says so, after cell `n`. Without quotes or brackets: of a line that it is
// reading when SIGINT comes, bash drops the beginning, and the rest must be a line too.
std::string ReportLine(std::uint64_t n);
std::optional<ShellReport> ParseReport(const std::string& line);

}  // namespace belljar::cell::guest
