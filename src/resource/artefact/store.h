// Store: files and trees from outside that runs may read, by digest.
//
// A name stands for a digest, and a digest for one object: content that was hashed when it was
// copied, with inodes of its own, that nobody changes any more. Two names of the same content share
// it. What is mounted into a cell is the object itself, so that a large one costs nothing; so
// before each use the marks it was left with (marks.h) are compared, which costs a stat() a file.
//
// Not the image store, whose trees are built from plans and replaced under their names, nor that of
// checkpoints, whose files are pieces of segments that cannot be mounted. The way in which both
// come and go is the same: made aside, renamed into place, held by a lock that ends with its
// holder.
//
// Names and objects may be used by several processes at once. Thread-safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "foundation/base/fd.h"
#include "foundation/base/json.h"
#include "foundation/base/result.h"
#include "request/artefact.h"
#include "resource/artefact/content.h"

namespace belljar::resource::artefact {

struct ObjectFile;

struct Info {
  std::string name;
  std::string added;  // RFC 3339, UTC
  Content content;
};
// As it is told by the command line and by HTTP.
json::object ToJson(const Info& info);

// Content that nobody deletes while one of the descriptors is open.
struct Held {
  request::Artefact artefact;         // with its digest
  std::string path;                   // on the host
  std::shared_ptr<const Fd> content;  // O_PATH; shared with the cells that have it
  std::shared_ptr<const Fd> hold;
};

// What has become of the content of a name that was removed.
enum class Rest { kDeleted, kShared, kInUse };
std::string_view RestName(Rest rest);  // "deleted", "shared", "in use"

class Store {
 public:
  // `dir` is made (0700) if it is missing, and refused if others could write to it. What was left
  // by a process that has ended is removed.
  static Result<Store> Open(const std::string& dir);

  // A name that stands for other content already is an error, unless it is to be replaced.
  enum class Existing { kRefuse, kReplace };
  Result<Info> Add(const std::string& name, const std::string& path, Existing existing,
                   const OnProgress& on_progress);
  Result<Info> AddBytes(const std::string& name, const ReadPiece& read, Existing existing);

  Result<Info> Find(const std::string& name) const;
  Result<std::vector<Info>> List() const;
  // Reads all of it again. Content that is what its digest says, and has other marks (a backup was
  // put back), has its marks taken anew.
  Result<Info> Verify(const std::string& name, const OnProgress& on_progress);
  Result<Rest> Remove(const std::string& name);

  // The digest that a name stands for. A wish for another one is refused.
  Result<request::Artefact> Resolve(const request::Artefact& wish) const;
  // Ready to be mounted; `wish` has its digest. Its marks are left out only to show in tests what
  // they hold.
  enum class Marks { kChecked, kLeftOut };
  Result<Held> Hold(const request::Artefact& wish, Marks marks = Marks::kChecked) const;

 private:
  Store(std::string path, Fd dir)
      : path_(std::move(path)), dir_(std::make_shared<const Fd>(std::move(dir))) {}
  using Fill = std::function<Result<Content>(const Fd& folder)>;
  Result<Info> AddWith(const std::string& name, Existing existing, const Fill& fill);
  Result<> CheckName(const std::string& name, const std::string& digest, Existing existing) const;
  // Puts a finished object into its place, or leaves the one that is there and good.
  Result<> Publish(const std::string& staging, const ObjectFile& file) const;

  std::string path_;
  std::shared_ptr<const Fd> dir_;  // shared by copies of the store
};

}  // namespace belljar::resource::artefact
