// The user and group ids that a program sees. Under a supervisor that is root each cell has a host
// uid of its own, which shows in `id`, in file owners, and in the seeds of the generators of bash
// and libuuid. Programs of a deterministic cell see the id that cells of an ordinary user have, for
// themselves and for their files.
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <initializer_list>

#include "cell/guest/preload/deterministic.h"

namespace belljar::deterministic {
namespace {

constexpr unsigned kShownId = 1000;  // kNestedUid of native_backend.cc

// A cell's uid and gid are the same number. A zygote is not in a cell yet; its id is 0 and is shown
// as 0.
unsigned OwnId() { return static_cast<unsigned>(Kernel(SYS_getuid)); }

unsigned Shown(unsigned id, unsigned own) {
  return own != 0 && id == own && HasBegun() ? kShownId : id;
}

int Answer(long result) {
  if (result >= 0) return 0;
  errno = static_cast<int>(-result);
  return -1;
}

int StatAt(int dir, const char* path, struct stat* result, int flags) {
  const int answer = Answer(Kernel(SYS_newfstatat, dir, reinterpret_cast<long>(path),
                                   reinterpret_cast<long>(result), flags));
  if (answer != 0) return answer;
  const unsigned own = OwnId();
  result->st_uid = Shown(result->st_uid, own);
  result->st_gid = Shown(result->st_gid, own);
  return 0;
}

unsigned ShownOf(long call) { return Shown(static_cast<unsigned>(Kernel(call)), OwnId()); }

int ThreeIds(long call, unsigned* real, unsigned* effective, unsigned* saved) {
  const int answer =
      Answer(Kernel(call, reinterpret_cast<long>(real), reinterpret_cast<long>(effective),
                    reinterpret_cast<long>(saved)));
  if (answer != 0) return answer;
  const unsigned own = OwnId();
  for (unsigned* id : {real, effective, saved}) *id = Shown(*id, own);
  return 0;
}

}  // namespace

unsigned GetUid() BJ_REPLACES(getuid);
unsigned GetUid() { return ShownOf(SYS_getuid); }

unsigned GetEuid() BJ_REPLACES(geteuid);
unsigned GetEuid() { return ShownOf(SYS_geteuid); }

unsigned GetGid() BJ_REPLACES(getgid);
unsigned GetGid() { return ShownOf(SYS_getgid); }

unsigned GetEgid() BJ_REPLACES(getegid);
unsigned GetEgid() { return ShownOf(SYS_getegid); }

int GetResuid(unsigned* real, unsigned* effective, unsigned* saved) BJ_REPLACES(getresuid);
int GetResuid(unsigned* real, unsigned* effective, unsigned* saved) {
  return ThreeIds(SYS_getresuid, real, effective, saved);
}

int GetResgid(unsigned* real, unsigned* effective, unsigned* saved) BJ_REPLACES(getresgid);
int GetResgid(unsigned* real, unsigned* effective, unsigned* saved) {
  return ThreeIds(SYS_getresgid, real, effective, saved);
}

// Each function has the two names that programs are linked with; on this machine they are the same.

int Stat(const char* path, struct stat* result) BJ_REPLACES(stat);
int Stat(const char* path, struct stat* result) { return StatAt(AT_FDCWD, path, result, 0); }

int Stat64(const char* path, struct stat* result) BJ_REPLACES(stat64);
int Stat64(const char* path, struct stat* result) { return StatAt(AT_FDCWD, path, result, 0); }

int Lstat(const char* path, struct stat* result) BJ_REPLACES(lstat);
int Lstat(const char* path, struct stat* result) {
  return StatAt(AT_FDCWD, path, result, AT_SYMLINK_NOFOLLOW);
}

int Lstat64(const char* path, struct stat* result) BJ_REPLACES(lstat64);
int Lstat64(const char* path, struct stat* result) {
  return StatAt(AT_FDCWD, path, result, AT_SYMLINK_NOFOLLOW);
}

// newfstatat(), which is called instead, would take some negative descriptors for the working
// directory.
int Fstat(int fd, struct stat* result) BJ_REPLACES(fstat);
int Fstat(int fd, struct stat* result) {
  return fd < 0 ? Answer(-EBADF) : StatAt(fd, "", result, AT_EMPTY_PATH);
}

int Fstat64(int fd, struct stat* result) BJ_REPLACES(fstat64);
int Fstat64(int fd, struct stat* result) { return Fstat(fd, result); }

int Fstatat(int dir, const char* path, struct stat* result, int flags) BJ_REPLACES(fstatat);
int Fstatat(int dir, const char* path, struct stat* result, int flags) {
  return StatAt(dir, path, result, flags);
}

int Fstatat64(int dir, const char* path, struct stat* result, int flags) BJ_REPLACES(fstatat64);
int Fstatat64(int dir, const char* path, struct stat* result, int flags) {
  return StatAt(dir, path, result, flags);
}

int Statx(int dir, const char* path, int flags, unsigned mask, struct statx* result) {
  const int answer = Answer(Kernel(SYS_statx, dir, reinterpret_cast<long>(path), flags, mask,
                                   reinterpret_cast<long>(result)));
  if (answer != 0) return answer;
  const unsigned own = OwnId();
  result->stx_uid = Shown(result->stx_uid, own);
  result->stx_gid = Shown(result->stx_gid, own);
  return 0;
}

}  // namespace belljar::deterministic
