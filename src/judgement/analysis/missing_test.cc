#include "judgement/analysis/missing.h"

#include <gtest/gtest.h>

#include "judgement/analysis/analyse.h"

namespace belljar::judgement::analysis {
namespace {

// The modules reported as missing, as "name@line", when only `os` and `fs` are available.
std::string Missing(Language language, std::string_view text) {
  const ModulesThere there{[](const std::string& top) { return top == "os" || top == "fs"; },
                           [](const std::string& top) { return top + " is not there"; }};
  std::string all;
  for (const Finding& finding : MissingModules(Analyse(language, text), language, there)) {
    EXPECT_EQ(finding.message, finding.subject + " is not there");
    all += (all.empty() ? "" : " ") + finding.subject + "@" + std::to_string(finding.place.line);
  }
  return all;
}

std::string InPython(std::string_view text) { return Missing(Language::kPython, text); }
std::string InNode(std::string_view text) { return Missing(Language::kJavaScript, text); }

TEST(MissingModules, AreNamedOnceAtTheirFirstPlace) {
  EXPECT_EQ(InPython("import os.path\nimport cv2\nfrom cv2.data import x\nimport yaml"),
            "cv2@2 yaml@4");
  EXPECT_EQ(InNode("require('fs/promises');\nrequire('axios/lib/x');\nimport y from '@a/b/c'"),
            "axios@2 @a/b@3");
}

TEST(MissingModules, AreNotThoseThatMayBeMissing) {
  EXPECT_EQ(InPython("try:\n  import cv2\nexcept ImportError:\n  cv2 = None"), "");
  EXPECT_EQ(InNode("try { require('axios'); } catch { }"), "");
}

TEST(MissingModules, AreNotThoseOfTypeCheckers) {
  EXPECT_EQ(InPython("from os import TYPE_CHECKING\nif TYPE_CHECKING:\n  import cv2\n"), "");
  EXPECT_EQ(InPython("import os as t\nif t.TYPE_CHECKING:\n  import cv2\n"), "");
  EXPECT_EQ(InPython("import os\nif os.TYPE_CHECKING:\n  pass\nelse:\n  import cv2\n"), "cv2@5");
}

TEST(MissingModules, AreNotRelativeOrPrivate) {
  EXPECT_EQ(InPython("from . import x\nfrom .y import z\nimport __future__, _abc"), "");
  EXPECT_EQ(InNode("require('./x'); require('../y.js'); require('/z'); import '#inner'"), "");
}

}  // namespace
}  // namespace belljar::judgement::analysis
