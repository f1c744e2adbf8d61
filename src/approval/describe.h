// Questions as a person reads them in a terminal.
//
// The text of a question is the work of whoever wants a yes, and a terminal acts on what it is
// shown: escape sequences move the cursor and hide lines, other characters turn text around or
// take no room. All of these are shown by their numbers, and every line that somebody else wrote
// stands behind a bar, so that none can pass for one of ours.
#pragma once

#include <string>
#include <string_view>

#include "approval/question.h"

namespace belljar::approval {

// On one line: "\x1b", "\u202e"; also newlines and tabs, and bytes that are no UTF-8 ("\xff").
std::string Visible(std::string_view text);

// The whole question, in lines.
std::string Describe(const Question& question);

// One line for a list: id, state, caller, level, time, and the beginning of the subject.
std::string Summarize(const Question& question);

}  // namespace belljar::approval
