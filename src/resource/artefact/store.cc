#include "resource/artefact/store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>

#include "foundation/base/quote.h"
#include "foundation/base/sys.h"
#include "foundation/tree/open.h"
#include "resource/artefact/marks.h"
#include "resource/artefact/places.h"

namespace belljar::resource::artefact {
namespace {

namespace fs = std::filesystem;

std::string Now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  return {text, std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

Result<Fd> OpenObject(const Fd& dir, const std::string& digest) {
  return OpenBeneath(dir, fmt::format("{}/{}", kObjects, HexOf(digest)), O_RDONLY | O_DIRECTORY);
}

Error NoSuch(const std::string& name) {
  return Error(Kind::kNotFound, fmt::format("there is no artefact {}: add it with belljar artefact "
                                            "add {} PATH",
                                            Quote(name), name));
}

Error Changed(const std::string& name) {
  return Error(Kind::kDenied, fmt::format("artefact {} was changed in the store: run belljar "
                                          "artefact verify {}",
                                          name, name));
}

Result<> CheckOwner(const std::string& path, const Fd& dir) {
  struct stat info {};
  BJ_TRY(Check("stat", path, [&] { return ::fstat(dir.get(), &info); }));
  if (info.st_uid == ::geteuid() && (info.st_mode & 0022) == 0) return {};
  return Error(Kind::kDenied, path +
                                  " can be written by other users: artefacts are kept only in a "
                                  "directory of one's own (chmod 0700)");
}

Result<Fd> OpenContent(const Fd& object) {
  return OpenBeneath(object, kContent, O_PATH | O_NOFOLLOW);
}

// Opens an object's content if its marks show that it has not changed.
Result<Fd> OpenUnchanged(const Fd& object, const ObjectFile& file) {
  Fd content = BJ_TRY(OpenContent(object));
  const std::string marks = BJ_TRY(MarksOf(content));
  if (marks != file.marks) return Error(Kind::kDenied, "other marks");
  return content;
}

// The content is on disk before it gets its name.
Result<> SyncAll(const Fd& folder) {
  BJ_TRY(Check("sync", "the artefact", [&] { return ::syncfs(folder.get()); }));
  return {};
}

}  // namespace

json::object ToJson(const Info& info) {
  return {{"name", info.name},
          {"digest", info.content.digest},
          {"shape", ShapeName(info.content.shape)},
          {"files", info.content.files},
          {"bytes", info.content.bytes},
          {"added", info.added}};
}

std::string_view RestName(Rest rest) {
  switch (rest) {
    case Rest::kShared:
      return "shared";
    case Rest::kInUse:
      return "in use";
    case Rest::kDeleted:
      break;
  }
  return "deleted";
}

Result<Store> Store::Open(const std::string& dir) {
  std::error_code failed;
  const fs::path path = fs::absolute(dir, failed).lexically_normal();
  if (failed) return SysError("find", "the working directory", failed.value());
  const fs::path state = path.parent_path();
  fs::create_directories(state.parent_path(), failed);
  if (failed) return SysError("mkdir", state.parent_path().native(), failed.value());
  for (const fs::path& own : {state, path}) {
    if (::mkdir(own.c_str(), 0700) != 0 && errno != EEXIST) {
      return SysError("mkdir", own.native(), errno);
    }
  }
  Fd opened = BJ_TRY(belljar::Open(path.native(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  BJ_TRY(CheckOwner(path.native(), opened));
  for (const char* const part : {kNames, kObjects}) BJ_TRY(MakeDirsBeneath(opened, part, 0700));
  const Fd lock = BJ_TRY(LockStore(opened));
  BJ_TRY(SweepStore(opened).While("artefacts"));
  return Store(path.native(), std::move(opened));
}

Result<Info> Store::Add(const std::string& name, const std::string& path, Existing existing,
                        const OnProgress& on_progress) {
  const Fd source = BJ_TRY(belljar::Open(path, O_PATH));
  const std::string called = fs::path(path).filename().native();
  return AddWith(name, existing,
                 [&](const Fd& folder) { return CopyContent(source, called, folder, on_progress); })
      .While("add " + path);
}

Result<Info> Store::AddBytes(const std::string& name, const ReadPiece& read, Existing existing) {
  return AddWith(name, existing, [&](const Fd& folder) { return WriteContent(read, folder, {}); });
}

Result<> Store::CheckName(const std::string& name, const std::string& digest,
                          Existing existing) const {
  const auto there = ReadName(*dir_, name);
  if (!there && there.error().kind() == Kind::kNotFound) return {};
  if (existing == Existing::kReplace || (there && there->digest == digest)) return {};
  return Error(
      Kind::kInvalid,
      fmt::format("there is an artefact {} of other content: remove it first, or replace it "
                  "(--replace, ?replace=true)",
                  Quote(name)));
}

Result<Info> Store::AddWith(const std::string& name, Existing existing, const Fill& fill) {
  BJ_TRY(request::ValidateArtefactName(name));
  Staging staging;
  {
    const Fd lock = BJ_TRY(LockStore(*dir_));
    staging = BJ_TRY(NewStaging(*dir_));
  }
  // The copying takes long and is done without the lock, so that others can add content, too.
  const auto filled = [&]() -> Result<ObjectFile> {
    ObjectFile file;
    file.content = BJ_TRY(fill(staging.folder));
    const Fd content = BJ_TRY(OpenBeneath(staging.folder, kContent, O_PATH | O_NOFOLLOW));
    BJ_TRY(SyncAll(staging.folder));
    file.marks = BJ_TRY(MarksOf(content));
    BJ_TRY(WriteObject(staging.folder, file));
    return file;
  }();
  const auto finish = [&]() -> Result<Info> {
    if (!filled) return filled.error();
    const Content& content = filled->content;
    BJ_TRY(CheckName(name, content.digest, existing));
    BJ_TRY(Publish(staging.name, *filled));
    const NameFile file{content.digest, Now()};
    BJ_TRY(WriteName(*dir_, name, file));
    return Info{name, file.added, content};
  };
  const Fd lock = BJ_TRY(LockStore(*dir_));
  auto done = finish();
  staging.hold.Close();
  // Also deletes the staging directory if it was not needed, and the content of a replaced name.
  BJ_TRY(SweepStore(*dir_));
  return done;
}

Result<> Store::Publish(const std::string& staging, const ObjectFile& file) const {
  const std::string& digest = file.content.digest;
  const auto there = OpenObject(*dir_, digest);
  if (there) {
    const auto known = ReadObject(*there);
    if (known && known->content.digest == digest && known->content.shape != file.content.shape) {
      return Error(Kind::kInvalid, "a file and a tree of one digest: this one is not taken");
    }
    if (known && known->content.digest == digest && OpenUnchanged(*there, *known)) return {};
    // Damaged: its present holders keep it, and later ones get the new object.
    BJ_TRY(PutAside(*dir_, HexOf(digest)));
  }
  const std::string place = fmt::format("{}/{}", kObjects, HexOf(digest));
  BJ_TRY(Check("rename", place, [&] {
    return ::renameat2(dir_->get(), staging.c_str(), dir_->get(), place.c_str(), RENAME_NOREPLACE);
  }));
  const Fd objects = BJ_TRY(OpenBeneath(*dir_, kObjects, O_RDONLY | O_DIRECTORY));
  for (const Fd* const changed : {&objects, dir_.get()}) {
    BJ_TRY(Check("sync", place, [&] { return ::fsync(changed->get()); }));
  }
  return {};
}

Result<Info> Store::Find(const std::string& name) const {
  BJ_TRY(request::ValidateArtefactName(name));
  const auto file = ReadName(*dir_, name);
  if (!file && file.error().kind() == Kind::kNotFound) return NoSuch(name);
  if (!file) return file.error();
  const auto object = OpenObject(*dir_, file->digest);
  if (!object) return Changed(name);
  const auto read = ReadObject(*object);
  if (!read || read->content.digest != file->digest) return Changed(name);
  return Info{name, file->added, read->content};
}

Result<std::vector<Info>> Store::List() const {
  std::vector<Info> all;
  for (const std::string& name : BJ_TRY(tree::AllNamesOf(*dir_, kNames, 1'000'000))) {
    if (!request::ValidateArtefactName(name)) continue;
    auto found = Find(name);
    // A damaged artefact is listed by its name alone; "show" reports the damage.
    all.push_back(found ? *std::move(found) : Info{name, "", {}});
  }
  std::ranges::sort(all, {}, &Info::name);
  return all;
}

Result<Info> Store::Verify(const std::string& name, const OnProgress& on_progress) {
  BJ_TRY(request::ValidateArtefactName(name));
  const auto named = ReadName(*dir_, name);
  if (!named && named.error().kind() == Kind::kNotFound) return NoSuch(name);
  if (!named) return named.error();
  const auto damaged = [&](std::string_view how) {
    return Error(Kind::kInvalid, fmt::format("artefact {} is damaged: {}; add it again from where "
                                             "it came from",
                                             name, how));
  };
  const auto hold = HoldObject(*dir_, HexOf(named->digest));
  const auto object = OpenObject(*dir_, named->digest);
  if (!hold || !object) return damaged("its content is not there");
  const auto content = ReadContent(*object, on_progress);
  if (!content) return damaged(content.error().message());
  if (content->digest != named->digest) {
    return damaged(fmt::format("it is {}, and was {}", content->digest, named->digest));
  }
  const Fd there = BJ_TRY(OpenBeneath(*object, kContent, O_PATH | O_NOFOLLOW));
  const auto marks = MarksOf(there);
  if (!marks) return damaged(marks.error().message());
  const Fd lock = BJ_TRY(LockStore(*dir_));
  const auto known = ReadObject(*object);
  if (!known || known->marks != *marks) BJ_TRY(WriteObject(*object, {*content, *marks}));
  return Info{name, named->added, *content};
}

Result<Rest> Store::Remove(const std::string& name) {
  BJ_TRY(request::ValidateArtefactName(name));
  const Fd lock = BJ_TRY(LockStore(*dir_));
  const auto file = ReadName(*dir_, name);
  if (!file && file.error().kind() == Kind::kNotFound) return NoSuch(name);
  // An artefact that cannot be read can still be removed.
  BJ_TRY(Check("remove", name, [&] {
    return ::unlinkat(dir_->get(), fmt::format("{}/{}", kNames, name).c_str(), 0);
  }));
  BJ_TRY(SweepStore(*dir_));
  if (!file || !OpenObject(*dir_, file->digest)) return Rest::kDeleted;
  for (const Info& other : BJ_TRY(List())) {
    if (other.content.digest == file->digest) return Rest::kShared;
  }
  return Rest::kInUse;
}

Result<request::Artefact> Store::Resolve(const request::Artefact& wish) const {
  const Info found = BJ_TRY(Find(wish.name));
  const std::string& digest = found.content.digest;
  if (wish.digest.empty() || wish.digest == digest) return request::Artefact{wish.name, digest};
  // The error does not reveal the actual digest.
  return Error(Kind::kNotFound,
               fmt::format("the artefact {} is not {} here", wish.name, wish.digest));
}

Result<Held> Store::Hold(const request::Artefact& wish, Marks marks) const {
  const request::Artefact artefact = BJ_TRY(Resolve(wish));
  Held held{artefact, fmt::format("{}/{}/{}/{}", path_, kObjects, HexOf(artefact.digest), kContent),
            nullptr, nullptr};
  auto hold = HoldObject(*dir_, HexOf(artefact.digest));
  if (!hold) return NoSuch(wish.name);
  const Fd object = BJ_TRY(OpenObject(*dir_, artefact.digest));
  const auto file = ReadObject(object);
  if (!file || file->content.digest != artefact.digest) return Changed(wish.name);
  auto content = marks == Marks::kChecked ? OpenUnchanged(object, *file) : OpenContent(object);
  if (!content) return Changed(wish.name);
  held.hold = std::make_shared<const Fd>(*std::move(hold));
  held.content = std::make_shared<const Fd>(*std::move(content));
  return held;
}

}  // namespace belljar::resource::artefact
