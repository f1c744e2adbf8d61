// The steps of a journal, carried out or taken back. Each can be repeated: one that was done before
// a crash is found done.
#pragma once

#include "foundation/base/result.h"
#include "resource/vault/host_dir.h"
#include "resource/vault/journal.h"

namespace belljar::resource::vault {

// A crash on demand, for tests: from the n-th call on, Pass() fails, and whoever calls it leaves
// everything as it is, as a process that has been killed would.
class CrashPoint {
 public:
  explicit CrashPoint(int after) : left_(after) {}
  Result<> Pass() {
    if (left_ > 0) --left_;
    if (left_ > 0) return {};
    crashed_ = true;
    return Error(Kind::kInternal, "crashed by a test");
  }
  bool crashed() const { return crashed_; }

 private:
  int left_;
  bool crashed_ = false;
};
inline Result<> Pass(CrashPoint* crash) { return crash == nullptr ? Result<>() : crash->Pass(); }

// Another one after each start of the machine; empty where the kernel does not tell.
std::string BootId();

// The directory of a part, opened again; an error if it is not the same one any more.
Result<HostDir> OpenPart(const Part& part);

// Everything, in order; durable when it returns.
Result<> CarryOut(const HostDir& host, const Part& part, CrashPoint* crash);

// Removes what waits under names of its own. The host's own files were not touched yet.
Result<> TakeBack(const HostDir& host, const Part& part);

// To whom a new name belongs: the owner of the vault, where we may say so.
Result<> GiveTo(const Fd& dir, const std::string& name, uid_t uid, gid_t gid);

// The directory that holds a path; no link is followed on the way.
Result<Fd> OpenParent(const HostDir& host, const std::string& path);

// Makes the names in directories durable.
Result<> SyncDirs(const HostDir& host, const std::vector<std::string>& paths);

}  // namespace belljar::resource::vault
