#include "cell/guest/python/guard_paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace belljar::cell::guest {
namespace {

constexpr int kMostLinks = 40;

// Stores base + "/" + name, or name if it is absolute.
bool Join(const char* base, const char* name, Place& whole) {
  if (name[0] == '/') {
    const int size = ::snprintf(whole, sizeof(whole), "%s", name);
    return size >= 0 && size < static_cast<int>(sizeof(whole));
  }
  Place here;
  if (base == nullptr) {
    if (::getcwd(here, sizeof(here)) == nullptr || here[0] != '/') return false;
    base = here;
  }
  const int size = ::snprintf(whole, sizeof(whole), "%s/%s", base, name);
  return size >= 0 && size < static_cast<int>(sizeof(whole));
}

// Cuts off the last component and returns it; null for "." and "..".
const char* CutLast(char* whole) {
  std::size_t size = ::strlen(whole);
  while (size > 1 && whole[size - 1] == '/') whole[--size] = '\0';
  char* const slash = ::strrchr(whole, '/');
  if (slash == nullptr) return nullptr;
  const char* const last = slash + 1;
  if (last[0] == '\0' || ::strcmp(last, ".") == 0 || ::strcmp(last, "..") == 0) return nullptr;
  *slash = '\0';
  return last;
}

bool ResolveAtMost(const char* name, const char* base, Last last, int links, Place& place) {
  Place whole;
  if (links == 0 || !Join(base, name, whole)) return false;
  if (last == Last::kFollowed && ::realpath(whole, place) != nullptr) return true;
  if (last == Last::kFollowed && errno != ENOENT) return false;
  Place parent;
  const char* const tail = CutLast(whole);
  // A name that ends in "." or ".." is a directory: it either exists or leads nowhere.
  if (tail == nullptr) return ::realpath(whole, place) != nullptr;
  if (!ResolveAtMost(whole[0] == '\0' ? "/" : whole, nullptr, Last::kFollowed, links - 1, parent)) {
    return false;
  }
  if (last == Last::kFollowed) {
    Place link;
    Place target;
    if (!Join(parent, tail, link)) return false;
    const ssize_t size = ::readlink(link, target, sizeof(target) - 1);
    if (size > 0) {
      target[size] = '\0';
      return ResolveAtMost(target, parent, Last::kFollowed, links - 1, place);
    }
  }
  return Join(::strcmp(parent, "/") == 0 ? "" : parent, tail, place);
}

}  // namespace

bool Resolve(const char* name, const char* base, Last last, Place& place) {
  return ResolveAtMost(name, base, last, kMostLinks, place);
}

bool FolderOf(long fd, Place& place) {
  char link[64];
  ::snprintf(link, sizeof(link), "/proc/self/fd/%ld", fd);
  const ssize_t size = ::readlink(link, place, sizeof(place) - 1);
  if (size <= 0) return false;
  place[size] = '\0';
  return place[0] == '/';
}

bool LiesBelow(const char* path, PyObject* folders) {
  for (Py_ssize_t i = 0; i < PyTuple_Size(folders); ++i) {
    PyObject* const folder = PyTuple_GetItem(folders, i);
    const auto size = static_cast<std::size_t>(PyBytes_Size(folder));
    if (::strncmp(path, PyBytes_AsString(folder), size) == 0 &&
        (path[size] == '/' || path[size] == '\0')) {
      return true;
    }
  }
  return false;
}

bool IsStream(const char* name) {
  constexpr char kNumbers[] = "/dev/fd/";
  constexpr std::size_t kSize = sizeof(kNumbers) - 1;
  if (::strncmp(name, kNumbers, kSize) == 0) {
    return name[kSize] != '\0' && ::strspn(name + kSize, "0123456789") == ::strlen(name + kSize);
  }
  return ::strcmp(name, "/dev/stdin") == 0 || ::strcmp(name, "/dev/stdout") == 0 ||
         ::strcmp(name, "/dev/stderr") == 0;
}

bool IsDevice(const char* place) {
  static constexpr const char* kDevices[] = {"/dev/null",   "/dev/zero",    "/dev/full",
                                             "/dev/random", "/dev/urandom", "/dev/tty"};
  for (const char* const device : kDevices) {
    if (::strcmp(place, device) == 0) return true;
  }
  return false;
}

}  // namespace belljar::cell::guest
