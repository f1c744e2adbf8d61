// `belljar run FILE --timeout 5 a b`: flags of Belljar's that follow FILE at once count as if they
// stood before it.
//
// CLI11 gives everything behind a positional to the program, or nothing. People write both orders,
// and a limit that goes to the program instead is a limit that nobody heeds. From the first word
// that is none of ours on, everything is the program's; "--" says so for words that look like ours,
// and is not passed on. `--help` behind FILE is the program's.
//
// `--timeout=` has an empty value, which is judged like any other; CLI11 would take the next word.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace belljar::door::cli {

// `words` are those behind the name of `command`.
std::vector<std::string> FlagsFirst(const CLI::App& command, std::vector<std::string> words);

// The same words, with `--flag=` before the first that is no flag as `--flag` and an empty one.
std::vector<std::string> WithEmptyValues(const CLI::App& command, std::vector<std::string> words);

}  // namespace belljar::door::cli
