#include "run/session/saved_container.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>

#include "foundation/base/sys.h"

namespace belljar::run {
namespace {

std::string PlaceOf(const std::string& state_dir) { return state_dir + "/containers"; }

}  // namespace

Result<std::shared_ptr<SavedContainer>> SavedContainer::NewPlace(const std::string& state_dir) {
  const std::string place = PlaceOf(state_dir);
  if (::mkdir(place.c_str(), 0700) != 0 && errno != EEXIST) {
    return SysError("mkdir", place, errno);
  }
  std::string path = place + "/XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) return SysError("mkdtemp", path, errno);
  return std::make_shared<SavedContainer>(std::move(path));
}

void SavedContainer::RemoveLeftovers(const std::string& state_dir) {
  std::error_code ignored;
  std::filesystem::remove_all(PlaceOf(state_dir), ignored);
}

SavedContainer::~SavedContainer() {
  if (fate_ == Fate::kStays) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Result<Fd> SavedContainer::Open() const {
  const long raw = BJ_TRY(Check("open", path_, [&] {
    return ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  }));
  return Fd(static_cast<int>(raw));
}

Result<> SavedContainer::MoveTo(const std::string& path) const {
  BJ_TRY(Check("rename", path, [&] { return ::rename(path_.c_str(), path.c_str()); }));
  return {};
}

void SavedContainer::Keep(cell::SavedContainer saved) {
  saved_ = std::make_shared<const cell::SavedContainer>(std::move(saved));
}

std::uint64_t SavedContainer::bytes() const {
  std::uint64_t bytes = 0;
  std::error_code failed;
  for (const auto& file : std::filesystem::directory_iterator(path_, failed)) {
    bytes += file.file_size(failed);
  }
  return bytes;
}

}  // namespace belljar::run
