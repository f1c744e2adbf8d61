#include "foundation/base/result.h"

#include <cerrno>

namespace belljar {

std::string_view KindName(Kind kind) {
  switch (kind) {
    case Kind::kInvalid:
      return "invalid";
    case Kind::kDenied:
      return "denied";
    case Kind::kNotFound:
      return "not_found";
    case Kind::kExhausted:
      return "exhausted";
    case Kind::kUnavailable:
      return "unavailable";
    case Kind::kInternal:
      return "internal";
  }
  return "internal";
}

Kind KindOf(int sys) {
  switch (sys) {
    case EPERM:
    case EACCES:
    case EROFS:
      return Kind::kDenied;
    case ENOENT:
    case ENOTDIR:
    case ESRCH:
      return Kind::kNotFound;
    case EINVAL:
    case ENAMETOOLONG:
    case ELOOP:
    case EXDEV:
      return Kind::kInvalid;
    case ENOMEM:
    case ENOSPC:
    case EMFILE:
    case ENFILE:
    case EAGAIN:
    case EDQUOT:
      return Kind::kExhausted;
    case ENOSYS:
    case EOPNOTSUPP:
      return Kind::kUnavailable;
    default:
      return Kind::kInternal;
  }
}

}  // namespace belljar
