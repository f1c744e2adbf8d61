// Renders questions for a person at a terminal.
//
// The text of a question comes from the party that wants an approval and may be hostile: escape
// sequences move the cursor and hide lines; other characters reverse text or have no width. All of
// these are shown as escaped numbers, and every line of such text is prefixed with a bar, so that
// it cannot be mistaken for one of Belljar's lines.
#pragma once

#include <string>
#include <string_view>

#include "judgement/approval/question.h"

namespace belljar::judgement::approval {

// The text on one line, with escapes such as "\x1b" and "\u202e"; also for newlines, tabs, and
// bytes that are not UTF-8 ("\xff").
std::string Visible(std::string_view text);

// The whole question, in several lines.
std::string Describe(const Question& question);

// One line for a list: id, state, caller, level, time, and the beginning of the subject.
std::string Summarize(const Question& question);

}  // namespace belljar::judgement::approval
