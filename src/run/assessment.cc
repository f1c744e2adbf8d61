#include "run/assessment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "judgement/analysis/report.h"

namespace belljar::run {

judgement::analysis::Language LanguageRead(request::Lang lang) {
  switch (lang) {
    case request::Lang::kPython:
      return judgement::analysis::Language::kPython;
    case request::Lang::kJavaScript:
      return judgement::analysis::Language::kJavaScript;
    case request::Lang::kTypeScript:
      return judgement::analysis::Language::kTypeScript;
    case request::Lang::kBash:
      return judgement::analysis::Language::kBash;
  }
  return judgement::analysis::Language::kBash;
}

void Assessment::Set(Terms terms) {
  auto fresh = std::make_shared<const Terms>(std::move(terms));
  const std::lock_guard lock(mutex_);
  terms_ = std::move(fresh);
}

Result<std::shared_ptr<const judgement::policy::Policy>> Assessment::PolicyFor(
    const request::Request& request) const {
  std::shared_ptr<const Terms> terms;
  {
    const std::lock_guard lock(mutex_);
    terms = terms_;
  }
  using PolicyPtr = std::shared_ptr<const judgement::policy::Policy>;
  if (request.level.empty() && terms->own) return PolicyPtr(terms, &*terms->own);
  const std::string_view level = request.level.empty() ? request::kDefaultLevel : request.level;
  if (std::ranges::find(terms->levels, level) == terms->levels.end()) {
    return Error(Kind::kDenied,
                 fmt::format("the level \"{}\" is not open to requests here; {}", level,
                             terms->levels.empty()
                                 ? "none is: leave it out, and the policy holds"
                                 : fmt::format("these are: {}", fmt::join(terms->levels, ", "))));
  }
  const judgement::policy::Policy* const preset = BJ_TRY(judgement::policy::Preset(level));
  return PolicyPtr(terms, preset);  // presets have static lifetime
}

Result<std::shared_ptr<const judgement::redaction::Redactor>> Assessment::RedactorFor(
    const judgement::policy::Policy& terms) {
  const judgement::policy::RedactTerms& wanted = terms.redact;
  const int key =
      (wanted.credentials ? 1 : 0) + (wanted.personal ? 2 : 0) + (wanted.machines ? 4 : 0);
  if (key == 0) return std::shared_ptr<const judgement::redaction::Redactor>();
  const std::lock_guard lock(redactors_mutex_);
  auto& known = redactors_[key];
  if (!known) {
    known = BJ_TRY(judgement::redaction::Redactor::Create(
        {wanted.credentials, wanted.personal, wanted.machines}));
  }
  return known;
}

std::shared_ptr<const cell::guest::Guard> Assessment::GuardFor(
    const judgement::policy::Policy& terms) {
  constexpr std::size_t kMostKept = 64;
  const std::lock_guard lock(mutex_);
  if (guards_.size() > kMostKept) guards_.clear();
  auto& known = guards_[terms.content];
  if (!known) known = MakeGuard(terms);
  return known;
}

namespace {

using judgement::analysis::Analysis;
using judgement::analysis::Language;

std::optional<Language> LanguageOfProgram(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.starts_with("python")) return Language::kPython;
  if (name == "node" || name == "nodejs") return Language::kJavaScript;
  if (name == "bash" || name == "sh" || name == "dash" || name == ".") return Language::kBash;
  return std::nullopt;
}

// The language of a #! line such as "#!/usr/bin/env python3 -u": the first word that names an
// interpreter.
std::optional<Language> LanguageOfFirstLine(std::string_view text) {
  if (!text.starts_with("#!")) return std::nullopt;
  std::string_view line = text.substr(2, text.find('\n') - 2);
  while (!line.empty()) {
    const std::size_t blank = line.find(' ');
    if (const auto language = LanguageOfProgram(line.substr(0, blank))) return language;
    line = blank == std::string_view::npos ? "" : line.substr(blank + 1);
  }
  return std::nullopt;
}

// The language by the file's extension.
std::optional<Language> LanguageOfFile(std::string_view path) {
  if (path.ends_with(".py") || path.ends_with(".pyw") || path.ends_with(".pth")) {
    return Language::kPython;
  }
  if (path.ends_with(".js") || path.ends_with(".mjs") || path.ends_with(".cjs")) {
    return Language::kJavaScript;
  }
  if (path.ends_with(".sh") || path.ends_with(".bash")) return Language::kBash;
  return std::nullopt;
}

// The language of a command that reads its program from standard input: python3, bash -s, node -.
std::optional<Language> LanguageOfInput(const std::vector<std::string>& command) {
  if (command.empty() || command.size() > 2) return std::nullopt;
  if (command.size() == 2 && command[1] != "-" && command[1] != "-s") return std::nullopt;
  return LanguageOfProgram(command.front());
}

// The language that a request's file may be run as; nullopt: none.
std::optional<Language> LanguageOfInputFile(const request::InputFile& file,
                                            const request::Request& request) {
  if (const auto by_name = LanguageOfFile(file.path)) return by_name;
  if (const auto by_line = LanguageOfFirstLine(file.bytes)) return by_line;
  // The file is named on the command line: python3 x, bash ./x.
  for (std::size_t i = 1; i < request.command.size(); ++i) {
    std::string_view word = request.command[i];
    if (word.starts_with("./")) word.remove_prefix(2);
    if (word == file.path) return LanguageOfProgram(request.command.front());
  }
  // A shell script may execute a file that comes with it; a file with an extension is taken for
  // data.
  const bool shell = request.command.empty() && request.lang == request::Lang::kBash;
  return shell && file.path.find('.') == std::string::npos ? std::optional(Language::kBash)
                                                           : std::nullopt;
}

// Adds the findings of another file of the request, with their location.
void AddFrom(const Analysis& more, const std::string& where, Analysis& all) {
  for (judgement::analysis::Finding finding : more.findings) {
    if (all.findings.size() >= judgement::analysis::kMaxFindings) {
      all.findings.push_back(judgement::analysis::TooMany(finding.rule->language));
      break;
    }
    finding.message = where + ": " + finding.message;
    all.findings.push_back(std::move(finding));
  }
  all.imports.insert(all.imports.end(), more.imports.begin(), more.imports.end());
  all.level = std::max(all.level, more.level);
}

}  // namespace

void Assessment::UseImages(std::string images_dir) {
  modules_ = std::make_unique<ImageModules>(std::move(images_dir));
}

// Adds findings for imports that will fail. Most texts have none; their analysis is returned
// unchanged.
std::shared_ptr<const Analysis> Assessment::WithMissing(const request::Request& request,
                                                        std::shared_ptr<const Analysis> analysis,
                                                        Language language) {
  if (!modules_) return analysis;
  const auto missing = MissingIn(*modules_, request, *analysis, language);
  if (missing.empty()) return analysis;
  Analysis more = *analysis;
  more.findings.insert(more.findings.end(), missing.begin(), missing.end());
  std::ranges::stable_sort(more.findings, [](const auto& a, const auto& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  return std::make_shared<const Analysis>(std::move(more));
}

std::shared_ptr<const Analysis> Assessment::Analyse(const request::Request& request) {
  const auto read = [&](Language language, std::string_view text) {
    return WithMissing(request, cache_.Text(language, text), language);
  };
  auto program = request.command.empty() ? read(LanguageRead(request.lang), request.code)
                                         : cache_.Command(request.command);
  const auto of_input = LanguageOfInput(request.command);
  if (request.files.empty() && !of_input) return program;
  Analysis all = *program;
  if (of_input) AddFrom(*read(*of_input, request.stdin_bytes), "standard input", all);
  for (const request::InputFile& file : request.files) {
    const auto language = LanguageOfInputFile(file, request);
    if (language) AddFrom(*read(*language, file.bytes), file.path, all);
  }
  return std::make_shared<const Analysis>(std::move(all));
}

judgement::policy::Decision Assessment::Decide(const request::Request& request,
                                               const judgement::policy::Policy& terms) {
  return judgement::policy::Decide(*Analyse(request), terms, judgement::policy::WishesOf(request));
}

Result<judgement::policy::Decision> Assessment::Decide(const request::Request& request) {
  const auto terms = BJ_TRY(PolicyFor(request));
  return Decide(request, *terms);
}

json::array FindingsJson(const judgement::policy::Decision& decision) {
  json::array findings;
  for (const judgement::policy::Judged& judged : decision.findings) {
    const judgement::analysis::Finding& finding = judged.finding;
    findings.push_back({{"rule", finding.rule->id},
                        {"severity", judgement::analysis::SeverityName(finding.rule->severity)},
                        {"action", judgement::policy::ActionName(judged.action)},
                        {"line", finding.place.line},
                        {"column", finding.place.column},
                        {"message", finding.message},
                        {"advice", finding.rule->advice}});
  }
  return findings;
}

json::object DecisionJson(const judgement::policy::Decision& decision) {
  json::array reasons;
  for (const std::string& reason : decision.reasons) reasons.emplace_back(reason);
  return {{"action", judgement::policy::ActionName(decision.action)},
          {"level", judgement::analysis::LevelName(decision.level)},
          {"reasons", std::move(reasons)}};
}

}  // namespace belljar::run
