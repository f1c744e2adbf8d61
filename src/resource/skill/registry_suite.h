// RegistrySuite: the tests that Registry must pass on every kind of database, run once for each
// kind. The SQLite run is part of the unit tests; the PostgreSQL run needs a server and is part of
// the slow tests.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "foundation/storage/database_suite.h"
#include "foundation/storage/scratch.h"
#include "resource/skill/registry.h"

namespace belljar::resource::skill {

// What one process would have: its own connection and its own Registry object.
struct OpenedRegistry {
  std::unique_ptr<storage::Database> database;
  std::unique_ptr<Registry> registry;
  Registry* operator->() const { return registry.get(); }
};

class RegistrySuite : public testing::TestWithParam<storage::KindOfPlace> {
 protected:
  OpenedRegistry Open() {
    auto database = storage::Database::Open(
        place_->where(), storage::Options{.patience = std::chrono::milliseconds(20'000)});
    if (!database) return Give(database.error());
    auto registry = Registry::Open(**database, key_file(), [this] { return now_ms_.fetch_add(1); });
    if (!registry) return Give(registry.error());
    return {*std::move(database), *std::move(registry)};
  }
  std::string key_file() const { return dir_.path("skills.key"); }

  static Definition Sample(const std::string& code = "print(1)\n",
                           const std::string& name = "count") {
    Definition definition;
    definition.name = name;
    definition.description = "counts";
    definition.request_template.code = code;
    definition.request_template.level = "strict";
    definition.request_template.limits.wall = std::chrono::seconds(5);
    return definition;
  }
  // Stores a definition, which must succeed, and returns its version.
  std::int64_t Add(const Definition& definition, const std::string& caller = "ci") {
    const auto added = first_->Add(caller, definition);
    EXPECT_TRUE(added) << added.error().message();
    return added ? added->skill.version : 0;
  }
  Skill Find(const Handle& handle, const std::string& caller = "ci") {
    auto found = first_->Find(caller, handle);
    EXPECT_TRUE(found) << found.error().message();
    return found ? *std::move(found) : Skill();
  }
  // Records a run. Returns whether it has disabled the skill.
  bool Note(const Skill& skill, Verdict verdict, std::int64_t wall_us = 1000,
            const std::string& error = "ValueError: no") {
    skill::Run run;
    run.id = "r-1";
    run.outcome = verdict == Verdict::kSuccess ? "ok" : "exception";
    run.verdict = verdict;
    run.wall_us = wall_us;
    if (verdict == Verdict::kFailure) run.error = error;
    const auto noted = first_->Note(skill, run);
    EXPECT_TRUE(noted) << noted.error().message();
    return noted && noted->disabled;
  }
  template <class T>
  static std::optional<Kind> FailureOf(const Result<T>& result) {
    if (result) return std::nullopt;
    return result.error().kind();
  }

  storage::ScratchDir dir_;
  std::atomic<std::int64_t> now_ms_ = 1'795'000'000'000;
  std::unique_ptr<storage::Place> place_ = GetParam().make();
  OpenedRegistry first_ = Open();
  OpenedRegistry second_ = Open();

 private:
  [[noreturn]] static OpenedRegistry Give(const Error& error) {
    ADD_FAILURE() << error.message();
    std::abort();  // no test of this suite can run without a database
  }
};

class RegistryTest : public RegistrySuite {};
class RegistryHealthTest : public RegistrySuite {};
class RegistryTamperTest : public RegistrySuite {};

class RegistryCodeTest : public RegistrySuite {
 protected:
  std::optional<Compiled> Kept(const Skill& skill) {
    const auto kept = first_->CompiledOf(skill);
    EXPECT_TRUE(kept) << kept.error().message();
    return kept ? *kept : std::nullopt;
  }
  void Do(const std::string& sql, const std::vector<storage::Value>& params = {}) {
    const auto done = second_.database->Execute(sql, params);
    EXPECT_TRUE(done && *done > 0) << sql;
  }
  Skill Stored(const std::string& code = "1", const std::string& caller = "ci") {
    Add(Sample(code), caller);
    return Find({"count", {}}, caller);
  }
};

}  // namespace belljar::resource::skill
