#include "run/image_modules.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cell/image/manifest.h"
#include "judgement/analysis/analyse.h"
#include "run/assessment.h"
#include "run/packages.h"

namespace belljar::run {
namespace {

using judgement::analysis::Language;

class ImageModulesOf : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = testing::TempDir() + "/modules.XXXXXX";
    ASSERT_NE(::mkdtemp(dir_.data()), nullptr);
    modules_ = std::make_unique<ImageModules>(dir_);
    Make("default", {"os", "numpy"});
    request_.code = "import os\nimport cv2\n";
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  void Make(const std::string& name, const std::vector<std::string>& modules) {
    const std::string lib = dir_ + "/" + name + "/rootfs/lib";
    std::filesystem::create_directories(lib);
    for (const std::string& module : modules) std::ofstream(lib + "/" + module + ".py") << "x";
    cell::image::Image image;
    image.source = "tree /x";
    image.python = "/bin/python3";
    image.python_paths = {"/lib"};
    image.created = "2026-01-01T00:00:00Z";
    // Replaces the file by rename, as an image build does.
    const std::string manifest = dir_ + "/" + name + "/image.json";
    std::ofstream(manifest + ".new") << cell::image::WriteManifest(image);
    std::filesystem::rename(manifest + ".new", manifest);
  }

  std::string Missing() {
    std::string all;
    const auto analysis = judgement::analysis::AnalysePython(request_.code);
    for (const auto& finding : MissingIn(*modules_, request_, analysis, Language::kPython)) {
      all += finding.message + "\n";
    }
    return all;
  }

  std::string dir_;
  request::Request request_;
  std::unique_ptr<ImageModules> modules_;
};

TEST_F(ImageModulesOf, NamesThePackageOfWhatIsMissing) {
  EXPECT_EQ(Missing(),
            "cv2 is not in the image default: the package is opencv-python (in Debian "
            "python3-opencv): pip install it in a virtualenv, then belljar image build NAME --venv "
            "DIR\n");
}

TEST_F(ImageModulesOf, NamesAnotherImageThatHasIt) {
  Make("vision", {"os", "cv2"});
  EXPECT_EQ(Missing(), "cv2 is not in the image default: use --image vision\n");
}

TEST_F(ImageModulesOf, NoticesThatAnImageIsAnother) {
  EXPECT_NE(Missing(), "");
  Make("default", {"cv2"});
  EXPECT_EQ(Missing(), "");
}

TEST_F(ImageModulesOf, CountsFilesThatComeAlong) {
  request_.files = {{"lib/cv2/__init__.py", ""}};
  EXPECT_EQ(Missing(), "");
  request_.files = {{"cv2.py", ""}};
  EXPECT_EQ(Missing(), "");
  request_.files = {{"cv25.py", ""}, {"cv2", ""}};
  EXPECT_NE(Missing(), "");
}

TEST_F(ImageModulesOf, SaysNothingWhereItCannotKnow) {
  request_.vaults = {{"/srv/x", request::VaultMode::kReadOnly}};
  EXPECT_EQ(Missing(), "");
  request_.vaults.clear();
  request_.env["PYTHONPATH"] = "lib";
  EXPECT_EQ(Missing(), "");
  request_.env.clear();
  request_.image = "none";
  EXPECT_EQ(Missing(), "");
  request_.image = "../default";
  EXPECT_EQ(Missing(), "");
}

TEST_F(ImageModulesOf, LeadsToAWarningInEveryPreset) {
  Assessment assessment{Terms{}};
  assessment.UseImages(dir_);
  request_.code = "import math\nimport numpi\n";
  for (const std::string_view level : request::kLevels) {
    request_.level = level;
    const auto decision = assessment.Decide(request_);
    ASSERT_TRUE(decision);
    std::string rules;
    for (const auto& judged : decision->findings) {
      if (judged.finding.rule->id == "py-missing-module") {
        rules += std::string(judgement::policy::ActionName(judged.action)) + " " +
                 std::to_string(judged.finding.place.line);
      }
    }
    EXPECT_EQ(rules, "warn 2") << level;
  }
}

TEST_F(ImageModulesOf, LooksIntoFilesOfTheRequestToo) {
  Assessment assessment{Terms{}};
  assessment.UseImages(dir_);
  request_.code = "import helper\n";
  request_.files = {{"helper.py", "import cv2\n"}};
  const auto analysis = assessment.Analyse(request_);
  ASSERT_FALSE(analysis->findings.empty());
  EXPECT_TRUE(analysis->findings.back().message.starts_with("helper.py: cv2 is not in"));
}

TEST(Packages, KnowNamesThatDiffer) {
  EXPECT_EQ(PackageOf(Language::kPython, "sklearn").name, "scikit-learn");
  EXPECT_EQ(PackageOf(Language::kPython, "yaml").debian, "python3-yaml");
  EXPECT_EQ(PackageOf(Language::kPython, "unheard_of").name, "unheard_of");
  EXPECT_TRUE(PackageOf(Language::kPython, "tkinter").standard);
  EXPECT_EQ(PackageOf(Language::kJavaScript, "yaml").name, "yaml");
}

}  // namespace
}  // namespace belljar::run
