#include "foundation/storage/libpq.h"

#include <dlfcn.h>

#include <string>

namespace belljar::storage {
namespace {

constexpr const char* kLibrary = "libpq.so.5";

std::string LastDlError() {
  const char* const error = ::dlerror();
  return error == nullptr ? "unknown error" : error;
}

}  // namespace

Result<Libpq> Libpq::Load() {
  void* const library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    return Error(Kind::kUnavailable,
                 "PostgreSQL's client library is missing (Debian: libpq5): " + LastDlError());
  }
  Libpq pq;
  std::string missing;
#define BJ_LIBPQ_FIND(name)                                               \
  pq.name = reinterpret_cast<decltype(pq.name)>(::dlsym(library, #name)); \
  if (pq.name == nullptr) missing = #name;
  BJ_LIBPQ_FUNCTIONS(BJ_LIBPQ_FIND)
#undef BJ_LIBPQ_FIND
  if (missing.empty()) return pq;
  return Error(Kind::kUnavailable, std::string(kLibrary) + " is too old: it has no " + missing);
}

}  // namespace belljar::storage
