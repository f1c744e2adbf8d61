#include "record/note.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <array>
#include <charconv>

#include "foundation/base/text.h"

namespace belljar::record {
namespace {

constexpr char kEd25519 = 1;  // signature algorithm number in key ids and encoded keys
constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kSignatureBytes = 64;
constexpr std::size_t kMaxNoteBytes = 64 << 10;
constexpr std::string_view kDash = "\xe2\x80\x94 ";  // U+2014 and a space
constexpr std::string_view kPrivate = "PRIVATE+KEY+";

struct FreeSigningContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, FreeSigningContext>;

const unsigned char* Data(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

Error BadKey(std::string_view why) {
  return Error(Kind::kInvalid, fmt::format("not a key of a log: {}", why));
}

struct KeyParts {
  std::string name;
  std::string id;
  std::string bytes;  // 32 bytes
};

// Parses NAME+ID+base64(0x01, 32 bytes); only the canonical spelling is accepted.
Result<KeyParts> SplitKey(std::string_view text) {
  const std::size_t first = text.find('+');
  if (first == 0 || first == std::string_view::npos || text.size() < first + 10 ||
      text[first + 9] != '+') {
    return BadKey("it is not of the form NAME+ID+KEY");
  }
  KeyParts parts{std::string(text.substr(0, first)), std::string(text.substr(first + 1, 8)), ""};
  if (parts.name.find_first_of(" \n\r\t") != std::string::npos || !IsValidUtf8(parts.name)) {
    return BadKey("its name has a blank in it");
  }
  std::string bytes;
  const std::string_view encoded = text.substr(first + 10);
  if (!Base64Decode(encoded, bytes) || Base64Encode(bytes) != encoded) {
    return BadKey("its last part is not base64");
  }
  if (bytes.size() != 1 + kKeyBytes || bytes[0] != kEd25519) return BadKey("it is not Ed25519");
  parts.bytes = bytes.substr(1);
  return parts;
}

// Finds the signature of `key` among the signature lines; each line must be well-formed.
Result<std::string> FindSignature(std::string_view signatures, const VerifierKey& key) {
  std::string found;
  while (!signatures.empty()) {
    const std::size_t end = signatures.find('\n');
    std::string_view line = signatures.substr(0, end);
    if (end == std::string_view::npos || !line.starts_with(kDash)) {
      return Error(Kind::kInvalid, "a line where a signature should be is none");
    }
    signatures.remove_prefix(end + 1);
    line.remove_prefix(kDash.size());
    const std::size_t space = line.find(' ');
    std::string bytes;
    if (space == 0 || space == std::string_view::npos ||
        !Base64Decode(line.substr(space + 1), bytes) ||
        Base64Encode(bytes) != line.substr(space + 1) || bytes.size() < 5) {
      return Error(Kind::kInvalid, "a signature line is malformed");
    }
    if (line.substr(0, space) != key.name() || !bytes.starts_with(key.id())) continue;
    if (!found.empty()) return Error(Kind::kInvalid, "it is signed twice by one key");
    found = bytes.substr(4);
  }
  return found;
}

Result<Checkpoint> ParseBody(std::string_view body) {
  std::array<std::string_view, 3> lines;
  for (std::string_view& line : lines) {
    const std::size_t end = body.find('\n');
    if (end == std::string_view::npos)
      return Error(Kind::kInvalid, "it has fewer than three lines");
    line = body.substr(0, end);
    body.remove_prefix(end + 1);
  }
  const auto root = FromBase64(lines[2]);
  if (lines[0].empty() || !root) return Error(Kind::kInvalid, "its origin or root is malformed");
  const std::uint64_t size = BJ_TRY(ParseDecimal(lines[1]).While("its size"));
  return Checkpoint{std::string(lines[0]), size, *root};
}

}  // namespace

Result<std::uint64_t> ParseDecimal(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() ||
      (text.size() > 1 && text[0] == '0')) {
    return Error(Kind::kInvalid, "not a decimal number");
  }
  return number;
}

VerifierKey::VerifierKey(std::string name, std::string_view public_key)
    : name_(std::move(name)), public_key_(public_key) {
  const Hash hash = Sha256::Of(name_ + '\n' + kEd25519 + public_key_);
  id_ = Bytes(hash).substr(0, 4);
}

Result<VerifierKey> VerifierKey::Parse(std::string_view text) {
  const KeyParts parts = BJ_TRY(SplitKey(text));
  VerifierKey key(parts.name, parts.bytes);
  if (Hex(key.id()) != parts.id) return BadKey("its id does not fit its name and key");
  return key;
}

std::string VerifierKey::Text() const {
  return fmt::format("{}+{}+{}", name_, Hex(id_), Base64Encode(kEd25519 + public_key_));
}

bool VerifierKey::Signed(std::string_view text, std::string_view signature) const {
  if (signature.size() != kSignatureBytes) return false;
  EVP_PKEY* const key =
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, Data(public_key_), public_key_.size());
  if (key == nullptr) return false;
  const Context context(EVP_MD_CTX_new());
  const bool holds = context != nullptr &&
                     EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key) == 1 &&
                     EVP_DigestVerify(context.get(), Data(signature), signature.size(), Data(text),
                                      text.size()) == 1;
  EVP_PKEY_free(key);
  return holds;
}

void SigningKey::Free::operator()(evp_pkey_st* key) const { EVP_PKEY_free(key); }

Result<SigningKey> SigningKey::FromSeed(const std::string& name, std::string seed) {
  Handle key(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, Data(seed), seed.size()));
  std::array<unsigned char, kKeyBytes> public_key{};
  std::size_t length = public_key.size();
  if (key == nullptr || EVP_PKEY_get_raw_public_key(key.get(), public_key.data(), &length) != 1) {
    return Error(Kind::kInternal, "OpenSSL did not take the log's key");
  }
  VerifierKey verifier(name, {reinterpret_cast<const char*>(public_key.data()), length});
  return SigningKey(std::move(key), std::move(seed), std::move(verifier));
}

Result<SigningKey> SigningKey::Generate(const std::string& name) {
  std::string seed(kKeyBytes, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(seed.data()), kKeyBytes) != 1) {
    return Error(Kind::kInternal, "OpenSSL gave no random bytes for the log's key");
  }
  return FromSeed(name, std::move(seed));
}

Result<SigningKey> SigningKey::Parse(std::string_view text) {
  if (!text.starts_with(kPrivate)) return BadKey("it does not begin with PRIVATE+KEY+");
  KeyParts parts = BJ_TRY(SplitKey(text.substr(kPrivate.size())));
  SigningKey key = BJ_TRY(FromSeed(parts.name, std::move(parts.bytes)));
  if (Hex(key.verifier().id()) != parts.id) return BadKey("its id does not fit its name and key");
  return key;
}

std::string SigningKey::Text() const {
  return fmt::format("{}{}+{}+{}", kPrivate, verifier_.name(), Hex(verifier_.id()),
                     Base64Encode(kEd25519 + seed_));
}

Result<std::string> SigningKey::Sign(std::string_view text) const {
  std::string signature(kSignatureBytes, '\0');
  std::size_t length = signature.size();
  const Context context(EVP_MD_CTX_new());
  if (context == nullptr ||
      EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_.get()) != 1 ||
      EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &length,
                     Data(text), text.size()) != 1) {
    return Error(Kind::kInternal, "OpenSSL did not sign the checkpoint");
  }
  return signature;
}

Result<std::string> SignCheckpoint(const Checkpoint& checkpoint, const SigningKey& key) {
  const std::string body =
      fmt::format("{}\n{}\n{}\n", checkpoint.origin, checkpoint.size, ToBase64(checkpoint.root));
  const std::string signature = BJ_TRY(key.Sign(body));
  return fmt::format("{}\n{}{} {}\n", body, kDash, key.verifier().name(),
                     Base64Encode(key.verifier().id() + signature));
}

Result<Checkpoint> OpenCheckpoint(std::string_view note, const VerifierKey& key) {
  if (note.size() > kMaxNoteBytes || !IsValidUtf8(note)) {
    return Error(Kind::kInvalid, "the checkpoint is too long or not UTF-8");
  }
  const std::size_t blank = note.rfind("\n\n");
  if (blank == std::string_view::npos) {
    return Error(Kind::kInvalid, "the checkpoint has no signature");
  }
  const std::string_view body = note.substr(0, blank + 1);
  const std::string signature =
      BJ_TRY(FindSignature(note.substr(blank + 2), key).While("the checkpoint"));
  if (!key.Signed(body, signature)) {
    return Error(Kind::kInvalid, "the checkpoint is not signed by " + key.name());
  }
  Checkpoint checkpoint = BJ_TRY(ParseBody(body).While("the checkpoint"));
  if (checkpoint.origin != key.name()) {
    return Error(Kind::kInvalid, "the checkpoint is of another log than its key");
  }
  return checkpoint;
}

}  // namespace belljar::record
