// Injection: shell commands in an argument that should be a plain value.
//
// A program that is started without a shell gets its arguments as they are, so "; rm -rf /" in one
// harms nobody yet; it is there for a shell further on. Whether an argument reads like commands is
// for the grammar to say: the argument is parsed as if it stood in a command line, bare and behind
// an open quote, and what counts is a substitution, or a second command whose program is known.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "judgement/analysis/shell/context.h"
#include "judgement/analysis/shell/word.h"

namespace belljar::judgement::analysis::shell {

// One argument of that program.
void CheckPlain(Context& context, Place place, std::string_view program,
                const std::string& argument);
void CheckInjection(Context& context, std::span<const std::string> command);

// An argument as the word that a shell would make of it.
Word WordOfArgument(const std::string& argument);

}  // namespace belljar::judgement::analysis::shell
