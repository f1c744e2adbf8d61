// guest.py and its modules as bytecode, compiled by the interpreter of an image. With it the guest
// starts sooner, and a zygote that need not compile uses less memory, as do all its children.
//
// It is compiled in a cell of the image, kept beside its image.json and run only in cells of that
// image, so a manipulated result of a hostile image affects that image only. Without a compiled
// guest, cells run guest.py.
#pragma once

#include <string>
#include <string_view>

#include "cell/image/store.h"
#include "foundation/base/result.h"

namespace belljar::cell::native {

// The file that CompileProgram (embedded.h) leaves in its workspace.
inline constexpr std::string_view kCompiledGuest = "guest.pyc";

// Empty when there is none for the guest of this build.
std::string ReadCompiledGuest(const image::Image& image);
Result<> KeepCompiledGuest(const image::Image& image, std::string_view bytes);

}  // namespace belljar::cell::native
