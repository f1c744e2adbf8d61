// Where the code of a command comes from: a file, standard input, or the command line itself.
#pragma once

#include <optional>
#include <string>

#include "foundation/base/result.h"
#include "request/request.h"

namespace belljar::door::cli {

struct Source {
  std::string file;                 // "-": standard input
  std::optional<std::string> code;  // -c
  std::string lang;                 // as typed; empty: by the file's ending or its first line
};

Result<std::string> ReadCode(const Source& source);

// What says which language it is; nothing where it came without a name.
Result<std::optional<request::Lang>> NamedLang(const Source& source, const std::string& code);

}  // namespace belljar::door::cli
