// guest.py and its parts as the interpreter of an image has compiled them: it starts sooner, and a
// zygote that has not compiled it itself is smaller, and so are all its children.
//
// Compiled in a cell of the image, kept beside its image.json, run in cells of it only: whatever a
// hostile image makes of it stays with that image. Without it cells run guest.py.
#pragma once

#include <string>
#include <string_view>

#include "cell/image/store.h"
#include "foundation/base/result.h"

namespace belljar::cell::native {

// What the program that compiles it (CompileProgram, embedded.h) leaves in its workspace.
inline constexpr std::string_view kCompiledGuest = "guest.pyc";

// Empty when there is none for this build's guest.
std::string ReadCompiledGuest(const image::Image& image);
Result<> KeepCompiledGuest(const image::Image& image, std::string_view bytes);

}  // namespace belljar::cell::native
