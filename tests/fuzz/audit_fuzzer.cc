// Arbitrary bytes where the audit log keeps its own: tiles, entries, checkpoints, keys, proofs,
// pending files, records. Whatever is taken is written back as it was read.
//
// The input's first byte chooses what the rest is taken for; a pending file is seldom chosen,
// because each is 4 MiB long.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "foundation/base/text.h"
#include "record/canonical.h"
#include "record/entry.h"
#include "record/log_view.h"
#include "record/note.h"
#include "record/pending.h"
#include "record/proof.h"
#include "record/tile.h"

namespace {

using namespace belljar;
using namespace belljar::record;

void Require(bool holds) {
  if (!holds) std::abort();
}

void CheckTilePath(std::string_view text) {
  const auto name = ParseTilePath(text);
  if (!name) return;
  Require(TilePath(*name) == text);
  Require(name->width >= 1 && name->width <= kTileWidth && name->level >= -1 && name->level < 8);
}

void CheckEntries(std::string_view bytes) {
  const Bundle bundle = DecodeEntries(bytes, 256);
  Require(bundle.entries.size() <= 256);
  std::string again;
  for (const std::string_view entry : bundle.entries) AppendEntry(again, entry);
  Require(bytes.starts_with(again));
  Require(!bundle.problem.empty() || bytes == again);
  const auto hashes = DecodeHashes(bytes, bytes.size() / 32);
  if (hashes) Require(EncodeHashes(*hashes) == bytes);
}

void CheckRecord(std::string_view bytes) {
  const auto record = ParseRecord(bytes, 0);
  if (record) Require(record->entry == bytes && TimeText(record->time_ms).size() >= 24);
  if (const auto value = ParseJson(bytes)) {
    const auto once = Canonical(*value);
    if (!once) return;
    const auto back = ParseJson(*once);
    Require(static_cast<bool>(back));
    const auto twice = Canonical(*back);
    Require(twice && *twice == *once);
  }
}

void CheckKeyAndNote(std::string_view text) {
  if (const auto key = VerifierKey::Parse(text)) Require(key->Text() == text);
  if (const auto key = SigningKey::Parse(text)) Require(key->Text() == text);
  static const VerifierKey own("belljar/fuzz", std::string(32, 'k'));
  // Nobody has the private half of that key.
  Require(!OpenCheckpoint(text, own));
}

// The input as the text of a note that is rightly signed.
void CheckSignedText(std::string_view input) {
  static const auto key = SigningKey::Generate("belljar/fuzz");
  const std::string text = std::string(input) + "\n";
  const auto signature = key->Sign(text);
  Require(static_cast<bool>(signature));
  const std::string line = Base64Encode(key->verifier().id() + *signature);
  const auto opened =
      OpenCheckpoint(text + "\n\xe2\x80\x94 belljar/fuzz " + line + "\n", key->verifier());
  if (!opened) return;
  Require(opened->origin == "belljar/fuzz");
  Require(text.starts_with("belljar/fuzz\n" + std::to_string(opened->size) + "\n" +
                           ToBase64(opened->root) + "\n"));
}

void CheckProofText(std::string_view text) {
  const auto proof = ParseProof(text);
  if (!proof) return;
  const auto again = ParseProof(FormatProof(*proof));
  Require(again && again->index == proof->index && again->path == proof->path &&
          again->entry == proof->entry && again->note == proof->note);
}

// The input as the batches of a file whose first block is right.
void CheckPending(std::string_view bytes) {
  static const std::string first = [] {
    const Hash hash = Sha256::Of("BJPEND1\n" + std::string(32, 'n'));
    std::string block = "BJPEND1\n" + std::string(32, 'n');
    block += Bytes(hash);
    block.resize(512, '\0');
    return block;
  }();
  std::string file = first + std::string(bytes.substr(0, kPendingBytes - first.size()));
  file.resize(kPendingBytes, '\0');
  const auto content = ReadPending(file);
  Require(static_cast<bool>(content));
  for (std::size_t i = 0; i < content->batches.size(); ++i) {
    const std::string again = EncodeBatch(content->batches[i], content->nonce);
    Require(std::string_view(file).substr(content->offsets[i]).starts_with(again));
  }
  std::vector<std::string> problems;
  JoinPending({*content}, 0, problems);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data + 1), size - 1);
  if (data[0] == 255) {
    CheckPending(input);
    return 0;
  }
  switch (data[0] % 6) {
    case 0:
      CheckTilePath(input);
      break;
    case 1:
      CheckEntries(input);
      break;
    case 2:
      CheckKeyAndNote(input);
      break;
    case 3:
      CheckSignedText(input);
      break;
    case 4:
      CheckProofText(input);
      break;
    default:
      CheckRecord(input);
  }
  return 0;
}
