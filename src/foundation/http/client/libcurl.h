// libcurl, loaded by dlopen() when the first HTTP request is sent: linking it would load thirty
// libraries at every start of a command.
#pragma once

#include <curl/curl.h>

#include "foundation/base/result.h"

// The macros in the header check arguments at compile time and would hide the functions of these
// names.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

namespace belljar::http::client {

#define BJ_LIBCURL_FUNCTIONS(X) \
  X(curl_global_init)           \
  X(curl_easy_init)             \
  X(curl_easy_setopt)           \
  X(curl_easy_perform)          \
  X(curl_easy_getinfo)          \
  X(curl_easy_strerror)         \
  X(curl_easy_cleanup)          \
  X(curl_easy_reset)            \
  X(curl_multi_init)            \
  X(curl_multi_add_handle)      \
  X(curl_multi_remove_handle)   \
  X(curl_multi_perform)         \
  X(curl_multi_poll)            \
  X(curl_multi_info_read)       \
  X(curl_multi_cleanup)         \
  X(curl_slist_append)          \
  X(curl_slist_free_all)        \
  X(curl_url)                   \
  X(curl_url_set)               \
  X(curl_url_get)               \
  X(curl_url_cleanup)           \
  X(curl_free)

struct Libcurl {
#define BJ_LIBCURL_MEMBER(name) decltype(&::name) name = nullptr;
  BJ_LIBCURL_FUNCTIONS(BJ_LIBCURL_MEMBER)
#undef BJ_LIBCURL_MEMBER

  // Loads the library at the first call.
  static const Result<Libcurl>& Get();

 private:
  static Result<Libcurl> Load();
};

}  // namespace belljar::http::client
