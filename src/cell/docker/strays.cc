#include "cell/docker/strays.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "cell/docker/container_plan.h"
#include "cell/docker/docker_images.h"
#include "foundation/base/fingerprint.h"
#include "foundation/base/sys.h"

namespace belljar::cell::docker {
namespace {

constexpr std::size_t kMostStat = 4096;
constexpr int kStartedField = 22;  // in /proc/PID/stat, counted from 1

// Start time of a process, in clock ticks since boot; "" if there is no such process.
std::string StartedAt(const std::string& pid) {
  const auto text = ReadFile("/proc/" + pid + "/stat", kMostStat);
  const std::size_t end = text ? text->rfind(") ") : std::string::npos;
  if (end == std::string::npos) return "";
  std::istringstream rest(text->substr(end + 2));
  std::string field;
  for (int i = 3; i <= kStartedField; ++i) rest >> field;
  return field;
}

std::string PidNamespace() {
  std::error_code failed;
  const std::string link = std::filesystem::read_symlink("/proc/self/ns/pid", failed).string();
  const std::size_t open = link.find('[');
  return open == std::string::npos ? "" : link.substr(open + 1, link.size() - open - 2);
}

bool IsStray(const json::value& item, const std::string& owner) {
  const json::object labels = ObjectAt(item, "/Labels");
  const json::value all(labels);
  return TextAt(all, "/belljar.owner") == owner && HasEnded(TextAt(all, "/belljar.process"));
}

void AddStrays(const json::value* items, const char* id, Stray::What what, const std::string& owner,
               std::vector<Stray>& strays) {
  if (items == nullptr || !items->is_array()) return;
  for (const json::value& item : items->get_array()) {
    if (IsStray(item, owner)) strays.push_back({what, TextAt(item, id)});
  }
}

}  // namespace

std::string ProcessMark() {
  const std::string pid = std::to_string(::getpid());
  return fmt::format("{}.{}.{}", pid, StartedAt(pid), PidNamespace());
}

bool HasEnded(const std::string& mark) {
  const std::size_t first = mark.find('.');
  const std::size_t second = mark.find('.', first + 1);
  if (first == std::string::npos || second == std::string::npos) return false;
  const std::string pid = mark.substr(0, first);
  const bool is_number =
      !pid.empty() && std::ranges::all_of(pid, [](char c) { return c >= '0' && c <= '9'; });
  // In another pid namespace the number denotes another process.
  if (!is_number || mark.substr(second + 1) != PidNamespace()) return false;
  return StartedAt(pid) != mark.substr(first + 1, second - first - 1);
}

// Two directories on one machine may have the same path: in different mount namespaces, or one
// after the other. So the mark includes more than the path.
std::string OwnerMark(const std::string& state_dir) {
  Fingerprint mark;
  struct stat status {};
  if (::stat(state_dir.c_str(), &status) == 0) {
    mark.Add(static_cast<std::uint64_t>(status.st_dev));
    mark.Add(static_cast<std::uint64_t>(status.st_ino));
  }
  mark.Add(state_dir);
  return mark.Text();
}

std::string Describe(const Stray& stray) {
  switch (stray.what) {
    case Stray::What::kContainer:
      return "container " + stray.id.substr(0, 12);
    case Stray::What::kVolume:
      return "volume " + stray.id.substr(0, 12);
    case Stray::What::kImage:
      break;
  }
  return "image " + stray.id;
}

Result<std::vector<Stray>> FindStrays(const EngineApi& api, const std::string& owner) {
  const std::string filter = "filters=" + LabelFilter(kOwnerLabel, owner);
  std::vector<Stray> strays;
  const auto containers = BJ_TRY(api.Get("/containers/json?all=1&" + filter));
  AddStrays(&containers, "/Id", Stray::What::kContainer, owner, strays);
  const auto volumes = BJ_TRY(api.Get("/volumes?" + filter));
  const json::value* const list =
      volumes.is_object() ? volumes.get_object().if_contains("Volumes") : nullptr;
  AddStrays(list, "/Name", Stray::What::kVolume, owner, strays);
  return strays;
}

Result<std::vector<Stray>> FindOldImages(const EngineApi& api, const std::string& owner,
                                         const std::vector<std::string>& keep) {
  const auto images = BJ_TRY(api.Get("/images/json?filters=" + LabelFilter(kOwnerLabel, owner)));
  std::vector<Stray> old;
  if (!images.is_array()) return old;
  for (const json::value& image : images.get_array()) {
    const std::string name = TextAt(image, "/RepoTags/0");
    const std::string tag = name.substr(name.rfind(':') + 1);
    const bool current = std::ranges::find(keep, tag) != keep.end();
    // An image without a name: two processes imported it at the same time.
    if (!current) old.push_back({Stray::What::kImage, name.empty() ? TextAt(image, "/Id") : name});
  }
  return old;
}

Result<> RemoveStray(const EngineApi& api, const Stray& stray) {
  std::string target;
  switch (stray.what) {
    case Stray::What::kContainer:
      target = "/containers/" + stray.id + "?force=1&v=1";
      break;
    case Stray::What::kVolume:
      target = "/volumes/" + stray.id;
      break;
    case Stray::What::kImage:
      target = "/images/" + stray.id;
      break;
  }
  const auto removed = api.Delete(target);
  if (removed || removed.error().kind() == Kind::kNotFound) return {};
  if (removed.error().sys() == EBUSY) return {};
  return removed.error();
}

}  // namespace belljar::cell::docker
