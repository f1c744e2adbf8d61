#include "door/cli/account.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

namespace belljar::door::cli {
namespace {

std::string Mebibytes(std::uint64_t bytes) {
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / request::kMiB);
}

template <class T>
std::string Or(const std::optional<T>& value, const char* unit) {
  return value ? fmt::format("{}{}", *value, unit) : std::string("not measured here");
}

std::string WordsOf(const json::value& value) {
  if (value.is_string()) return std::string(value.get_string());
  if (!value.is_array()) return value.is_null() ? "absent" : json::serialize(value);
  std::string words;
  for (const json::value& word : value.get_array()) {
    words += (words.empty() ? "" : " ") + std::string(word.get_string());
  }
  return words;
}

std::string LimitsText(const request::Limits& limits) {
  return fmt::format("{:g} s, {}, {:g} CPU, {} processes, workspace {}, no network",
                     static_cast<double>(limits.wall.count()) / 1000.0,
                     Mebibytes(limits.memory_bytes), limits.cpu_millis / 1000.0, limits.processes,
                     Mebibytes(limits.workspace_bytes));
}

// Formats the decision: "warn, L3, 4 findings (py-process, py-import)".
std::string JudgementText(const run::RunResult& result) {
  const auto word = [&](std::string_view key) {
    const json::value* const value = result.decision.if_contains(key);
    return value == nullptr ? std::string("?") : WordsOf(*value);
  };
  std::vector<std::string> rules;
  for (const json::value& finding : result.findings) {
    const json::value* const rule =
        finding.is_object() ? finding.get_object().if_contains("rule") : nullptr;
    if (rule != nullptr && std::ranges::find(rules, WordsOf(*rule)) == rules.end()) {
      rules.push_back(WordsOf(*rule));
    }
  }
  const std::string found = rules.empty() ? "nothing was found"
                                          : fmt::format("{} findings ({})", result.findings.size(),
                                                        fmt::join(rules, ", "));
  return fmt::format("{}, {}, {}", word("action"), word("level"), found);
}

}  // namespace

void PrintAccount(const run::RunResult& result, const std::optional<request::Limits>& limits) {
  const auto line = [](std::string_view name, const std::string& text) {
    fmt::print(stderr, "  {:<11} {}\n", name, text);
  };
  fmt::print(stderr, "-- what held it\n");
  line("outcome", std::string(run::OutcomeName(result.outcome)));
  line("judged", JudgementText(result));
  for (const auto& [name, value] : result.layers) {
    if (!value.is_object()) line(std::string_view(name), WordsOf(value));
  }
  if (limits) line("limits", LimitsText(*limits));
  const run::Usage& usage = result.usage;
  line("used", fmt::format("{:.1f} ms, CPU {}, memory {}, processes {}", usage.wall_ms,
                           usage.cpu_ms ? fmt::format("{:.1f} ms", *usage.cpu_ms) : "not measured",
                           usage.memory_peak_bytes ? Mebibytes(*usage.memory_peak_bytes)
                                                   : std::string("not measured"),
                           Or(usage.processes_peak, "")));
  line("files", fmt::format("{} created, {} changed, {} deleted", result.files.created.size(),
                            result.files.changed.size(), result.files.deleted.size()));
}

}  // namespace belljar::door::cli
