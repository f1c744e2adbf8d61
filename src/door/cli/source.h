// The source of a command's code: a file, standard input, or the command line itself.
#pragma once

#include <optional>
#include <string>

#include "foundation/base/result.h"
#include "request/request.h"

namespace belljar::door::cli {

struct Source {
  std::string file;                 // "-": standard input
  std::optional<std::string> code;  // -c
  std::string lang;                 // as typed; empty: by the file's extension or first line
};

Result<std::string> ReadCode(const Source& source);

// The language from the flag, the file name or the first line; nullopt where code came without a
// name.
Result<std::optional<request::Lang>> NamedLang(const Source& source, const std::string& code);

}  // namespace belljar::door::cli
