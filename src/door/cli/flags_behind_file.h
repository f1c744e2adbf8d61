// Lets flags follow FILE: `belljar run FILE --timeout 5 a b`. Flags directly after FILE count as if
// they stood before it.
//
// CLI11 passes either everything after a positional to the program, or nothing. People write both
// orders, and a limit passed to the program instead would have no effect. From the first word that
// is not one of Belljar's flags, everything belongs to the program; "--" marks this point for words
// that look like our flags, and is not passed on. `--help` after FILE belongs to the program.
//
// `--timeout=` has an empty value, which is validated like any other; CLI11 would take the next
// word as the value.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace belljar::door::cli {

// `words` are the arguments after the name of `command`.
std::vector<std::string> FlagsFirst(const CLI::App& command, std::vector<std::string> words);

// Returns the words with each `--flag=` replaced by `--flag` and an empty word, up to the first
// word that is not a flag.
std::vector<std::string> WithEmptyValues(const CLI::App& command, std::vector<std::string> words);

}  // namespace belljar::door::cli
