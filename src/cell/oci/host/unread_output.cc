#include "cell/oci/host/unread_output.h"

#include <fcntl.h>

#include "foundation/base/sys.h"

namespace belljar::cell::oci {
namespace {

constexpr char kUnreadOut[] = "unread.stdout";
constexpr char kUnreadErr[] = "unread.stderr";

Result<Fd> OpenUnread(const Fd& dir, const char* name, int flags) {
  const long raw = BJ_TRY(Check("open", name, [&] {
    return ::openat(dir.get(), name, flags | O_NOFOLLOW | O_CLOEXEC, 0600);
  }));
  return Fd(static_cast<int>(raw));
}

Result<> WriteUnreadFile(const Fd& dir, const char* name, const std::string& bytes) {
  const Fd file = BJ_TRY(OpenUnread(dir, name, O_WRONLY | O_CREAT | O_EXCL));
  return WriteAll(file, bytes, name);
}

Result<std::string> ReadUnreadFile(const Fd& dir, const char* name) {
  const Fd file = BJ_TRY(OpenUnread(dir, name, O_RDONLY));
  return ReadAll(file, kMostUnread, name);
}

}  // namespace

Result<> WriteUnread(const Fd& dir, const Unread& unread) {
  BJ_TRY(WriteUnreadFile(dir, kUnreadOut, unread.out));
  return WriteUnreadFile(dir, kUnreadErr, unread.err);
}

Result<Unread> ReadUnread(const Fd& dir) {
  Unread unread;
  unread.out = BJ_TRY(ReadUnreadFile(dir, kUnreadOut));
  unread.err = BJ_TRY(ReadUnreadFile(dir, kUnreadErr));
  return unread;
}

}  // namespace belljar::cell::oci
