// Utf8Names: while it lives, libarchive treats file names on this thread as UTF-8.
//
// libarchive converts names between an archive's UTF-8 and the character set of the locale. Belljar
// runs in the locale "C", whatever its environment says: there, names beyond ASCII cannot be read,
// and for a name that it cannot convert libarchive dereferences a null pointer. Setting the locale
// of the process would affect all other threads; this sets that of one thread, and restores it.
#pragma once

#include <locale.h>

#include <utility>

#include "foundation/base/result.h"

namespace belljar::tree {

class Utf8Names {
 public:
  static Result<Utf8Names> Create() {
    // Built into glibc since 2.35, so no file is needed. Created once, never freed.
    static const ::locale_t utf8 = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    if (utf8 == nullptr) return Error(Kind::kUnavailable, "there is no locale C.UTF-8");
    return Utf8Names(::uselocale(utf8));
  }
  Utf8Names(Utf8Names&& other) noexcept : before_(std::exchange(other.before_, nullptr)) {}
  Utf8Names& operator=(Utf8Names&&) = delete;
  ~Utf8Names() {
    if (before_ != nullptr) ::uselocale(before_);
  }

 private:
  explicit Utf8Names(::locale_t before) : before_(before) {}

  ::locale_t before_;
};

}  // namespace belljar::tree
