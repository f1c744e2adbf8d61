// Executes the steps of a journal, or undoes its preparation. Every step is idempotent: one that
// was done before a crash is recognised and skipped.
#pragma once

#include "foundation/base/result.h"
#include "resource/vault/host_dir.h"
#include "resource/vault/journal.h"

namespace belljar::resource::vault {

// A simulated crash, for tests: from the n-th call on, Pass() fails, and its callers leave
// everything as it is, as a killed process would.
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

// The kernel's boot id, different after each boot; empty if the kernel does not provide it.
std::string BootId();

// Opens the directory of a part again; an error if it is not the same directory any more.
Result<HostDir> OpenPart(const Part& part);

// Executes all steps in order; they are durable when it returns.
Result<> CarryOut(const HostDir& host, const Part& part, CrashPoint* crash);

// Removes the staged files. The host's own files have not been touched at that stage.
Result<> TakeBack(const HostDir& host, const Part& part);

// Gives a new name to the owner of the vault, if this process may do that.
Result<> GiveTo(const Fd& dir, const std::string& name, uid_t uid, gid_t gid);

// Opens the directory that holds a path, without following links.
Result<Fd> OpenParent(const HostDir& host, const std::string& path);

// Makes the entries of these directories durable (fsync).
Result<> SyncDirs(const HostDir& host, const std::vector<std::string>& paths);

}  // namespace belljar::resource::vault
