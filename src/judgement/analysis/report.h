// Report: findings as they are made, each once, up to a bound; and texts within texts.
#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <string>
#include <string_view>

#include "judgement/analysis/rule.h"

namespace belljar::judgement::analysis {

// A text may run texts that run texts: so many levels are read.
constexpr int kMaxTextLevels = 3;
// Beyond this many, one finding more says that the text could not be judged: nothing hides behind a
// crowd.
constexpr std::size_t kMaxFindings = 2000;

// What stands for the findings beyond kMaxFindings.
Finding TooMany(Language language);

class Report {
 public:
  explicit Report(int level = 0) : level_(level) {}

  // Most of what is looked at is none: the code that reports lies apart from the code that looks.
  [[gnu::cold]] void Add(std::string_view rule, Place place, std::string subject = "");
  [[gnu::cold]] void Add(const Rule& rule, Place place, std::string subject);
  // The same with a message of its own.
  [[gnu::cold]] void Say(std::string_view rule, Place place, std::string subject,
                         std::string message);
  void AddImport(std::string module, Place place, bool optional);
  // What was found in a text that stands at `place` and is run.
  void Include(const Analysis& inner, Place place);
  // The same for a text that may be run, and may be in another language: only what is no accident.
  void IncludeDangers(const Analysis& inner, Place place);

  int level() const { return level_; }
  // In the order of places.
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

  // The same with a subject that is tame.
  void Put(const Rule& rule, Place place, std::string subject, std::string message);

  int level_;
  Analysis analysis_;
  bool overflowed_ = false;
  boost::unordered_flat_set<Key, KeyHash> seen_;
};

}  // namespace belljar::judgement::analysis
