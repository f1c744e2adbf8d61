// Detects injection: shell commands in an argument that should be a plain value.
//
// A program that is started without a shell gets its arguments literally. An argument such as
// `$(id)` or `; rm -rf /` then does no harm by itself, but it suggests that a shell will see it
// later. The argument is parsed as part of a command line, both bare and after an open quote. A
// finding is a command substitution, or a second command whose program is known.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "judgement/analysis/shell/context.h"
#include "judgement/analysis/shell/word.h"

namespace belljar::judgement::analysis::shell {

// Checks one argument of `program`.
void CheckPlain(Context& context, Place place, std::string_view program,
                const std::string& argument);
void CheckInjection(Context& context, std::span<const std::string> command);

// The word that a shell would make of an argument.
Word WordOfArgument(const std::string& argument);

}  // namespace belljar::judgement::analysis::shell
