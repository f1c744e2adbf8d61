#include "record/log.h"

#include <fmt/format.h>

#include <atomic>
#include <thread>

#include "foundation/base/sys.h"
#include "record/body_store.h"
#include "record/canonical.h"
#include "record/copy_feeder.h"
#include "record/proof.h"
#include "record/recovery.h"

namespace belljar::record {
namespace {

constexpr std::size_t kMaxDetailBytes = 48 << 10;
constexpr auto kPatienceWithDatabase = std::chrono::seconds(5);
constexpr auto kBetweenSweeps = std::chrono::hours(1);

const LogFiles& RealFiles() {
  static const LogFiles files;
  return files;
}

}  // namespace

std::string DatabaseOf(const std::string& state_dir, const std::string& database) {
  return database.empty() ? "sqlite:" + state_dir + "/belljar.db" : database;
}

struct Log::Parts {
  Parts(Options chosen, Recovered recovered)
      : options(std::move(chosen)),
        lock(std::move(recovered.lock)),
        name(recovered.folder.key().verifier()),
        copy(std::move(recovered.copy)),
        writer(*options.files, options.dir, std::move(recovered.folder),
               std::move(recovered.pending), options.fold_after),
        feeder(writer, options.dir + "/audit", *copy),
        retention_s(options.body_retention.count()) {}

  std::string audit_dir() const { return options.dir + "/audit"; }
  void Sweep();

  const Options options;
  const Fd lock;
  const VerifierKey name;
  const std::unique_ptr<SearchCopy> copy;
  Writer writer;
  CopyFeeder feeder;
  std::atomic<std::int64_t> retention_s;
  std::mutex sweep_mutex;
  std::chrono::steady_clock::time_point next_sweep{};
};

// Removes expired bodies; called now and then by a thread that appends a record. A failure is
// ignored: the next sweep tries again.
void Log::Parts::Sweep() {
  if (retention_s == 0) return;
  {
    const std::lock_guard guard(sweep_mutex);
    const auto now = std::chrono::steady_clock::now();
    if (now < next_sweep) return;
    next_sweep = now + kBetweenSweeps;
  }
  const auto removed =
      RemoveOldBodies(*options.files, options.dir,
                      std::chrono::system_clock::now() - std::chrono::seconds(retention_s));
  static_cast<void>(removed);
}

Log::Log(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Log::~Log() = default;

Result<std::unique_ptr<Log>> Log::Open(Options options) {
  if (options.files == nullptr) options.files = &RealFiles();
  auto recovered =
      BJ_TRY(Recover(*options.files, options.dir, DatabaseOf(options.dir, options.database))
                 .While("audit log"));
  return std::unique_ptr<Log>(
      new Log(std::make_unique<Parts>(std::move(options), std::move(recovered))));
}

Result<Prepared> Log::MakeReady(const Entry& entry) {
  const std::string detail = BJ_TRY(Canonical(entry.detail).While("audit record"));
  if (detail.size() <= kMaxDetailBytes) return Prepare(entry, detail);
  Entry smaller = entry;
  const std::string digest = BJ_TRY(PutBody(detail));
  smaller.detail = {{"detail_bytes", detail.size()}, {"detail_sha256", digest}};
  const std::string pointer = BJ_TRY(Canonical(smaller.detail));
  return Prepare(smaller, pointer);
}

Result<Position> Log::Append(const Entry& entry) {
  const Prepared prepared = BJ_TRY(MakeReady(entry));
  auto positions = BJ_TRY(parts_->writer.Append(std::span(&prepared, 1)));
  parts_->Sweep();
  return std::move(positions.front());
}

Result<> Log::AppendAll(std::span<const Entry> entries) {
  std::vector<Prepared> prepared;
  for (const Entry& entry : entries) {
    Prepared one = BJ_TRY(MakeReady(entry));
    prepared.push_back(std::move(one));
  }
  BJ_TRY(parts_->writer.Append(prepared));
  return {};
}

Result<std::string> Log::PutBody(std::string_view bytes) {
  if (bytes.size() > kMaxBodyBytes) {
    return Error(Kind::kInvalid, fmt::format("audit body: longer than {} bytes", kMaxBodyBytes));
  }
  std::string digest = BodyDigest(bytes);
  if (parts_->retention_s == 0) return digest;
  BJ_TRY(parts_->writer.PutBody(digest, bytes));
  return digest;
}

void Log::SetBodyRetention(std::chrono::seconds retention) {
  parts_->retention_s = retention.count();
  const std::lock_guard guard(parts_->sweep_mutex);
  parts_->next_sweep = {};
}

Result<std::optional<std::string>> Log::Body(std::string_view digest) {
  if (auto fresh = parts_->writer.FreshBody(std::string(digest))) return fresh;
  return ReadBody(parts_->options.dir, digest);
}

Result<std::vector<Record>> Log::Find(const Filter& filter) {
  BJ_TRY(parts_->feeder.CatchUp(kPatienceWithDatabase));
  return parts_->copy->Find(filter);
}

Result<std::optional<Record>> Log::At(std::uint64_t index) {
  auto fresh = parts_->writer.Unfolded(index, 1);
  // Read after Unfolded(), so that a record folded between the two calls is found in the tiles.
  const std::uint64_t folded = parts_->writer.folded();
  if (fresh.empty() && index >= folded) return std::optional<Record>();
  if (fresh.empty()) {
    const TileReader reader(parts_->audit_dir());
    fresh = BJ_TRY(reader.EntriesFrom(index, folded));
  }
  Record record = BJ_TRY(ParseRecord(fresh.front(), index).While(fmt::format("record {}", index)));
  return std::optional(std::move(record));
}

Result<std::string> Log::Proof(std::uint64_t index) {
  if (index >= parts_->writer.size()) {
    return Error(Kind::kNotFound, fmt::format("the log has no record {}", index));
  }
  if (index >= parts_->writer.folded()) BJ_TRY(parts_->writer.FoldNow());
  const std::string note = BJ_TRY(ReadFile(parts_->audit_dir() + "/checkpoint", 64 << 10));
  const auto proof = BJ_TRY(MakeProof(parts_->audit_dir(), index, note, parts_->name));
  return FormatProof(proof);
}

std::uint64_t Log::size() const { return parts_->writer.size(); }

Result<> Log::Seal() {
  BJ_TRY(parts_->writer.Stop());
  BJ_TRY(parts_->feeder.CatchUp(kPatienceWithDatabase));
  return {};
}

}  // namespace belljar::record
