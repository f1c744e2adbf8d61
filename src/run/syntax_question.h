// The question to an interpreter whether a text is a program, and what it answers.
//
// The text is compiled, not run: by compile(), by V8's parser, by bash -n, in a cell of its image.
// It travels as standard input, never as code.
#pragma once

#include <optional>
#include <string>

#include "foundation/base/result.h"
#include "judgement/analysis/finding.h"
#include "request/request.h"
#include "run/run_result.h"

namespace belljar::run {

// Whether what the interpreter has compiled is wanted, too. Python's only.
enum class Keep { kNothing, kCode };

// What asks about the code of `request`.
request::Request SyntaxQuestion(const request::Request& request, Keep keep = Keep::kNothing);

struct SyntaxVerdict {
  bool accepted = true;
  judgement::analysis::Place place;  // of the mistake, if there is one
  std::string message;               // in the interpreter's words
};

// Fails where there was no answer, whatever the reason.
Result<SyntaxVerdict> ReadVerdict(const request::Request& request, const RunResult& answer);

// What was compiled, if it was wanted: bytes for an interpreter of the same image, in a cell.
// Empty where there is nothing that would run as the text does.
std::string CompiledIn(const RunResult& answer);

}  // namespace belljar::run
