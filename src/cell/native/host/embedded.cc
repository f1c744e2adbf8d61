#include "cell/native/host/embedded.h"

#include "foundation/base/embed.h"

// CMake defines the paths.
BJ_EMBED(bj_agent, BJ_AGENT_PATH);
BJ_EMBED(bj_binder, BJ_BINDER_PATH);
BJ_EMBED(bj_tools_client, BJ_TOOLS_CLIENT_PATH);
BJ_EMBED(bj_guest_py, BJ_PYTHON_PATH "/guest.py");
BJ_EMBED(bj_control_py, BJ_PYTHON_PATH "/control.py");
BJ_EMBED(bj_displays_py, BJ_PYTHON_PATH "/displays.py");
BJ_EMBED(bj_ending_py, BJ_PYTHON_PATH "/ending.py");
BJ_EMBED(bj_frames_py, BJ_GUEST_TABLES_PATH "/frames.py");
BJ_EMBED(bj_guard_py, BJ_PYTHON_PATH "/guard.py");
BJ_EMBED(bj_guard_rules_py, BJ_GUEST_TABLES_PATH "/guard_rules.py");
BJ_EMBED(bj_notebook_py, BJ_PYTHON_PATH "/notebook.py");
BJ_EMBED(bj_rich_py, BJ_PYTHON_PATH "/rich.py");
BJ_EMBED(bj_session_py, BJ_PYTHON_PATH "/session.py");
BJ_EMBED(bj_showing_py, BJ_PYTHON_PATH "/showing.py");
BJ_EMBED(bj_statements_py, BJ_PYTHON_PATH "/statements.py");
BJ_EMBED(bj_guest_js, BJ_NODE_PATH "/guest.js");
BJ_EMBED(bj_frames_js, BJ_GUEST_TABLES_PATH "/frames.js");
BJ_EMBED(bj_session_js, BJ_NODE_PATH "/session.js");
BJ_EMBED(bj_session_display_js, BJ_NODE_PATH "/session_display.js");
BJ_EMBED(bj_belljar_py, BJ_PYTHON_PATH "/library/belljar.py");
BJ_EMBED(bj_belljar_js, BJ_NODE_PATH "/library/belljar.js");
BJ_EMBED(bj_compile_py, BJ_PYTHON_PATH "/compile.py");
BJ_EMBED(bj_syntax_py, BJ_PYTHON_PATH "/syntax.py");
BJ_EMBED(bj_module, BJ_MODULE_PATH);
BJ_EMBED(bj_deterministic, BJ_DETERMINISTIC_PATH);
BJ_EMBED(bj_own_name, BJ_OWN_NAME_PATH);

namespace belljar::cell::native {
std::string_view AgentProgram() { return Between(bj_agent_begin, bj_agent_end); }
std::string_view BinderProgram() { return Between(bj_binder_begin, bj_binder_end); }
std::array<std::string_view, kGuestFileCount> GuestFiles() {
  return {Between(bj_guest_py_begin, bj_guest_py_end),
          Between(bj_control_py_begin, bj_control_py_end),
          Between(bj_displays_py_begin, bj_displays_py_end),
          Between(bj_ending_py_begin, bj_ending_py_end),
          Between(bj_frames_py_begin, bj_frames_py_end),
          Between(bj_guard_py_begin, bj_guard_py_end),
          Between(bj_guard_rules_py_begin, bj_guard_rules_py_end),
          Between(bj_notebook_py_begin, bj_notebook_py_end),
          Between(bj_rich_py_begin, bj_rich_py_end),
          Between(bj_session_py_begin, bj_session_py_end),
          Between(bj_showing_py_begin, bj_showing_py_end),
          Between(bj_statements_py_begin, bj_statements_py_end),
          Between(bj_guest_js_begin, bj_guest_js_end),
          Between(bj_frames_js_begin, bj_frames_js_end),
          Between(bj_session_js_begin, bj_session_js_end),
          Between(bj_session_display_js_begin, bj_session_display_js_end),
          Between(bj_belljar_py_begin, bj_belljar_py_end),
          Between(bj_belljar_js_begin, bj_belljar_js_end)};
}
std::string_view CompileProgram() { return Between(bj_compile_py_begin, bj_compile_py_end); }
std::string_view SyntaxProgram() { return Between(bj_syntax_py_begin, bj_syntax_py_end); }
std::string_view ToolsClient() { return Between(bj_tools_client_begin, bj_tools_client_end); }
std::string_view PythonModule() { return Between(bj_module_begin, bj_module_end); }
std::string_view DeterministicLibrary() {
  return Between(bj_deterministic_begin, bj_deterministic_end);
}
std::string_view OwnNameLibrary() { return Between(bj_own_name_begin, bj_own_name_end); }

}  // namespace belljar::cell::native
