#include "record/pending.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/rand.h>

#include <algorithm>
#include <cstring>

#include "foundation/base/bytes.h"
#include "foundation/base/sys.h"
#include "record/hash.h"
#include "record/tile.h"

namespace belljar::record {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::size_t kNonceBytes = 32;
constexpr std::size_t kHeaderBytes = 40;  // header bytes before the digest
constexpr std::size_t kPayloadAt = kHeaderBytes + sizeof(Hash);
constexpr std::string_view kFileMagic = "BJPEND1\n";
constexpr std::string_view kBatchMagic = "BJBATCH1";

bool AllZero(std::string_view bytes) {
  // The first byte is zero and every byte equals the one before it: memcmp is faster than a loop.
  return bytes.empty() ||
         (bytes[0] == 0 && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

std::size_t RoundUp(std::size_t bytes) { return (bytes + kBlock - 1) / kBlock * kBlock; }

std::string BatchDigest(std::string_view nonce, std::string_view header, std::string_view payload) {
  return std::string(Bytes(Sha256::Of({nonce, header, payload})));
}

// Returns false unless the payload is exactly `entries` entries followed by `bodies` bodies.
bool DecodePayload(std::string_view payload, std::uint64_t entries, std::uint64_t bodies,
                   Batch& batch) {
  BigReader in(payload);
  for (; entries > 0 && in.ok(); --entries) batch.entries.emplace_back(in.GetText(2));
  for (; bodies > 0 && in.ok(); --bodies) batch.bodies.emplace_back(in.GetText(4));
  return in.ok() && in.at_end();
}

// Parses the batch at the beginning of `bytes`; returns it with its padded length.
std::optional<std::pair<Batch, std::size_t>> DecodeBatch(std::string_view bytes,
                                                         std::string_view nonce) {
  if (!bytes.starts_with(kBatchMagic) || bytes.size() < kPayloadAt) return {};
  BigReader header(bytes.substr(kBatchMagic.size()));
  Batch batch;
  batch.first = header.GetNumber(8);
  batch.indexed = header.GetNumber(8);
  const std::uint64_t entries = header.GetNumber(4);
  const std::uint64_t bodies = header.GetNumber(4);
  const std::uint64_t length = header.GetNumber(8);
  if (entries == 0 || length > bytes.size() - kPayloadAt) return {};
  const std::string_view payload = bytes.substr(kPayloadAt, length);
  const std::string_view digest = bytes.substr(kHeaderBytes, sizeof(Hash));
  if (BatchDigest(nonce, bytes.substr(0, kHeaderBytes), payload) != digest) return {};
  const std::size_t padded = RoundUp(kPayloadAt + length);
  if (padded > bytes.size() || batch.first > UINT64_MAX - entries) return {};
  if (!AllZero(bytes.substr(kPayloadAt + length, padded - kPayloadAt - length))) return {};
  if (!DecodePayload(payload, entries, bodies, batch)) return {};
  return std::pair(std::move(batch), padded);
}

std::string FirstBlock(std::string_view nonce) {
  std::string block(kFileMagic);
  block += nonce;
  block += Bytes(Sha256::Of(block));
  block.resize(kBlock, '\0');
  return block;
}

Result<> MakePending(const LogFiles& files, const std::string& dir, std::string_view name) {
  std::string nonce(kNonceBytes, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(nonce.data()), kNonceBytes) != 1) {
    return Error(Kind::kInternal, "OpenSSL gave no random bytes");
  }
  NewFile fresh{std::string(name), FirstBlock(nonce)};
  fresh.bytes.resize(kPendingBytes, '\0');
  return ReplaceFiles(files, dir, std::span(&fresh, 1));
}

}  // namespace

std::string EncodeBatch(const Batch& batch, std::string_view nonce) {
  std::string payload;
  for (const std::string& entry : batch.entries) AppendEntry(payload, entry);
  for (const std::string& body : batch.bodies) BigWriter(payload).PutText<std::uint32_t>(body);
  std::string bytes(kBatchMagic);
  BigWriter out(bytes);
  out.Put(batch.first);
  out.Put(batch.indexed);
  out.Put(static_cast<std::uint32_t>(batch.entries.size()));
  out.Put(static_cast<std::uint32_t>(batch.bodies.size()));
  out.Put(static_cast<std::uint64_t>(payload.size()));
  bytes += BatchDigest(nonce, bytes, payload);
  bytes += payload;
  bytes.resize(RoundUp(bytes.size()), '\0');
  return bytes;
}

Result<PendingContent> ReadPending(std::string_view bytes) {
  if (bytes.size() != kPendingBytes) {
    return Error(Kind::kInvalid,
                 fmt::format("it is {} bytes long and not {}", bytes.size(), kPendingBytes));
  }
  PendingContent content;
  content.nonce = bytes.substr(kFileMagic.size(), kNonceBytes);
  if (bytes.substr(0, kBlock) != FirstBlock(content.nonce)) {
    return Error(Kind::kInvalid, "its first block is damaged");
  }
  content.end = kBlock;
  for (std::size_t at = kBlock; at < bytes.size();) {
    auto batch = DecodeBatch(bytes.substr(at), content.nonce);
    if (batch) {
      content.batches.push_back(std::move(batch->first));
      content.offsets.push_back(at);
      at += batch->second;
      content.end = at;
      continue;
    }
    const std::string_view block = bytes.substr(at, kBlock);
    if (!content.stray && !AllZero(block)) content.stray = at + block.find_first_not_of('\0');
    at += kBlock;
  }
  return content;
}

PendingFile::PendingFile(Fd file, std::string path, PendingContent content)
    : file_(std::move(file)), path_(std::move(path)), content_(std::move(content)) {
  used_ = content_.end;
  dirty_ = content_.stray ? kPendingBytes : content_.end;
  through_ = OpenThrough(path_, FirstBlock(content_.nonce));
}

Result<PendingFile> PendingFile::Open(const LogFiles& files, const std::string& dir,
                                      std::string_view name) {
  const std::string path = fmt::format("{}/{}", dir, name);
  auto opened = belljar::Open(path, O_RDWR | O_NOFOLLOW);
  if (!opened && opened.error().sys() == ENOENT) {
    BJ_TRY(MakePending(files, dir, name));
    opened = belljar::Open(path, O_RDWR | O_NOFOLLOW);
  }
  Fd file = BJ_TRY(std::move(opened));
  const std::string bytes = BJ_TRY(ReadAll(file, kPendingBytes, path));
  PendingContent content = BJ_TRY(ReadPending(bytes).While(path));
  return PendingFile(std::move(file), path, std::move(content));
}

Result<> PendingFile::Commit(const LogFiles& files, std::string batch) {
  const std::uint64_t end = used_ + batch.size();
  if (dirty_ > end) batch.resize(dirty_ - used_, '\0');
  dirty_ = std::max(dirty_, end);
  if (auto written = files.WriteThrough(file_, through_, batch, used_, path_); !written) {
    // The caller gets an error, so recovery should not find this batch after a crash. If wiping
    // fails too, recovery does find it; that is surprising but harmless.
    const auto wiped = files.WriteAt(file_, std::string(kBlock, '\0'), used_, path_);
    static_cast<void>(wiped);
    return written;
  }
  used_ = end;
  dirty_ = end;
  return {};
}

Result<> PendingFile::Clear(const LogFiles& files) {
  dirty_ = std::max(dirty_, used_);
  const std::string zeros(dirty_ - kFirstBatch, '\0');
  BJ_TRY(files.WriteAt(file_, zeros, kFirstBatch, path_));
  BJ_TRY(files.SyncData(file_, path_));
  used_ = kFirstBatch;
  dirty_ = kFirstBatch;
  return {};
}

}  // namespace belljar::record
