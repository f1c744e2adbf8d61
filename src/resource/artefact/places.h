// The folder of the store, by its parts.
//
//   DIR/.lock                 held (flock) while names or objects come or go, never while one is
//   read DIR/names/NAME            {"v":1,"digest":"sha256:…","added":"…"} DIR/objects/HEX/content
//   the file or the tree DIR/objects/HEX/object.json DIR/objects/HEX/hold      held (flock, shared)
//   by whoever uses the content; empty DIR/.adding.ID            an object that is being made: its
//   hold is held until it has its place DIR/.gone.ID              one that has lost its place and
//   is still held, or half deleted
//
// Whoever is killed holds nothing any more, so what has no name and no holder can be deleted, by
// the next who comes.
#pragma once

#include <string>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "resource/artefact/content.h"

namespace belljar::resource::artefact {

inline constexpr const char* kNames = "names";
inline constexpr const char* kObjects = "objects";

struct ObjectFile {
  Content content;
  std::string marks;
};

struct NameFile {
  std::string digest;
  std::string added;  // RFC 3339, UTC
};

Result<Fd> LockStore(const Fd& dir);

// "sha256:HEX" as the name of its folder.
std::string HexOf(const std::string& digest);

Result<ObjectFile> ReadObject(const Fd& object);
Result<> WriteObject(const Fd& object, const ObjectFile& file);
Result<NameFile> ReadName(const Fd& dir, const std::string& name);
Result<> WriteName(const Fd& dir, const std::string& name, const NameFile& file);

// A new folder of its own, with its hold held. The store's lock must be held.
struct Staging {
  std::string name;
  Fd folder;
  Fd hold;
};
Result<Staging> NewStaging(const Fd& dir);

// Holds an object's content. An error (kNotFound) when it is gone.
Result<Fd> HoldObject(const Fd& dir, const std::string& hex);

// Deletes DIR/PARENT/NAME unless somebody holds it; true: it is gone. The store's lock must be
// held.
Result<bool> DeleteUnlessHeld(const Fd& dir, const std::string& parent, const std::string& name);
// Out of sight, to be deleted when nobody holds it.
Result<> PutAside(const Fd& dir, const std::string& hex);

// Deletes what nothing leads to any more. The store's lock must be held.
Result<> SweepStore(const Fd& dir);

}  // namespace belljar::resource::artefact
