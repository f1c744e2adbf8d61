// Seal: what tells a row that Belljar wrote from one that somebody else wrote into the database.
//
// HMAC-SHA256 over the values of a row, with a key that lies in a file of the state directory and
// not in the database. Whoever can write to the database alone can remove rows, and can put back a
// whole row as it once was, but can make none. Whoever can read the key can.
//
// A key has a purpose, which is under every seal: rows of one kind cannot stand in for another's,
// even where two kinds share a key.
//
// Safe to use from several threads.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "storage/database.h"

namespace belljar::storage {

class SealKey {
 public:
  static constexpr std::size_t kBytes = 32;

  // The key in the file `path`, which is made, with mode 0600, if it is not there. A file that is
  // not this user's, that others can read or write, or of another size is refused. `purpose` is one
  // word for what the rows are: "approval".
  static Result<SealKey> Load(const std::string& path, std::string_view purpose);

  SealKey(SealKey&& other) noexcept;
  SealKey& operator=(SealKey&&) = delete;
  ~SealKey();

  // Types and lengths are sealed with the values, so that none can stand in for another.
  Blob Seal(std::span<const Value> values) const;
  bool IsSealed(std::span<const Value> values, const Value& seal) const;

 private:
  SealKey(const std::string& bytes, std::string_view purpose);

  std::array<std::uint8_t, kBytes> key_{};
  std::string begins_with_;  // what is under a seal
};

}  // namespace belljar::storage
