#include "run/image_modules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include "judgement/analysis/missing.h"
#include "run/packages.h"

namespace belljar::run {
namespace {

using judgement::analysis::Language;

constexpr std::size_t kMostImages = 32;  // images searched at most
constexpr std::size_t kMostNamed = 3;

bool LooksElsewhere(const request::Request& request) {
  return !request.session.empty() || !request.vaults.empty() ||
         request.env.contains("PYTHONPATH") || request.env.contains("NODE_PATH");
}

// Whether one of the request's files is, or is part of, a module of that name. Its directory does
// not matter, because a program may search there.
bool ComesAlong(const request::Request& request, const std::string& module) {
  const std::string named = "/" + module;
  for (const request::InputFile& file : request.files) {
    const std::string path = "/" + file.path;
    for (std::size_t at = path.find(named); at != std::string::npos;
         at = path.find(named, at + 1)) {
      const std::size_t end = at + named.size();
      if (end < path.size() && (path[end] == '/' || path[end] == '.')) return true;
    }
  }
  return false;
}

std::string HowToGet(Language language, const std::string& module) {
  const Package package = PackageOf(language, module);
  if (language != Language::kPython) {
    return fmt::format("npm install {}, and bring its node_modules along as files", package.name);
  }
  if (package.standard) {
    return "it belongs to Python's standard library, but not in every version and installation";
  }
  const std::string debian =
      package.debian.empty() ? "" : fmt::format(" (in Debian {})", package.debian);
  return fmt::format(
      "the package is {}{}: pip install it in a virtualenv, then belljar image build NAME --venv "
      "DIR",
      package.name, debian);
}

std::string Advice(ImageModules& modules, const std::string& image, Language language,
                   const std::string& module) {
  const auto others = modules.ImagesWith(module, language, image);
  if (others.empty()) {
    return fmt::format("{} is not in the image {}: {}", module, image, HowToGet(language, module));
  }
  return fmt::format("{} is not in the image {}: use --image {}", module, image,
                     fmt::join(others, " or "));
}

}  // namespace

ImageModules::Names ImageModules::Read(const std::string& image, Language language) const {
  const auto store = cell::image::ImageStore::Open(dir_);
  if (!store) return nullptr;
  const auto found = store->Find(image);
  if (!found) return nullptr;
  if (language == Language::kPython && found->python.empty()) return nullptr;
  if (language != Language::kPython && found->node.empty()) return nullptr;
  auto names = language == Language::kPython ? PythonModules(*found) : NodeModules(*found);
  if (!names) return nullptr;
  return std::make_shared<const cell::image::ModuleNames>(*std::move(names));
}

ImageModules::Names ImageModules::Of(const std::string& image, Language language) {
  if (language == Language::kBash || !cell::image::ValidateImageName(image)) return nullptr;
  struct stat info {};
  if (::stat((dir_ + "/" + image + "/image.json").c_str(), &info) != 0) return nullptr;
  const Stamp stamp{info.st_ino,
                    info.st_mtim.tv_sec * std::int64_t{1'000'000'000} + info.st_mtim.tv_nsec};
  const Language key = language == Language::kPython ? language : Language::kJavaScript;
  const std::lock_guard lock(mutex_);
  Kept& kept = kept_[{image, key}];
  if (kept.stamp != stamp) kept = {stamp, Read(image, key)};
  return kept.names;
}

std::vector<std::string> ImageModules::ImagesWith(const std::string& module, Language language,
                                                  const std::string& other_than) {
  std::vector<std::string> having;
  const auto store = cell::image::ImageStore::Open(dir_);
  if (!store) return having;
  auto images = store->List();
  if (!images) return having;
  if (images->size() > kMostImages) images->resize(kMostImages);
  for (const cell::image::Image& image : *images) {
    if (image.name == other_than || having.size() == kMostNamed) continue;
    const Names names = Of(image.name, language);
    if (names && names->Has(module)) having.push_back(image.name);
  }
  return having;
}

std::vector<judgement::analysis::Finding> MissingIn(ImageModules& modules,
                                                    const request::Request& request,
                                                    const judgement::analysis::Analysis& analysis,
                                                    Language language) {
  if (analysis.imports.empty() || LooksElsewhere(request)) return {};
  const auto names = modules.Of(request.image, language);
  if (!names) return {};
  return judgement::analysis::MissingModules(
      analysis, language,
      {[&](const std::string& top) {
         // The module "belljar" exists where the policy has tools; where it does not, its import is
         // judged elsewhere.
         return top == "belljar" || names->Has(top) || ComesAlong(request, top);
       },
       [&](const std::string& top) { return Advice(modules, request.image, language, top); }});
}

}  // namespace belljar::run
