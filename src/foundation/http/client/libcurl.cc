#include "foundation/http/client/libcurl.h"

#include <dlfcn.h>

#include <string>

namespace belljar::http::client {

const Result<Libcurl>& Libcurl::Get() {
  static const Result<Libcurl> loaded = Load();
  return loaded;
}

Result<Libcurl> Libcurl::Load() {
  constexpr const char* kLibrary = "libcurl.so.4";
  void* const library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    const char* const error = ::dlerror();
    return Error(Kind::kUnavailable,
                 std::string("HTTP to elsewhere needs libcurl (Debian: libcurl4): ") +
                     (error == nullptr ? "unknown error" : error));
  }
  Libcurl curl;
  std::string missing;
#define BJ_LIBCURL_FIND(name)                                                 \
  curl.name = reinterpret_cast<decltype(curl.name)>(::dlsym(library, #name)); \
  if (curl.name == nullptr) missing = #name;
  BJ_LIBCURL_FUNCTIONS(BJ_LIBCURL_FIND)
#undef BJ_LIBCURL_FIND
  if (!missing.empty()) {
    return Error(Kind::kUnavailable, std::string(kLibrary) + " is too old: it has no " + missing);
  }
  if (curl.curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    return Error(Kind::kUnavailable, "libcurl could not be set up");
  }
  return curl;
}

}  // namespace belljar::http::client
