#include "run/side_effects.h"

#include <fmt/format.h>

#include <algorithm>

#include "foundation/base/glob.h"

namespace belljar::run {

void NoteUnexpected(const std::vector<std::string>& writes, RunResult& result) {
  std::vector<std::string> unexpected;
  for (const auto* paths : {&result.files.created, &result.files.changed, &result.files.deleted}) {
    for (const std::string& path : *paths) {
      const bool expected = std::ranges::any_of(
          writes, [&](const std::string& pattern) { return GlobMatches(pattern, path); });
      if (!expected) unexpected.push_back(path);
    }
  }
  std::ranges::sort(unexpected);
  std::string message;
  if (!unexpected.empty()) {
    message = fmt::format("it changed {} files that \"writes\" does not name", unexpected.size());
  } else if (result.files.incomplete) {
    message = "it left more files than are listed, so \"writes\" may not name them all";
  }
  result.files.unexpected = std::move(unexpected);
  if (message.empty()) return;
  result.findings.push_back({{"rule", kUnexpectedFile},
                             {"severity", "warning"},
                             {"action", "warn"},
                             {"line", 0},
                             {"column", 0},
                             {"message", message},
                             {"advice", "look at files.unexpected, or name them in \"writes\""}});
}

}  // namespace belljar::run
