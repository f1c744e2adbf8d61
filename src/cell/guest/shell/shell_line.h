// Builds command lines for the bash of a session, and parses its reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace belljar::cell::guest {

// Quotes any text as one word of a shell line; without quotes where it needs none.
std::string Quoted(std::string_view text);

// Returns `name` if it is a simple file name that the driver does not use itself, else a default.
std::string FileNameFor(const std::string& name);

// The report that bash writes after each statement.
struct ShellReport {
  std::uint64_t n = 0;
  int status = 0;
  bool errexit = false;  // set -e
};

// The line that makes bash write its report after statement `n`. It has no quotes or brackets: if
// SIGINT comes while bash reads the line, bash drops the beginning, and the rest must be valid too.
std::string ReportLine(std::uint64_t n);
std::optional<ShellReport> ParseReport(const std::string& line);

}  // namespace belljar::cell::guest
