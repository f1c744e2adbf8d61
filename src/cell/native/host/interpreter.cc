#include "cell/native/host/interpreter.h"

namespace belljar::cell::native {

Result<> RequireInterpreter(const CellSpec& spec, const image::Image& image) {
  const bool node = spec.guest == GuestKind::kNode;
  if (spec.guest == GuestKind::kNative || !(node ? image.node : image.python).empty()) return {};
  return Error(Kind::kNotFound,
               "image \"" + image.name + "\" has no " + (node ? "Node" : "Python"));
}

std::vector<std::string> InterpreterArgs(const CellSpec& spec, const image::Image& image,
                                         const char* guest_path) {
  if (spec.guest == GuestKind::kNode) {
    std::vector<std::string> args = {image.node};
    if (spec.deterministic) {
      // V8 takes 31 bits, and zero means "random".
      const std::string seed = std::to_string(*spec.deterministic % 0x7FFFFFFF + 1);
      args.insert(args.end(), {"--random-seed=" + seed, "--hash-seed=" + seed});
    }
    args.push_back("/.belljar/guest.js");
    return args;
  }
  std::vector<std::string> args = {image.python, "-I", "-S", guest_path};
  // kPythonWarm comes here only in a container, where the interpreter is not cloned from a zygote
  // and prepares itself.
  if (spec.guest == GuestKind::kPythonWarm) {
    args.push_back("--waits");
    for (const std::string& module : image.preimport) {
      args.insert(args.end(), {"--preimport", module});
    }
  }
  for (const std::string& path : image.python_paths) args.insert(args.end(), {"--path", path});
  return args;
}

}  // namespace belljar::cell::native
