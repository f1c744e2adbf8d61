// Utf8Names: while it lives, this thread's names of files are UTF-8 to libarchive.
//
// libarchive converts names between an archive's UTF-8 and the character set of the locale, and
// Belljar runs in "C", whatever its environment says: there no name beyond ASCII can be read, and
// for one that cannot be written libarchive reads from a null pointer. To set the locale of the
// process would change what every other thread does; this changes one thread's, and back again.
#pragma once

#include <locale.h>

#include <utility>

#include "foundation/base/result.h"

namespace belljar::tree {

class Utf8Names {
 public:
  static Result<Utf8Names> Create() {
    // Part of glibc itself since 2.35, so that no file is needed for it. Made once, never freed.
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
