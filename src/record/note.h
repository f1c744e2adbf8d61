// Checkpoints: the log's size and root hash, signed.
//
// A checkpoint is three lines (origin, size, root in base64), an empty line, and a line per
// signature: "— NAME base64(key id, signature)". Signatures are Ed25519. The format is the signed
// note of c2sp.org/signed-note around the body of c2sp.org/tlog-checkpoint, so that existing tools
// for such logs can read ours.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "foundation/base/result.h"
#include "record/hash.h"

// OpenSSL's EVP_PKEY, declared here so that only note.cc includes the headers.
struct evp_pkey_st;

namespace belljar::record {

struct Checkpoint {
  std::string origin;
  std::uint64_t size = 0;
  Hash root{};
  bool operator==(const Checkpoint&) const = default;
};

// The public key that checks a log's signatures: "NAME+ID+base64(0x01, public key)".
class VerifierKey {
 public:
  VerifierKey(std::string name, std::string_view public_key);
  static Result<VerifierKey> Parse(std::string_view text);

  const std::string& name() const { return name_; }
  const std::string& id() const { return id_; }  // four bytes
  std::string Text() const;
  bool Signed(std::string_view text, std::string_view signature) const;
  bool operator==(const VerifierKey&) const = default;

 private:
  std::string name_;
  std::string public_key_;
  std::string id_;
};

// The log's private key, kept in a file of mode 0600 as "PRIVATE+KEY+NAME+ID+base64(0x01, seed)".
// Thread-safe.
class SigningKey {
 public:
  static Result<SigningKey> Generate(const std::string& name);
  static Result<SigningKey> Parse(std::string_view text);

  const VerifierKey& verifier() const { return verifier_; }
  std::string Text() const;
  Result<std::string> Sign(std::string_view text) const;

 private:
  struct Free {
    void operator()(evp_pkey_st* key) const;
  };
  using Handle = std::unique_ptr<evp_pkey_st, Free>;
  SigningKey(Handle key, std::string seed, VerifierKey verifier)
      : key_(std::move(key)), seed_(std::move(seed)), verifier_(std::move(verifier)) {}
  static Result<SigningKey> FromSeed(const std::string& name, std::string seed);

  Handle key_;
  std::string seed_;
  VerifierKey verifier_;
};

Result<std::string> SignCheckpoint(const Checkpoint& checkpoint, const SigningKey& key);

// Parses and verifies a checkpoint: it must be well-formed and signed by `key`, and its origin must
// be the key's name. Signatures of others, such as witnesses, are ignored.
Result<Checkpoint> OpenCheckpoint(std::string_view note, const VerifierKey& key);

// Parses all of `text` as a decimal number without leading zeros.
Result<std::uint64_t> ParseDecimal(std::string_view text);

}  // namespace belljar::record
