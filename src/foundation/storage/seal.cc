#include "foundation/storage/seal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <type_traits>

#include "foundation/base/random_id.h"
#include "foundation/base/sys.h"

namespace belljar::storage {
namespace {

void AppendNumber(std::string& bytes, std::uint64_t number) {
  for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(number >> shift);
}

void AppendValue(std::string& bytes, const Value& value) {
  bytes += static_cast<char>(value.index());
  std::visit(
      [&](const auto& held) {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::int64_t>) {
          AppendNumber(bytes, static_cast<std::uint64_t>(held));
        } else if constexpr (std::is_same_v<Held, double>) {
          AppendNumber(bytes, std::bit_cast<std::uint64_t>(held));
        } else if constexpr (std::is_same_v<Held, std::string>) {
          AppendNumber(bytes, held.size());
          bytes += held;
        } else if constexpr (std::is_same_v<Held, Blob>) {
          AppendNumber(bytes, held.bytes.size());
          bytes += held.bytes;
        }
      },
      value);
}

Result<std::string> ReadKey(const std::string& path) {
  const Fd file = BJ_TRY(Open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  struct stat info {};
  BJ_TRY(Check("stat", path, [&] { return ::fstat(file.get(), &info); }));
  if (!S_ISREG(info.st_mode) || info.st_uid != ::geteuid() || (info.st_mode & 077U) != 0) {
    return Error(Kind::kDenied,
                 fmt::format("{} must be a file of this user's with mode 0600", path));
  }
  std::string bytes = BJ_TRY(ReadAll(file, SealKey::kBytes, path));
  if (bytes.size() != SealKey::kBytes) {
    return Error(Kind::kInvalid,
                 fmt::format("{} has {} bytes instead of {}", path, bytes.size(), SealKey::kBytes));
  }
  return bytes;
}

Result<> WriteDurably(const std::string& path, std::string_view bytes) {
  const Fd file = BJ_TRY(Open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600));
  BJ_TRY(Check("fchmod", path, [&] { return ::fchmod(file.get(), 0600); }));
  BJ_TRY(WriteAll(file, bytes, path));
  BJ_TRY(Check("fsync", path, [&] { return ::fsync(file.get()); }));
  return {};
}

// Writes the key to a temporary file and then links it: `path` never holds a partial key, and if
// two processes create a key at once, the first one wins.
Result<> MakeKey(const std::string& path) {
  std::string random(SealKey::kBytes, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(random.data()), SealKey::kBytes) != 1) {
    return Error(Kind::kInternal, "OpenSSL gave no random bytes");
  }
  const std::string fresh = BJ_TRY(RandomId(path + "."));
  auto written = WriteDurably(fresh, random);
  OPENSSL_cleanse(random.data(), random.size());
  const int sys = written && ::link(fresh.c_str(), path.c_str()) != 0 ? errno : 0;
  ::unlink(fresh.c_str());
  BJ_TRY(std::move(written));
  if (sys != 0 && sys != EEXIST) return SysError("link", path, sys);
  const Fd dir = BJ_TRY(Open(path.substr(0, path.rfind('/') + 1), O_RDONLY | O_DIRECTORY));
  BJ_TRY(Check("fsync", path, [&] { return ::fsync(dir.get()); }));
  return {};
}

}  // namespace

Result<SealKey> SealKey::Load(const std::string& path, std::string_view purpose) {
  if (!path.starts_with('/')) {
    return Error(Kind::kInvalid, "the key's file must be named by an absolute path");
  }
  auto bytes = ReadKey(path);
  if (!bytes && bytes.error().sys() == ENOENT) {
    BJ_TRY(MakeKey(path).While(fmt::format("make the key for {}s", purpose)));
    bytes = ReadKey(path);
  }
  if (!bytes) return std::move(bytes).error().While(fmt::format("the key for {}s", purpose));
  SealKey key(*bytes, purpose);
  OPENSSL_cleanse(bytes->data(), bytes->size());
  return key;
}

// The prefix separates domains: no other use of the key produces the same message.
SealKey::SealKey(const std::string& bytes, std::string_view purpose)
    : begins_with_(fmt::format("belljar {} row 1\n", purpose)) {
  std::transform(bytes.begin(), bytes.end(), key_.begin(),
                 [](char c) { return static_cast<std::uint8_t>(c); });
}

SealKey::SealKey(SealKey&& other) noexcept
    : key_(other.key_), begins_with_(std::move(other.begins_with_)) {
  OPENSSL_cleanse(other.key_.data(), other.key_.size());
}

SealKey::~SealKey() { OPENSSL_cleanse(key_.data(), key_.size()); }

Blob SealKey::Seal(std::span<const Value> values) const {
  std::string bytes = begins_with_;
  AppendNumber(bytes, values.size());
  for (const Value& value : values) AppendValue(bytes, value);
  std::array<std::uint8_t, 32> mac{};
  unsigned size = 0;
  const auto* const made =
      HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()),
           reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), mac.data(), &size);
  // HMAC() fails only when memory runs out. An empty seal must not be returned as if it were valid.
  if (made == nullptr || size != mac.size()) std::abort();
  return Blob{std::string(mac.begin(), mac.end())};
}

bool SealKey::IsSealed(std::span<const Value> values, const Value& seal) const {
  const auto* const given = std::get_if<Blob>(&seal);
  if (given == nullptr) return false;
  const Blob right = Seal(values);
  return given->bytes.size() == right.bytes.size() &&
         CRYPTO_memcmp(given->bytes.data(), right.bytes.data(), right.bytes.size()) == 0;
}

}  // namespace belljar::storage
