// SealKey: a message authentication code over database rows, which tells a row that Belljar wrote
// from one that another program inserted.
//
// The seal is HMAC-SHA256 over the values of a row. The key lies in a file of the state directory,
// not in the database. An attacker who can write only to the database can delete rows and restore
// an old version of a whole row, but cannot forge a row. An attacker who can read the key can.
//
// A key has a purpose, which is part of every sealed message: rows of one kind cannot stand in for
// rows of another, even where two kinds share a key file.
//
// Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "foundation/base/result.h"
#include "foundation/storage/database.h"

namespace belljar::storage {

class SealKey {
 public:
  static constexpr std::size_t kBytes = 32;

  // Reads the key from the file `path`; creates the file, with mode 0600, if it is missing. A file
  // that this user does not own, that others can read or write, or that has the wrong size is
  // refused. `purpose` is one word for the kind of row, such as "approval".
  static Result<SealKey> Load(const std::string& path, std::string_view purpose);

  SealKey(SealKey&& other) noexcept;
  SealKey& operator=(SealKey&&) = delete;
  ~SealKey();

  // Types and lengths are part of the sealed message, so that no list of values can be mistaken for
  // another.
  Blob Seal(std::span<const Value> values) const;
  bool IsSealed(std::span<const Value> values, const Value& seal) const;

 private:
  SealKey(const std::string& bytes, std::string_view purpose);

  std::array<std::uint8_t, kBytes> key_{};
  std::string begins_with_;  // the prefix of every sealed message
};

}  // namespace belljar::storage
