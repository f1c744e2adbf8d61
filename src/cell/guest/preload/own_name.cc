// libnss_belljar: an NSS module that tells glibc the name of the cell's own user.
//
// Under a supervisor that is root each cell has a uid of its own, which the /etc/passwd of an image
// cannot list, and programs that ask for the name of their user (whoami, Node's os.userInfo) fail
// without one. /etc/nsswitch.conf of the default image names this module, so no file has to be made
// for each cell.
//
// It is loaded into programs in C: no C++ library, no allocation. No security decision relies on
// it.
#include <errno.h>
#include <grp.h>
#include <nss.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

namespace {

constexpr char kName[] = "belljar";

// Stores the strings of an answer in the caller's buffer, as NSS requires.
class Texts {
 public:
  Texts(char* buffer, size_t size) : at_(buffer), left_(size) {}

  char* Add(const char* text) {
    const size_t size = strlen(text) + 1;
    fits_ = fits_ && size <= left_;
    if (!fits_) return nullptr;
    char* const added = static_cast<char*>(memcpy(at_, text, size));
    at_ += size;
    left_ -= size;
    return added;
  }

  // On ERANGE glibc calls again with a larger buffer.
  nss_status Told(int* error) const {
    if (fits_) return NSS_STATUS_SUCCESS;
    *error = ERANGE;
    return NSS_STATUS_TRYAGAIN;
  }

 private:
  char* at_;
  size_t left_;
  bool fits_ = true;
};

nss_status NotFound(int* error) {
  *error = ENOENT;
  return NSS_STATUS_NOTFOUND;
}

nss_status TellUser(passwd* user, char* buffer, size_t size, int* error) {
  Texts texts(buffer, size);
  user->pw_uid = getuid();
  user->pw_gid = getgid();
  user->pw_name = texts.Add(kName);
  user->pw_passwd = texts.Add("x");
  user->pw_gecos = texts.Add(kName);
  user->pw_dir = texts.Add("/workspace");
  user->pw_shell = texts.Add("/bin/bash");
  return texts.Told(error);
}

// The group's only member is its user, whose primary group it is, so the member list is empty.
nss_status TellGroup(group* own, char* buffer, size_t size, int* error) {
  static char* nobody[] = {nullptr};
  Texts texts(buffer, size);
  own->gr_gid = getgid();
  own->gr_name = texts.Add(kName);
  own->gr_passwd = texts.Add("x");
  own->gr_mem = nobody;
  return texts.Told(error);
}

// A zygote, or an image that is used outside of a cell, runs as uid 0 and has no user of this name.
bool InCell() { return getuid() != 0; }

}  // namespace

#define BJ_EXPORT extern "C" __attribute__((visibility("default")))

BJ_EXPORT nss_status _nss_belljar_getpwuid_r(uid_t uid, passwd* user, char* buffer, size_t size,
                                             int* error) {
  return InCell() && uid == getuid() ? TellUser(user, buffer, size, error) : NotFound(error);
}

BJ_EXPORT nss_status _nss_belljar_getpwnam_r(const char* name, passwd* user, char* buffer,
                                             size_t size, int* error) {
  return InCell() && strcmp(name, kName) == 0 ? TellUser(user, buffer, size, error)
                                              : NotFound(error);
}

BJ_EXPORT nss_status _nss_belljar_getgrgid_r(gid_t gid, group* own, char* buffer, size_t size,
                                             int* error) {
  return InCell() && gid == getgid() ? TellGroup(own, buffer, size, error) : NotFound(error);
}

BJ_EXPORT nss_status _nss_belljar_getgrnam_r(const char* name, group* own, char* buffer,
                                             size_t size, int* error) {
  return InCell() && strcmp(name, kName) == 0 ? TellGroup(own, buffer, size, error)
                                              : NotFound(error);
}
