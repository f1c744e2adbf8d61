#include "record/recovery.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/rand.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include "foundation/base/sys.h"
#include "record/body_store.h"
#include "record/log_view.h"

namespace belljar::record {
namespace {

Result<Fd> LockLog(const std::string& dir) {
  Fd lock = BJ_TRY(Open(dir, O_RDONLY | O_DIRECTORY));
  // Retried, because a verifier holds the lock for a moment to see whether a writer is active.
  for (int attempt = 0; attempt < 10; ++attempt) {
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
    if (errno != EWOULDBLOCK) return SysError("flock", dir, errno);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return Error(Kind::kUnavailable, "another belljar is writing to the audit log in " + dir);
}

Result<> MakeDirectories(const std::string& state_dir) {
  std::error_code error;
  std::filesystem::create_directories(state_dir, error);
  for (const char* const name : {"/audit", "/bodies"}) {
    const std::string dir = state_dir + name;
    if (::mkdir(dir.c_str(), 0700) != 0 && errno != EEXIST) return SysError("mkdir", dir, errno);
  }
  return {};
}

// Loads the signing key, or generates it; its name is the log's name. A key file without key.pub is
// a first start that was interrupted.
Result<SigningKey> LoadKey(const LogFiles& files, const std::string& dir) {
  auto line = ReadLine(dir + "/key");
  if (line) {
    SigningKey key = BJ_TRY(SigningKey::Parse(*line).While("audit/key"));
    return key;
  }
  if (line.error().sys() != ENOENT) return std::move(line).error();
  if (::access((dir + "/key.pub").c_str(), F_OK) == 0) {
    return Error(Kind::kInvalid, "audit/key is gone, and without it the log cannot be continued");
  }
  std::string random(8, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(random.data()), 8) != 1) {
    return Error(Kind::kInternal, "OpenSSL gave no random bytes");
  }
  SigningKey key = BJ_TRY(SigningKey::Generate("belljar/" + Hex(random)));
  const NewFile fresh{"key", key.Text() + "\n"};
  BJ_TRY(ReplaceFiles(files, dir, std::span(&fresh, 1)));
  return key;
}

// Creates an empty log: the checkpoint of size 0, and the public key.
Result<> MakeLog(const LogFiles& files, const std::string& state_dir, const SigningKey& key) {
  const std::string dir = state_dir + "/audit";
  if (::access((dir + "/tile").c_str(), F_OK) == 0) {
    return Error(Kind::kInvalid, "audit/checkpoint is gone, and there are records without it");
  }
  const NewFile verifier{"key.pub", key.verifier().Text() + "\n", 0644};
  BJ_TRY(ReplaceFiles(files, dir, std::span(&verifier, 1)));
  return WriteCheckpoint(files, state_dir, key, {key.verifier().name(), 0, RootOf({})});
}

// A stray byte is a torn write only if no batch follows it; otherwise it is damage.
Result<> CheckStrays(const LogView& view) {
  for (std::size_t i = 0; i < view.files.size(); ++i) {
    const PendingContent& file = view.files[i];
    if (!file.stray) continue;
    for (std::size_t b = 0; b < file.batches.size(); ++b) {
      if (file.offsets[b] > *file.stray && file.batches[b].end() > view.checkpoint.size) {
        return Error(Kind::kInvalid,
                     fmt::format("{} is damaged at byte {}, before record {}", kPendingNames[i],
                                 *file.stray, file.batches[b].first));
      }
    }
  }
  return {};
}

Result<LogView> ReadForRecovery(const std::string& dir) {
  LogView view = BJ_TRY(ReadLog(dir));
  if (view.files.size() != std::size(kPendingNames)) {
    return Error(Kind::kInvalid, view.problems.front());
  }
  BJ_TRY(CheckStrays(view));
  std::vector<std::string> gaps;
  JoinPending(view.files, view.checkpoint.size, gaps);
  if (!gaps.empty()) return Error(Kind::kInvalid, gaps.front());
  return view;
}

// Folds all records of the pending files into tiles.
Result<> FoldPending(Folder& folder, const LogView& view) {
  std::vector<std::string> entries;
  std::vector<NewFile> bodies;
  for (const Batch& batch : view.pending) {
    entries.insert(entries.end(), batch.entries.begin(), batch.entries.end());
    for (const std::string& body : batch.bodies) {
      const std::string path = BJ_TRY(BodyPath(BodyDigest(body)));
      bodies.push_back({path, body});
    }
  }
  if (entries.empty()) return {};
  return folder.Fold(entries, std::move(bodies));
}

Result<> MendCopy(const std::string& dir, std::uint64_t size, SearchCopy& copy) {
  const std::uint64_t extent = BJ_TRY(copy.Extent());
  constexpr std::size_t kHolesAtOnce = 1024;
  while (true) {
    const auto holes = BJ_TRY(copy.Missing(extent, kHolesAtOnce));
    for (const std::uint64_t index : holes) {
      BJ_TRY(CopyFromTiles(dir, index, index + 1, size, copy));
    }
    if (holes.size() < kHolesAtOnce) break;
  }
  return CopyFromTiles(dir, extent, size, size, copy);
}

}  // namespace

Result<> CopyFromTiles(const std::string& dir, std::uint64_t first, std::uint64_t end,
                       std::uint64_t size, SearchCopy& copy) {
  const TileReader reader(dir);
  while (first < end) {
    auto entries = BJ_TRY(reader.EntriesFrom(first, size));
    if (entries.size() > end - first) entries.resize(end - first);
    std::vector<Record> records;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      auto record = ParseRecord(entries[i], first + i).While(fmt::format("record {}", first + i));
      if (!record) return std::move(record).error();
      records.push_back(std::move(*record));
    }
    BJ_TRY(copy.Insert(records));
    first += entries.size();
  }
  return {};
}

Result<Recovered> Recover(const LogFiles& files, const std::string& state_dir,
                          const std::string& database) {
  const std::string dir = state_dir + "/audit";
  BJ_TRY(MakeDirectories(state_dir));
  Fd lock = BJ_TRY(LockLog(dir));
  SigningKey key = BJ_TRY(LoadKey(files, dir));
  if (::access((dir + "/checkpoint").c_str(), F_OK) != 0) {
    BJ_TRY(MakeLog(files, state_dir, key));
  }
  PendingFile a = BJ_TRY(PendingFile::Open(files, dir, kPendingNames[0]));
  PendingFile b = BJ_TRY(PendingFile::Open(files, dir, kPendingNames[1]));
  const LogView view = BJ_TRY(ReadForRecovery(dir));
  if (key.verifier() != view.key) {
    return Error(Kind::kInvalid, "audit/key and audit/key.pub do not belong together");
  }
  Folder folder = BJ_TRY(Folder::Open(files, state_dir, std::move(key), view.checkpoint));
  auto copy = BJ_TRY(SearchCopy::Open(database, view.key.name()));
  const std::uint64_t extent = BJ_TRY(copy->Extent());
  if (extent > view.size()) {
    return Error(Kind::kInvalid, fmt::format("the log has {} records, and the database has record "
                                             "{}: the log was cut",
                                             view.size(), extent - 1));
  }
  BJ_TRY(FoldPending(folder, view));
  for (PendingFile* const file : {&a, &b}) {
    if (!file->empty()) BJ_TRY(file->Clear(files));
  }
  BJ_TRY(folder.RemoveLeftovers());
  BJ_TRY(MendCopy(dir, folder.size(), *copy));
  return Recovered{
      std::move(lock), std::move(copy), std::move(folder), {std::move(a), std::move(b)}};
}

}  // namespace belljar::record
