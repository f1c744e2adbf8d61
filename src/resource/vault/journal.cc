#include "resource/vault/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "foundation/base/json.h"
#include "foundation/base/relative_path.h"
#include "foundation/base/sys.h"
#include "foundation/tree/open.h"
#include "foundation/tree/path.h"
#include "request/vault.h"

namespace belljar::resource::vault {
namespace {

constexpr std::size_t kMaxJournalBytes = 128 << 20;  // 2 paths of 1 KiB for each of 40,000 steps
constexpr std::size_t kMaxJournals = 10'000;
constexpr int kMostAttempts = 100;
constexpr std::string_view kNew = ".new";
constexpr std::string_view kPrepare = ".prepare";
constexpr std::string_view kCommit = ".commit";

constexpr std::array<std::string_view, 4> kDoingNames = {"remove", "rmdir", "mkdir", "place"};

Error Damaged(std::string_view what) {
  return Error(Kind::kInternal, fmt::format("the journal is damaged: {}", what));
}

Result<std::string> TextOf(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  if (value == nullptr || !value->is_string()) return Damaged(key);
  return std::string(value->get_string());
}

Result<std::uint64_t> NumberOf(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  if (value == nullptr) return Damaged(key);
  if (value->is_uint64()) return value->get_uint64();
  if (value->is_int64() && value->get_int64() >= 0) {
    return static_cast<std::uint64_t>(value->get_int64());
  }
  return Damaged(key);
}

Result<Step> ReadStep(const json::value& value) {
  if (!value.is_object()) return Damaged("a step");
  const json::object& object = value.get_object();
  const std::string doing = BJ_TRY(TextOf(object, "do"));
  Step step;
  std::size_t index = 0;
  while (index < kDoingNames.size() && kDoingNames[index] != doing) ++index;
  if (index == kDoingNames.size()) return Damaged("do");
  step.doing = static_cast<Doing>(index);
  step.path = BJ_TRY(TextOf(object, "path"));
  BJ_TRY(CheckRelativePath(step.path));
  if (step.doing != Doing::kPlace) return step;
  step.waiting = BJ_TRY(TextOf(object, "waiting"));
  BJ_TRY(CheckRelativePath(step.waiting));
  if (!tree::NameOf(step.waiting).starts_with(kWaitingPrefix)) return Damaged("waiting");
  return step;
}

Result<Part> ReadPart(const json::value& value) {
  if (!value.is_object()) return Damaged("a vault");
  const json::object& object = value.get_object();
  Part part;
  part.host = BJ_TRY(TextOf(object, "host"));
  BJ_TRY(request::ValidateVaults({{part.host, request::VaultMode::kReadWrite}}));
  part.device = BJ_TRY(NumberOf(object, "device"));
  part.inode = BJ_TRY(NumberOf(object, "inode"));
  part.boot = BJ_TRY(TextOf(object, "boot"));
  part.uid = static_cast<std::uint32_t>(BJ_TRY(NumberOf(object, "uid")));
  part.gid = static_cast<std::uint32_t>(BJ_TRY(NumberOf(object, "gid")));
  const json::value* const steps = object.if_contains("steps");
  if (steps == nullptr || !steps->is_array()) return Damaged("steps");
  for (const json::value& each : steps->get_array()) {
    Step step = BJ_TRY(ReadStep(each));
    part.steps.push_back(std::move(step));
  }
  return part;
}

// A process that can create a journal there controls what happens to host files, so the directory
// must belong to this user and be writable by no other.
Result<Fd> OpenPrivate(const std::string& dir) {
  Fd fd = BJ_TRY(Open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  struct stat status {};
  BJ_TRY(Check("stat", dir, [&] { return ::fstat(fd.get(), &status); }));
  if (status.st_uid == ::geteuid() && (status.st_mode & 0022) == 0) return fd;
  return Error(Kind::kDenied, dir + " belongs to another user or can be written by others");
}

Result<Fd> OpenJournalDir(const std::string& dir) {
  if (::mkdir(dir.c_str(), 0700) != 0 && errno != EEXIST) return SysError("mkdir", dir, errno);
  return OpenPrivate(dir);
}

Result<> Sync(const Fd& fd, const std::string& what) {
  BJ_TRY(Check("fsync", what, [&] { return ::fsync(fd.get()); }));
  return {};
}

// Between creation and lock, another process may take the journal for a crashed one's and remove
// it: then it is created again.
Result<Fd> MakeLocked(const Fd& dir, const std::string& name) {
  for (int attempt = 1;; ++attempt) {
    Fd file = BJ_TRY(OpenBeneath(dir, name, O_RDWR | O_CREAT | O_EXCL, 0600));
    BJ_TRY(Check("lock", name, [&] { return ::flock(file.get(), LOCK_EX); }));
    struct stat status {};
    BJ_TRY(Check("stat", name, [&] { return ::fstat(file.get(), &status); }));
    if (status.st_nlink == 1) return file;
    if (attempt == kMostAttempts) {
      return Error(Kind::kUnavailable, "other starts keep clearing the journal away; try again");
    }
  }
}

std::string Stem(const std::string& name) { return name.substr(0, name.rfind('.')); }

}  // namespace

std::string WriteParts(const std::vector<Part>& parts) {
  json::array vaults;
  for (const Part& part : parts) {
    json::array steps;
    for (const Step& step : part.steps) {
      json::object object = {{"do", kDoingNames[static_cast<std::size_t>(step.doing)]},
                             {"path", step.path}};
      if (step.doing == Doing::kPlace) object["waiting"] = step.waiting;
      steps.push_back(std::move(object));
    }
    vaults.push_back({{"host", part.host},
                      {"device", part.device},
                      {"inode", part.inode},
                      {"boot", part.boot},
                      {"uid", part.uid},
                      {"gid", part.gid},
                      {"steps", std::move(steps)}});
  }
  return json::serialize(json::object{{"v", 1}, {"vaults", std::move(vaults)}});
}

Result<std::vector<Part>> ReadParts(std::string_view text) {
  const json::value value = BJ_TRY(ParseJson(text));
  if (!value.is_object()) return Damaged("it is no object");
  if (BJ_TRY(NumberOf(value.get_object(), "v")) != 1) return Damaged("its version is not known");
  const json::value* const vaults = value.get_object().if_contains("vaults");
  if (vaults == nullptr || !vaults->is_array()) return Damaged("vaults");
  std::vector<Part> parts;
  for (const json::value& each : vaults->get_array()) {
    Part part = BJ_TRY(ReadPart(each));
    parts.push_back(std::move(part));
  }
  return parts;
}

Result<JournalFile> JournalFile::Begin(const std::string& dir, const std::string& id,
                                       const std::vector<Part>& parts) {
  Fd folder = BJ_TRY(OpenJournalDir(dir));
  const std::string name = id + std::string(kNew);
  Fd file = BJ_TRY(MakeLocked(folder, name));
  JournalFile journal(std::move(folder), std::move(file), name, Stage::kPreparing);
  auto written = WriteAll(journal.file_, WriteParts(parts), name);
  if (written) written = Sync(journal.file_, name);
  if (written) written = journal.Rename(id + std::string(kPrepare));
  if (written) return journal;
  static_cast<void>(static_cast<bool>(journal.Remove()));  // the stage .new is ignored in any case
  return std::move(written).error().While("journal");
}

Result<std::optional<JournalFile>> JournalFile::TakeOver(const std::string& dir,
                                                         const std::string& name) {
  Fd folder = BJ_TRY(OpenJournalDir(dir));
  auto opened = OpenBeneath(folder, name, O_RDWR | O_NOFOLLOW);
  if (!opened && opened.error().sys() == ENOENT) return std::optional<JournalFile>();
  Fd file = BJ_TRY(std::move(opened));
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return std::optional<JournalFile>();
    return SysError("lock", name, errno);
  }
  // Before we got the lock, its owner may have removed it or renamed it to the next stage.
  struct stat held {};
  struct stat named {};
  BJ_TRY(Check("stat", name, [&] { return ::fstat(file.get(), &held); }));
  const int there = ::fstatat(folder.get(), name.c_str(), &named, AT_SYMLINK_NOFOLLOW);
  if (there != 0 || named.st_ino != held.st_ino) return std::optional<JournalFile>();
  const Stage stage = name.ends_with(kCommit) ? Stage::kCommitted : Stage::kPreparing;
  return std::optional(JournalFile(std::move(folder), std::move(file), name, stage));
}

Result<std::vector<Part>> JournalFile::Read() const {
  if (name_.ends_with(kNew)) return std::vector<Part>();
  BJ_TRY(Check("seek", name_, [&] { return ::lseek(file_.get(), 0, SEEK_SET); }));
  const std::string text = BJ_TRY(ReadAll(file_, kMaxJournalBytes, name_));
  return ReadParts(text).While(name_);
}

Result<> JournalFile::Rename(const std::string& to) {
  BJ_TRY(Check("rename", to, [&] {
    return ::renameat2(dir_.get(), name_.c_str(), dir_.get(), to.c_str(), RENAME_NOREPLACE);
  }));
  name_ = to;
  return Sync(dir_, "the journals");
}

Result<> JournalFile::Commit() {
  const auto renamed = Rename(Stem(name_) + std::string(kCommit));
  if (name_.ends_with(kCommit)) stage_ = Stage::kCommitted;
  return renamed;
}

Result<> JournalFile::Remove() {
  BJ_TRY(Check("unlink", name_, [&] { return ::unlinkat(dir_.get(), name_.c_str(), 0); }));
  return Sync(dir_, "the journals");
}

Result<std::vector<std::string>> ListJournals(const std::string& dir) {
  const auto opened = OpenPrivate(dir);
  if (!opened && opened.error().sys() == ENOENT) return std::vector<std::string>();
  if (!opened) return opened.error();
  std::vector<std::string> names = BJ_TRY(tree::AllNamesOf(*opened, "", kMaxJournals));
  std::erase_if(names, [](const std::string& name) {
    return !name.ends_with(kNew) && !name.ends_with(kPrepare) && !name.ends_with(kCommit);
  });
  return names;
}

}  // namespace belljar::resource::vault
