#include "isolate/native/embedded.h"

// The paths come from CMake; the assembler reads the files.
#define BJ_EMBED(symbol, path)              \
  __asm__(                                  \
      ".pushsection .rodata\n"              \
      ".balign 16\n"                        \
      ".global " #symbol "_begin\n" #symbol \
      "_begin:\n"                           \
      ".incbin \"" path                     \
      "\"\n"                                \
      ".global " #symbol "_end\n" #symbol   \
      "_end:\n"                             \
      ".byte 0\n"                           \
      ".popsection\n");                     \
  extern "C" const char symbol##_begin[];   \
  extern "C" const char symbol##_end[]

BJ_EMBED(bj_agent, BJ_AGENT_PATH);
BJ_EMBED(bj_guest_py, BJ_GUEST_PY_PATH);
BJ_EMBED(bj_guest_js, BJ_GUEST_JS_PATH);
BJ_EMBED(bj_module, BJ_MODULE_PATH);
BJ_EMBED(bj_deterministic, BJ_DETERMINISTIC_PATH);

namespace belljar::isolate {
namespace {

std::string_view Between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

std::string_view AgentProgram() { return Between(bj_agent_begin, bj_agent_end); }
std::string_view GuestPython() { return Between(bj_guest_py_begin, bj_guest_py_end); }
std::string_view GuestJavaScript() { return Between(bj_guest_js_begin, bj_guest_js_end); }
std::string_view PythonModule() { return Between(bj_module_begin, bj_module_end); }
std::string_view DeterministicLibrary() {
  return Between(bj_deterministic_begin, bj_deterministic_end);
}

}  // namespace belljar::isolate
