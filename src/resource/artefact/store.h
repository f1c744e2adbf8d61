// Store: files and trees that runs may read, stored by digest.
//
// A name stands for a digest, and a digest for one object: immutable content with inodes of its
// own, hashed when it was copied. Two names of the same content share the object. A cell mounts the
// object itself, so large ones cost nothing; before each use its marks (marks.h) are compared,
// which costs one stat() per file.
//
// It is separate from the image store, whose trees are built from plans and replaced under their
// names, and from the checkpoint store, whose files are parts of segments and cannot be mounted.
// The life cycle is the same: built in a staging directory, renamed into place, held by a lock that
// ends with its holder.
//
// Several processes may use the store at once. Thread-safe.
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
// The form printed by the command line and served by HTTP.
json::object ToJson(const Info& info);

// Content that is not deleted while one of the descriptors is open.
struct Held {
  request::Artefact artefact;         // with its digest
  std::string path;                   // on the host
  std::shared_ptr<const Fd> content;  // O_PATH; shared with the cells that mount it
  std::shared_ptr<const Fd> hold;
};

// What happened to the content of a removed name.
enum class Rest { kDeleted, kShared, kInUse };
std::string_view RestName(Rest rest);  // "deleted", "shared", "in use"

class Store {
 public:
  // Creates `dir` (0700) if it is missing; refuses it if other users could write to it. Removes
  // leftovers of ended processes.
  static Result<Store> Open(const std::string& dir);

  // A name that already stands for other content is an error, unless kReplace is given.
  enum class Existing { kRefuse, kReplace };
  Result<Info> Add(const std::string& name, const std::string& path, Existing existing,
                   const OnProgress& on_progress);
  Result<Info> AddBytes(const std::string& name, const ReadPiece& read, Existing existing);

  Result<Info> Find(const std::string& name) const;
  Result<std::vector<Info>> List() const;
  // Reads and hashes the whole content again. If it matches its digest but has other marks (after a
  // restored backup), new marks are recorded.
  Result<Info> Verify(const std::string& name, const OnProgress& on_progress);
  Result<Rest> Remove(const std::string& name);

  // The digest that a name stands for. If the wish names another digest, it is refused.
  Result<request::Artefact> Resolve(const request::Artefact& wish) const;
  // Opens content for mounting; `wish` must have its digest. kLeftOut exists only for tests that
  // show what the check of the marks prevents.
  enum class Marks { kChecked, kLeftOut };
  Result<Held> Hold(const request::Artefact& wish, Marks marks = Marks::kChecked) const;

 private:
  Store(std::string path, Fd dir)
      : path_(std::move(path)), dir_(std::make_shared<const Fd>(std::move(dir))) {}
  using Fill = std::function<Result<Content>(const Fd& folder)>;
  Result<Info> AddWith(const std::string& name, Existing existing, const Fill& fill);
  Result<> CheckName(const std::string& name, const std::string& digest, Existing existing) const;
  // Moves a finished object into its place, unless an intact one is there already.
  Result<> Publish(const std::string& staging, const ObjectFile& file) const;

  std::string path_;
  std::shared_ptr<const Fd> dir_;  // shared by copies of the store
};

}  // namespace belljar::resource::artefact
