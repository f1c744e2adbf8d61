// SavedContainer: a session's container checkpoint on disk, and the directory that contains it.
//
// The directory is created below the state directory, and removed with the last reference.
// Leftovers of a daemon that was killed are removed by the next one.
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
  enum class Fate { kGoes, kStays };  // whether the destructor removes the directory
  explicit SavedContainer(std::string path, Fate fate = Fate::kGoes)
      : path_(std::move(path)), fate_(fate) {}
  SavedContainer(const SavedContainer&) = delete;
  SavedContainer& operator=(const SavedContainer&) = delete;
  ~SavedContainer();

  Result<Fd> Open() const;
  // Moves the directory to `path`, where its new owner is responsible for it.
  Result<> MoveTo(const std::string& path) const;
  // Sets the saved container that a cell has written into the directory.
  void Keep(cell::SavedContainer saved);

  const std::shared_ptr<const cell::SavedContainer>& saved() const { return saved_; }
  std::uint64_t bytes() const;

 private:
  std::string path_;
  Fate fate_;
  std::shared_ptr<const cell::SavedContainer> saved_;
};

}  // namespace belljar::run
