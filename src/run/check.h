// Check: a request is judged, and its interpreter is asked whether it is a program at all.
//
// The tree that the assessment reads is not the interpreter's: it takes some texts for wrong that
// the interpreter runs, and some for right that the interpreter refuses ("return" outside a
// function). Where the interpreter refuses a text, its words and its place take those of the tree.
// Where it accepts one that could not be read whole, the finding stays, with what it then means:
// what was not read was not judged, and a run would be decided by that, too. So the interpreter's
// word never makes a decision milder, and neither does its silence.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judgement/policy/decide.h"
#include "resource/skill/skill.h"
#include "run/engine.h"

namespace belljar::run {

enum class AskInterpreter {
  kNever,
  kAboutErrors,
  kAlways,
  kAndKeepCode,  // always, and what it compiles is wanted
};

struct Checked {
  judgement::policy::Decision decision;
  std::vector<std::string> notes;  // what could not be asked, and why
  std::string refused;             // the interpreter's words; empty: accepted, or not asked
  // What it has compiled, if that was wanted and it was asked: see skills.md.
  std::optional<resource::skill::Compiled> compiled;
};

// {"id","findings","decision"}, and "notes" if there are any.
json::object CheckJson(const request::Request& request, const Checked& checked);

}  // namespace belljar::run
