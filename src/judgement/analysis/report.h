// Report: collects findings and imports without duplicates, up to a bound, and merges the results
// of nested programs (for example, a string passed to eval).
#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <string>
#include <string_view>

#include "judgement/analysis/rule.h"

namespace belljar::judgement::analysis {

// Nested programs are analysed up to this depth.
constexpr int kMaxTextLevels = 3;
// Findings beyond this number are dropped, and one more finding says that the program could not be
// judged. So a program cannot hide a dangerous call behind a flood of harmless findings.
constexpr std::size_t kMaxFindings = 2000;

// The finding that stands for those dropped beyond kMaxFindings.
Finding TooMany(Language language);

class Report {
 public:
  explicit Report(int level = 0) : level_(level) {}

  // Cold, because most checked nodes yield no finding: this keeps the reporting code out of the hot
  // path.
  [[gnu::cold]] void Add(std::string_view rule, Place place, std::string subject = "");
  [[gnu::cold]] void Add(const Rule& rule, Place place, std::string subject);
  // As above, with a message other than the rule's default.
  [[gnu::cold]] void Say(std::string_view rule, Place place, std::string subject,
                         std::string message);
  void AddImport(std::string module, Place place, bool optional);
  // Adds the result of analysing a nested program that is run at `place`.
  void Include(const Analysis& inner, Place place);
  // As above for a string that may be run, in a language that was guessed: adds only findings that
  // are unlikely to be accidental.
  void IncludeDangers(const Analysis& inner, Place place);

  int level() const { return level_; }
  // Returns the analysis, in source order.
  Analysis Take();

 private:
  struct Key {
    const Rule* rule;
    Place place;
    std::string subject;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };

  // Adds a finding; `subject` must be sanitised already.
  void Put(const Rule& rule, Place place, std::string subject, std::string message);

  int level_;
  Analysis analysis_;
  bool overflowed_ = false;
  boost::unordered_flat_set<Key, KeyHash> seen_;
};

}  // namespace belljar::judgement::analysis
