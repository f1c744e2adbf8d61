// Check: judges a request, and asks its interpreter whether the code parses.
//
// The assessment's syntax tree comes from Belljar's own parser, which rejects some texts that the
// interpreter runs, and accepts some that the interpreter rejects ("return" outside a function).
// Where the interpreter rejects a text, its message and location replace those of the tree. Where
// it accepts a text that Belljar could not parse completely, the finding stays, with its meaning
// spelled out: the unparsed part was not judged, and a run would be decided on that basis, too. So
// the interpreter's answer never makes a decision milder, and neither does the lack of an answer.
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
  kAndKeepCode,  // always, and return the compiled code
};

struct Checked {
  judgement::policy::Decision decision;
  std::vector<std::string> notes;  // questions that could not be asked, and why
  std::string refused;             // the interpreter's syntax error; empty: accepted, or not asked
  // The compiled code, if it was asked for and the interpreter was asked: see docs/skills.md.
  std::optional<resource::skill::Compiled> compiled;
};

// {"id","findings","decision"}, and "notes" if there are any.
json::object CheckJson(const request::Request& request, const Checked& checked);

}  // namespace belljar::run
