// Seal: what tells a row that Belljar wrote from one that somebody else wrote into the database.
//
// HMAC-SHA256 over the values of a row, with a key that lies in a file of the state directory and
// not in the database. Whoever can write to the database alone can remove questions, and can put
// back a whole row as it once was, but can make no answer. Whoever can read the key can.
//
// Safe to use from several threads.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "storage/database.h"

namespace belljar::approval {

class SealKey {
 public:
  static constexpr std::size_t kBytes = 32;

  // The key in the file `path`, which is made, with mode 0600, if it is not there. A file that is
  // not this user's, that others can read or write, or of another size is refused.
  static Result<SealKey> Load(const std::string& path);

  SealKey(SealKey&& other) noexcept;
  SealKey& operator=(SealKey&&) = delete;
  ~SealKey();

  // Types and lengths are sealed with the values, so that none can stand in for another.
  storage::Blob Seal(std::span<const storage::Value> values) const;
  bool IsSealed(std::span<const storage::Value> values, const storage::Value& seal) const;

 private:
  explicit SealKey(const std::string& bytes);

  std::array<std::uint8_t, kBytes> key_{};
};

}  // namespace belljar::approval
