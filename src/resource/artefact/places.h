// The layout of the store's directory.
//
//   DIR/.lock                 flock; held to add or remove names or objects, never during a read
//   DIR/names/NAME            {"v":1,"digest":"sha256:…","added":"…"}
//   DIR/objects/HEX/content   the file or the tree
//   DIR/objects/HEX/object.json
//   DIR/objects/HEX/hold      empty; each user of the content holds a shared flock on it
//   DIR/.adding.ID            a new object; its `hold` is locked until it is renamed into place
//   DIR/.gone.ID              an object without a place that is still held or half deleted
//
// A killed process holds no locks, so the next process can delete every object without a name and a
// holder.
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

// "sha256:HEX" as the name of the object's directory.
std::string HexOf(const std::string& digest);

Result<ObjectFile> ReadObject(const Fd& object);
Result<> WriteObject(const Fd& object, const ObjectFile& file);
Result<NameFile> ReadName(const Fd& dir, const std::string& name);
Result<> WriteName(const Fd& dir, const std::string& name, const NameFile& file);

// A new staging directory whose `hold` is locked. The caller must hold the store's lock.
struct Staging {
  std::string name;
  Fd folder;
  Fd hold;
};
Result<Staging> NewStaging(const Fd& dir);

// Locks an object's `hold` (shared), so that it is not deleted. kNotFound if the object is gone.
Result<Fd> HoldObject(const Fd& dir, const std::string& hex);

// Deletes DIR/PARENT/NAME unless it is held; returns true if it is gone. The caller must hold the
// store's lock.
Result<bool> DeleteUnlessHeld(const Fd& dir, const std::string& parent, const std::string& name);
// Renames an object to .gone.ID; it is deleted when it is no longer held.
Result<> PutAside(const Fd& dir, const std::string& hex);

// Deletes objects without a name, and leftovers. The caller must hold the store's lock.
Result<> SweepStore(const Fd& dir);

}  // namespace belljar::resource::artefact
