#include "record/proof.h"

#include <fmt/format.h>

#include "foundation/base/text.h"

namespace belljar::record {
namespace {

constexpr std::string_view kFirstLine = "c2sp.org/tlog-proof@v1";
constexpr std::size_t kMaxPath = 63;
constexpr std::size_t kMaxProofBytes = 256 << 10;

Error Malformed(std::string_view why) {
  return Error(Kind::kInvalid, fmt::format("not a proof: {}", why));
}

// Removes the next line of `text` and returns it without its newline.
Result<std::string_view> TakeLine(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return Malformed("it ends in the middle");
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

}  // namespace

std::string FormatProof(const Proof& proof) {
  std::string text(kFirstLine);
  if (!proof.entry.empty()) text += "\nextra " + Base64Encode(proof.entry);
  text += fmt::format("\nindex {}\n", proof.index);
  for (const Hash& hash : proof.path) text += ToBase64(hash) + "\n";
  return text + "\n" + proof.note;
}

Result<Proof> ParseProof(std::string_view text) {
  if (text.size() > kMaxProofBytes) return Malformed("it is too long");
  std::string_view line = BJ_TRY(TakeLine(text));
  if (line != kFirstLine) return Malformed(fmt::format("its first line is not {}", kFirstLine));
  Proof proof;
  line = BJ_TRY(TakeLine(text));
  if (line.starts_with("extra ")) {
    if (!Base64Decode(line.substr(6), proof.entry)) return Malformed("its extra line is no base64");
    line = BJ_TRY(TakeLine(text));
  }
  if (!line.starts_with("index ")) return Malformed("it has no index");
  proof.index = BJ_TRY(ParseDecimal(line.substr(6)).While("the proof's index"));
  while (true) {
    line = BJ_TRY(TakeLine(text));
    if (line.empty()) break;
    const auto hash = FromBase64(line);
    if (!hash || proof.path.size() == kMaxPath) return Malformed("a line of it is no hash");
    proof.path.push_back(*hash);
  }
  proof.note = text;
  return proof;
}

Result<Proof> MakeProof(const std::string& dir, std::uint64_t index, const std::string& note,
                        const VerifierKey& key) {
  const Checkpoint checkpoint = BJ_TRY(OpenCheckpoint(note, key));
  if (index >= checkpoint.size) {
    return Error(Kind::kNotFound, fmt::format("record {} is not under the last checkpoint, which "
                                              "covers {} records",
                                              index, checkpoint.size));
  }
  TileReader reader(dir);
  const auto entries = BJ_TRY(reader.EntriesFrom(index, checkpoint.size));
  Proof proof{entries.front(), index, {}, note};
  proof.path = BJ_TRY(InclusionPath(index, checkpoint.size, reader.Nodes(checkpoint.size)));
  // The proof is checked before it is handed out.
  BJ_TRY(CheckProof(proof, key).While(fmt::format("record {}", index)));
  return proof;
}

Result<Record> CheckProof(const Proof& proof, const VerifierKey& key) {
  const Checkpoint checkpoint = BJ_TRY(OpenCheckpoint(proof.note, key));
  if (proof.entry.empty()) return Error(Kind::kInvalid, "the proof is without its record");
  BJ_TRY(CheckInclusion(LeafHash(proof.entry), proof.index, checkpoint.size, checkpoint.root,
                        proof.path));
  return ParseRecord(proof.entry, proof.index).While("the proven record");
}

}  // namespace belljar::record
