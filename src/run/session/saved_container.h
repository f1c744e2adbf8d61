// SavedContainer: a session's container on disk, and the directory that it lies in.
//
// The directory is a new one below the state directory, and goes with the last who holds this. What
// a daemon that was killed has left there is removed by the next.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cell/backend.h"
#include "foundation/base/fd.h"
#include "foundation/base/result.h"

namespace belljar::run {

class SavedContainer {
 public:
  static Result<std::shared_ptr<SavedContainer>> NewPlace(const std::string& state_dir);
  static void RemoveLeftovers(const std::string& state_dir);
  enum class Fate { kGoes, kStays };  // of the directory
  explicit SavedContainer(std::string path, Fate fate = Fate::kGoes)
      : path_(std::move(path)), fate_(fate) {}
  SavedContainer(const SavedContainer&) = delete;
  SavedContainer& operator=(const SavedContainer&) = delete;
  ~SavedContainer();

  Result<Fd> Open() const;
  // Somebody else takes care of it from now on.
  Result<> MoveTo(const std::string& path) const;
  // What a cell has written into it.
  void Keep(cell::SavedContainer saved);

  const std::shared_ptr<const cell::SavedContainer>& saved() const { return saved_; }
  std::uint64_t bytes() const;

 private:
  std::string path_;
  Fate fate_;
  std::shared_ptr<const cell::SavedContainer> saved_;
};

}  // namespace belljar::run
