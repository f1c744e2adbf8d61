// Asks an interpreter whether a text parses, and reads its answer.
//
// The text is compiled but not run, in a cell of its image: by Python's compile(), by V8's parser,
// or by bash -n. It is passed as standard input, never as code.
#pragma once

#include <optional>
#include <string>

#include "foundation/base/result.h"
#include "judgement/analysis/finding.h"
#include "request/request.h"
#include "run/run_result.h"

namespace belljar::run {

// Whether the compiled code is wanted too. Python only.
enum class Keep { kNothing, kCode };

// The request that checks the code of `request`.
request::Request SyntaxQuestion(const request::Request& request, Keep keep = Keep::kNothing);

struct SyntaxVerdict {
  bool accepted = true;
  judgement::analysis::Place place;  // of the syntax error, if there is one
  std::string message;               // in the interpreter's words
};

// An error if the interpreter gave no answer, for any reason.
Result<SyntaxVerdict> ReadVerdict(const request::Request& request, const RunResult& answer);

// The compiled code, if it was asked for: bytes for an interpreter of the same image, in a cell.
// Empty where no compiled form would behave like the text.
std::string CompiledIn(const RunResult& answer);

}  // namespace belljar::run
