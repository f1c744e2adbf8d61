#include "cell/image/store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "cell/image/build.h"
#include "cell/image/hold.h"
#include "cell/image/host_files.h"
#include "cell/image/libraries.h"
#include "cell/image/manifest.h"
#include "cell/image/modules.h"
#include "cell/image/origin.h"
#include "cell/image/paths.h"
#include "cell/image/python_files.h"
#include "cell/image/tree.h"
#include "cell/image/venv.h"
#include "foundation/base/sys.h"
#include "foundation/base/text.h"

namespace belljar::cell::image {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHostSource = "host";
constexpr std::size_t kMaxName = 64;
constexpr std::size_t kMaxModule = 200;
constexpr std::size_t kMaxManifest = 1U << 20;
constexpr int kMaxOpens = 2;

bool IsAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

Result<> CheckOwner(const std::string& dir) {
  struct stat info {};
  BJ_TRY(Check("stat", dir, [&] { return ::stat(dir.c_str(), &info); }));
  if (info.st_uid == ::geteuid() && (info.st_mode & 0022) == 0) return {};
  return Error(Kind::kDenied, dir +
                                  " can be written by other users: images are kept only in a "
                                  "directory of one's own (chmod 0700)");
}

Result<> ValidateModules(const std::vector<std::string>& modules) {
  for (const std::string& module : modules) BJ_TRY(ValidateModuleName(module));
  return {};
}

// The canonical path of a directory that a caller has named; it must exist.
Result<std::string> RealDirectory(const std::string& path) {
  std::error_code ec;
  const fs::path real = fs::canonical(path, ec);
  if (ec) return SysError("open", path, ec.value());
  if (!fs::is_directory(real, ec)) return Error(Kind::kInvalid, path + " is not a directory");
  // The path is stored in image.json, and JSON must be UTF-8.
  if (!IsValidUtf8(real.native())) return Error(Kind::kInvalid, path + " is not valid UTF-8");
  return real.native();
}

Result<> PlanDefault(FilePlan& plan, Image& image) {
  const Root host("/");
  AddMountPoints(plan);
  AddEtc(plan);
  BJ_TRY(AddTools(host, plan, image));
  BJ_TRY(AddSystemPython(host, plan, image));
  AddPythonNames(host, plan, image);
  AddModulesLink(plan);
  return AddLibraries(host, plan, {image.python, image.bash});
}

Result<> PlanVenv(const std::string& venv, FilePlan& plan, Image& image) {
  const Root host("/");
  AddMountPoints(plan);
  AddEtc(plan);
  BJ_TRY(AddTools(host, plan, image));
  BJ_TRY(AddVenv(host, venv, plan, image));
  AddPythonNames(host, plan, image);
  AddModulesLink(plan);
  return AddLibraries(host, plan, {image.python, image.bash});
}

Result<Image> ReadImage(const std::string& dir, const std::string& name) {
  const std::string place = dir + "/" + name;
  const std::string text = BJ_TRY(ReadFile(place + "/image.json", kMaxManifest));
  Image image = BJ_TRY(ParseManifest(text).While("image " + name + " is damaged, build it again"));
  image.name = name;
  image.rootfs = place + "/rootfs";
  return image;
}

// The image that another process has built meanwhile, if it equals the one to be built.
std::optional<Image> BuiltMeanwhile(const std::string& dir, const Image& draft) {
  auto image = ReadImage(dir, draft.name);
  if (!image || image->source != draft.source || image->origin != draft.origin ||
      image->preimport != draft.preimport) {
    return std::nullopt;
  }
  return *std::move(image);
}

Image Draft(std::string_view name, std::string source, std::vector<std::string> preimport) {
  Image draft;
  draft.name = name;
  draft.source = std::move(source);
  draft.preimport = std::move(preimport);
  return draft;
}

// The origin is computed before the copying, so that a change during the copying is noticed later.
Image DraftDefault(std::vector<std::string> preimport) {
  Image draft = Draft(kDefaultImage, std::string(kHostSource), std::move(preimport));
  draft.origin = HostOrigin();
  return draft;
}

// A zygote that cannot import a module starts no cell, so the error is reported when the image is
// built, not when it is used. Modules that are not known to be missing are left to the import.
Result<> FindPreimported(const Image& image) {
  if (image.preimport.empty() || image.python.empty()) return {};
  const auto known = PythonModules(image);
  if (!known) return {};
  for (const std::string& module : image.preimport) {
    if (known->Has(module.substr(0, module.find('.')))) continue;
    return Error(Kind::kNotFound, "--preimport " + module + ": there is no such module in it");
  }
  return {};
}

Result<Image> Build(const std::string& dir, const Image& draft, const Planner& planner,
                    const OnProgress& on_progress) {
  BJ_TRY(ValidateImageName(draft.name));
  BJ_TRY(ValidateModules(draft.preimport));
  const bool existed = BuiltMeanwhile(dir, draft).has_value();
  const Fd lock = BJ_TRY(LockStore(dir));
  if (!existed) {
    if (auto image = BuiltMeanwhile(dir, draft)) return *std::move(image);
  }
  return BuildImage(dir, draft, planner, FindPreimported, on_progress)
      .While("build image " + draft.name);
}

}  // namespace

Result<> ValidateImageName(std::string_view name) {
  const bool proper = std::all_of(name.begin(), name.end(), [](char c) {
    return IsAlpha(c) || IsDigit(c) || c == '.' || c == '_' || c == '-';
  });
  if (proper && !name.empty() && name.size() <= kMaxName && name[0] != '.') return {};
  return Error(Kind::kInvalid,
               "an image's name has letters, digits, '.', '_' and '-', does not start with '.', "
               "and is at most 64 long");
}

Result<> ValidateModuleName(std::string_view module) {
  char before = '.';
  for (const char c : module) {
    const bool starts = IsAlpha(c) || c == '_';
    const bool goes_on = starts || IsDigit(c) || c == '.';
    if (before == '.' ? !starts : !goes_on) before = '\0';
    if (before == '\0') break;
    before = c;
  }
  if (before != '.' && before != '\0' && module.size() <= kMaxModule) return {};
  return Error(Kind::kInvalid, "\"" + ToValidUtf8(module.substr(0, kMaxModule)).text +
                                   "\" is not a module's name: give identifiers joined by dots, "
                                   "such as os.path");
}

Result<ImageStore> ImageStore::Open(std::string dir) {
  if (dir.empty()) return Error(Kind::kInvalid, "the image directory needs a path");
  while (dir.size() > 1 && dir.ends_with('/')) dir.pop_back();
  std::error_code ec;
  const fs::path path = fs::absolute(std::move(dir), ec).lexically_normal();
  if (ec) return SysError("find", "the working directory", ec.value());
  const fs::path state = path.parent_path();
  fs::create_directories(state.parent_path(), ec);
  if (ec) return SysError("mkdir", state.parent_path().native(), ec.value());
  for (const fs::path& own : {state, path}) {
    if (::mkdir(own.c_str(), 0700) != 0 && errno != EEXIST) {
      return SysError("mkdir", own.native(), errno);
    }
  }
  BJ_TRY(CheckOwner(path.native()));
  return ImageStore(path.native());
}

Result<Image> ImageStore::Find(std::string_view name) const {
  BJ_TRY(ValidateImageName(name));
  auto image = ReadImage(dir_, std::string(name));
  if (image || image.error().kind() != Kind::kNotFound) return image;
  const std::vector<Image> others = BJ_TRY(List());
  std::string names;
  for (const Image& other : others) names += (names.empty() ? "" : ", ") + other.name;
  return Error(Kind::kNotFound,
               "no image " + std::string(name) + ": " +
                   (names.empty() ? "none has been built yet" : "there is " + names));
}

Result<std::vector<Image>> ImageStore::List() const {
  std::vector<Image> images;
  std::error_code ec;
  for (fs::directory_iterator at(dir_, ec); !ec && at != fs::end(at); at.increment(ec)) {
    const std::string name = at->path().filename().native();
    if (!ValidateImageName(name)) continue;
    auto image = ReadImage(dir_, name);
    if (image) images.push_back(*std::move(image));
  }
  if (ec) return SysError("read", dir_, ec.value());
  std::sort(images.begin(), images.end(),
            [](const Image& a, const Image& b) { return a.name < b.name; });
  return images;
}

Result<> ImageStore::Remove(std::string_view name) {
  BJ_TRY(ValidateImageName(name));
  const Fd lock = BJ_TRY(LockStore(dir_));
  const auto found = Find(name);  // damaged images can be removed too
  if (!found && found.error().kind() == Kind::kNotFound) return found.error();
  return RemoveImage(dir_, std::string(name)).While("remove image");
}

Result<Fd> ImageStore::Hold(std::string_view name, const OpenTree& open) const {
  BJ_TRY(ValidateImageName(name));
  const std::string place = dir_ + "/" + std::string(name);
  for (int attempt = 0; attempt < kMaxOpens; ++attempt) {
    auto hold = HoldTree(place);
    const Image image = BJ_TRY(Find(name));  // the error lists the existing images
    if (!hold) return hold;
    auto opened = open(image);
    if (!LeadsToHeld(place, *hold)) continue;
    if (!opened) return std::move(opened).error();
    return hold;
  }
  return Error(Kind::kUnavailable,
               "image " + std::string(name) + " was replaced while it was opened: try again");
}

Result<Image> ImageStore::BuildDefault(std::vector<std::string> preimport,
                                       const OnProgress& on_progress) {
  return Build(dir_, DraftDefault(std::move(preimport)), PlanDefault, on_progress);
}

Result<Image> ImageStore::FreshDefault(const OnProgress& on_progress) {
  const auto is_fresh = [origin = HostOrigin()](const Result<Image>& image) {
    return image && (image->source != kHostSource || image->origin == origin);
  };
  if (auto image = Find(kDefaultImage); is_fresh(image)) return image;
  const Fd lock = BJ_TRY(LockStore(dir_));
  const auto image = Find(kDefaultImage);  // another process may have built it meanwhile
  if (is_fresh(image)) return image;
  return BuildImage(dir_, DraftDefault(image ? image->preimport : std::vector<std::string>()),
                    PlanDefault, nullptr, on_progress)
      .While(image ? "rebuild image default, which is out of date" : "build image default");
}

Result<Image> ImageStore::BuildFromTree(std::string_view name, const std::string& tree,
                                        std::vector<std::string> preimport,
                                        const OnProgress& on_progress) {
  const std::string dir = BJ_TRY(RealDirectory(tree));
  const auto plan_tree = [&](FilePlan& plan, Image& image) {
    return AddTreeImage(Root(dir), plan, image);
  };
  return Build(dir_, Draft(name, "tree " + dir, std::move(preimport)), plan_tree, on_progress);
}

Result<Image> ImageStore::BuildFromVenv(std::string_view name, const std::string& venv,
                                        std::vector<std::string> preimport,
                                        const OnProgress& on_progress) {
  const std::string dir = BJ_TRY(RealDirectory(venv));
  const auto plan_venv = [&](FilePlan& plan, Image& image) { return PlanVenv(dir, plan, image); };
  return Build(dir_, Draft(name, "venv " + dir, std::move(preimport)), plan_venv, on_progress);
}

}  // namespace belljar::cell::image
