// guest.py as the interpreter of an image has compiled it: it starts sooner, and a zygote that has
// not compiled it itself is smaller, and so are all its children.
//
// Compiled in a cell of the image, kept beside its image.json, run in cells of it only: whatever a
// hostile image makes of it stays with that image. Without it cells run guest.py.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "image/store.h"

namespace belljar::isolate {

// A Python program that leaves the compiled guest in its workspace under kCompiledGuest.
inline constexpr std::string_view kCompileProgram =
    "import py_compile\n"
    "py_compile.compile('/.belljar/guest.py', '/workspace/guest.pyc', doraise=True,\n"
    "    invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)\n";
inline constexpr std::string_view kCompiledGuest = "guest.pyc";

// Empty when there is none for this build's guest.py.
std::string ReadCompiledGuest(const image::Image& image);
Result<> KeepCompiledGuest(const image::Image& image, std::string_view bytes);

}  // namespace belljar::isolate
