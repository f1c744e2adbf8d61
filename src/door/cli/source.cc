#include "door/cli/source.h"

#include <fcntl.h>
#include <fmt/format.h>

#include "foundation/base/sys.h"

namespace belljar::door::cli {
namespace {

using request::Lang;

std::optional<Lang> LangByEnding(std::string_view path) {
  const auto ends = [&](std::string_view ending) { return path.ends_with(ending); };
  if (ends(".py")) return Lang::kPython;
  if (ends(".js") || ends(".mjs") || ends(".cjs")) return Lang::kJavaScript;
  if (ends(".ts") || ends(".mts") || ends(".cts")) return Lang::kTypeScript;
  if (ends(".sh") || ends(".bash")) return Lang::kBash;
  return std::nullopt;
}

// The language of a #! line such as "#!/usr/bin/env python3 -u" or "#!/bin/sh": the first word that
// names one.
std::optional<Lang> LangByFirstLine(std::string_view code) {
  if (!code.starts_with("#!")) return std::nullopt;
  const std::string_view line = code.substr(2, code.find('\n') - 2);
  for (const auto& [word, lang] : {std::pair{"python", Lang::kPython},
                                   {"node", Lang::kJavaScript},
                                   {"bash", Lang::kBash},
                                   {"/sh", Lang::kBash},
                                   {"dash", Lang::kBash}}) {
    if (line.find(word) != std::string_view::npos) return lang;
  }
  return std::nullopt;
}

}  // namespace

Result<std::optional<Lang>> NamedLang(const Source& source, const std::string& code) {
  if (!source.lang.empty()) return std::optional(BJ_TRY(request::ParseLang(source.lang)));
  if (auto lang = LangByEnding(source.file)) return lang;
  if (auto lang = LangByFirstLine(code)) return lang;
  if (source.code || source.file == "-") return std::optional<Lang>();
  return Error(Kind::kInvalid,
               fmt::format("{}: the language is not clear from the name or a #! line: name it "
                           "with --lang python, javascript or bash",
                           source.file));
}

Result<std::string> ReadCode(const Source& source) {
  if (source.code) return *source.code;
  if (source.file != "-") {
    const Fd file = BJ_TRY(Open(source.file, O_RDONLY));
    return ReadAll(file, request::kMaxCodeBytes, source.file);
  }
  const Fd input(::fcntl(0, F_DUPFD_CLOEXEC, 3));
  return ReadAll(input, request::kMaxCodeBytes, "the code on standard input");
}

}  // namespace belljar::door::cli
