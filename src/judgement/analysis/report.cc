#include "judgement/analysis/report.h"

#include <algorithm>
#include <functional>
#include <tuple>

#include "judgement/analysis/name_memory.h"

namespace belljar::judgement::analysis {
namespace {

// Sorts only if needed: the things are mostly in order already.
template <class Things>
void Sort(Things& things) {
  const auto is_before = [](const auto& a, const auto& b) {
    return std::tie(a.place.line, a.place.column) < std::tie(b.place.line, b.place.column);
  };
  if (std::ranges::is_sorted(things, is_before)) return;
  std::ranges::stable_sort(things, is_before);
}

// Sanitises a subject: subjects are quoted from the untrusted source, and must be short and on one
// line.
std::string Tame(std::string subject) {
  constexpr std::size_t kMaxSubject = 120;
  for (char& c : subject) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  if (subject.size() <= kMaxSubject) return subject;
  std::size_t end = kMaxSubject;
  while (end > 0 && (static_cast<unsigned char>(subject[end]) & 0xC0U) == 0x80U) --end;
  return subject.substr(0, end) + "…";
}

}  // namespace

Finding TooMany(Language language) {
  const std::string_view id = language == Language::kPython ? "py-unclear"
                              : language == Language::kBash ? "sh-unclear"
                                                            : "js-unclear";
  return {&RuleNamed(id), {}, "too many findings", "there are more findings than are listed"};
}

void Report::Add(std::string_view rule, Place place, std::string subject) {
  Add(RuleNamed(rule), place, std::move(subject));
}

void Report::Add(const Rule& rule, Place place, std::string subject) {
  subject = Tame(std::move(subject));
  std::string message;
  message.reserve(rule.title.size() + 2 + subject.size());
  message = rule.title;
  if (!subject.empty()) message.append(": ").append(subject);
  Put(rule, place, std::move(subject), std::move(message));
}

void Report::Say(std::string_view rule, Place place, std::string subject, std::string message) {
  Put(RuleNamed(rule), place, Tame(std::move(subject)), std::move(message));
}

std::size_t Report::KeyHash::operator()(const Key& key) const {
  const std::size_t where = std::size_t{key.place.line} << 32U | key.place.column;
  return MixedName(key.subject) ^ std::hash<const void*>()(key.rule) ^ where;
}

void Report::Put(const Rule& rule, Place place, std::string subject, std::string message) {
  // A note (an imported module, a harmless member) is reported once, not at every use.
  const Place counted = rule.severity == Severity::kNote ? Place{0, 0} : place;
  Key key{&rule, counted, subject};
  if (analysis_.findings.size() >= kMaxFindings) {
    overflowed_ = overflowed_ || !seen_.contains(key);
    return;
  }
  if (!seen_.insert(std::move(key)).second) return;
  analysis_.findings.push_back({&rule, place, std::move(subject), std::move(message)});
}

void Report::AddImport(std::string module, Place place, bool optional) {
  if (analysis_.imports.size() >= kMaxFindings) {
    overflowed_ = true;
    return;
  }
  analysis_.imports.push_back({Tame(std::move(module)), place, optional});
}

void Report::Include(const Analysis& inner, Place place) {
  for (const Finding& finding : inner.findings) {
    Say(finding.rule->id, place, finding.subject, finding.message + ", in a text that is run");
  }
  for (const Import& import : inner.imports) AddImport(import.module, place, import.optional);
}

void Report::IncludeDangers(const Analysis& inner, Place place) {
  for (const Finding& finding : inner.findings) {
    const Class what = finding.rule->rule_class;
    if (finding.rule->severity == Severity::kNote || what == Class::kSyntax ||
        what == Class::kUnclear || what == Class::kBomb) {
      continue;
    }
    Say(finding.rule->id, place, finding.subject, finding.message + ", in a text that may be run");
  }
}

Analysis Report::Take() {
  Sort(analysis_.findings);
  Sort(analysis_.imports);
  if (overflowed_ && !analysis_.findings.empty()) {
    const Language language = analysis_.findings.front().rule->language;
    analysis_.findings.insert(analysis_.findings.begin(), TooMany(language));
  }
  return std::move(analysis_);
}

}  // namespace belljar::judgement::analysis
