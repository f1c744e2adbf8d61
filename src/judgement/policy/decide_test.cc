#include "judgement/policy/decide.h"

#include <gtest/gtest.h>

#include "judgement/analysis/analyse.h"

namespace belljar::judgement::policy {
namespace {

using analysis::Language;

const Policy& PresetNamed(std::string_view name) {
  const auto preset = Preset(name);
  EXPECT_TRUE(preset) << (preset ? "" : preset.error().message());
  return **preset;
}

std::string_view DecidedBy(std::string_view preset, std::string_view code) {
  const auto analysis = analysis::AnalysePython(code);
  return ActionName(Decide(analysis, PresetNamed(preset), {}).action);
}

TEST(Decide, IsWhatThePresetsPromiseForPython) {
  struct Row {
    std::string_view code, strict, standard, relaxed;
  };
  for (const Row& row : {
           Row{"import math", "allow", "allow", "allow"},
           Row{"import threading", "block", "allow", "allow"},
           Row{"import subprocess", "block", "block", "allow"},
           Row{"import urllib.request", "block", "block", "warn"},
           Row{"from urllib.parse import quote", "block", "allow", "allow"},
           // importlib.metadata would give access to importlib itself, which bypasses the import
           // guard.
           Row{"import importlib.metadata", "block", "block", "allow"},
           Row{"import sys\nprint(sys.maxsize)", "allow", "allow", "allow"},
           Row{"import os\nos.path.join('a', 'b')", "allow", "allow", "allow"},
           Row{"import os\nos.setuid(0)", "block", "block", "allow"},
           Row{"eval('1')", "block", "review", "warn"},
           Row{"import pickle\npickle.loads(x)", "block", "block", "warn"},
           Row{"open('/etc/passwd')", "review", "review", "warn"},
       }) {
    EXPECT_EQ(DecidedBy("strict", row.code), row.strict) << row.code;
    EXPECT_EQ(DecidedBy("standard", row.code), row.standard) << row.code;
    EXPECT_EQ(DecidedBy("relaxed", row.code), row.relaxed) << row.code;
  }
}

TEST(Decide, ForbidsWhatForbiddenModulesAreMadeOf) {
  for (const std::string_view name : {"_socket", "_ssl", "_posixsubprocess", "_testinternalcapi",
                                      "_ctypes", "_signal", "_interpreters", "_posixshmem"}) {
    EXPECT_GT(Covers((*Preset("standard"))->python.forbidden, name), 0U) << name;
  }
}

TEST(Decide, SaysWhichRuleLedThere) {
  const auto analysis = analysis::AnalysePython("x = 1\nimport socket\n");
  const Decision decision = Decide(analysis, PresetNamed("standard"), {});
  ASSERT_FALSE(decision.reasons.empty());
  EXPECT_EQ(decision.reasons.front(),
            "py-import (line 2): a module is imported: socket; standard says block");
  EXPECT_EQ(decision.level, analysis::Level::kAsksFirst);
}

TEST(Decide, AsksForWishesBeyondThePreset) {
  Wishes wishes;
  wishes.timeout = std::chrono::seconds(61);
  EXPECT_EQ(Decide({}, PresetNamed("standard"), wishes).action, Action::kReview);
  wishes.timeout = std::chrono::seconds(60);
  EXPECT_EQ(Decide({}, PresetNamed("standard"), wishes).action, Action::kAllow);
  wishes.memory_bytes = 513 * request::kMiB;
  EXPECT_EQ(Decide({}, PresetNamed("standard"), wishes).action, Action::kReview);
  wishes = {};
  wishes.written_vaults = {"/srv/data"};
  const Decision decision = Decide({}, PresetNamed("standard"), wishes);
  EXPECT_EQ(decision.action, Action::kReview);
  EXPECT_EQ(decision.wishes, std::vector<std::string>{"it asks to write to /srv/data"});
  EXPECT_EQ(decision.runs_at, analysis::Level::kRunsCode);
}

TEST(Decide, AsksForVariablesThatLoadOtherCode) {
  for (const char* const name : {"PYTHONPATH",
                                 "PATH",
                                 "SHELLOPTS",
                                 "BASHOPTS",
                                 "PS4",
                                 "PROMPT_COMMAND",
                                 "PYTHONBREAKPOINT",
                                 "PYTHONINSPECT",
                                 "PYTHONWARNINGS",
                                 "GCONV_PATH",
                                 "LOCPATH",
                                 "OPENSSL_CONF",
                                 "OPENSSL_MODULES",
                                 "GLIBC_TUNABLES",
                                 "NODE_EXTRA_CA_CERTS",
                                 "VISUAL",
                                 "MANPAGER",
                                 "GIT_EXTERNAL_DIFF",
                                 "GIT_EDITOR",
                                 "GIT_SSH",
                                 "LESSOPEN"}) {
    request::Request request;
    request.env = {{name, "x"}};
    EXPECT_EQ(WishesOf(request).loaders, std::vector<std::string>{name});
    EXPECT_EQ(Decide({}, PresetNamed("standard"), WishesOf(request)).action, Action::kReview)
        << name;
  }
  request::Request plain;
  plain.env = {{"LANG", "C"}, {"PYTHONHASHSEED", "0"}, {"PS1", "$"}};
  EXPECT_TRUE(WishesOf(plain).loaders.empty());
}

// Monotonicity: adding a finding never makes a decision milder, under any preset and after any
// other findings.
TEST(Decide, IsMonotone) {
  std::vector<analysis::Finding> all;
  for (const auto rules :
       {analysis::PythonRules(), analysis::JavaScriptRules(), analysis::ShellRules()}) {
    for (const analysis::Rule& rule : rules) {
      for (const char* const subject : {"math", "subprocess", "os.path.join", "fs"}) {
        all.push_back({&rule, {}, subject, ""});
      }
    }
  }
  for (const std::string_view preset : request::kLevels) {
    for (const analysis::Finding& first : all) {
      const Action alone = Decide({{first}, {}, {}}, PresetNamed(preset), {}).action;
      for (const analysis::Finding& second : all) {
        const Action both = Decide({{first, second}, {}, {}}, PresetNamed(preset), {}).action;
        ASSERT_GE(both, alone) << preset << ": " << first.rule->id << " and " << second.rule->id;
      }
    }
  }
}

}  // namespace
}  // namespace belljar::judgement::policy
