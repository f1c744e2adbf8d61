# One interface target that every target of ours links: warnings are errors, and the hardening
# flags are on in every build but the sanitizers' (which bring their own checks).
add_library(belljar_flags INTERFACE)
target_compile_options(belljar_flags INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Werror -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees uninitialised members in the other alternative of every moved-from std::variant,
  # and overlapping copies in every `"text" + std::string` (its bug 105651).
  target_compile_options(belljar_flags INTERFACE -Wno-maybe-uninitialized -Wno-restrict)
endif()
if(BELLJAR_SANITIZE)
  target_compile_options(belljar_flags INTERFACE -fsanitize=${BELLJAR_SANITIZE})
  target_link_options(belljar_flags INTERFACE -fsanitize=${BELLJAR_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # Clang 14 cannot assemble coroutines with the check of calls through pointers.
    target_compile_options(belljar_flags INTERFACE -fno-sanitize=function)
  endif()
else()
  target_compile_options(belljar_flags INTERFACE
    -fstack-protector-strong -fcf-protection=full -ftrivial-auto-var-init=zero)
  target_link_options(belljar_flags INTERFACE -Wl,-z,relro,-z,now)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(belljar_flags INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
  endif()
endif()
if(BELLJAR_TEST_CONTROLS)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    message(FATAL_ERROR "BELLJAR_TEST_CONTROLS cannot exist in a release build")
  endif()
  target_compile_definitions(belljar_flags INTERFACE BELLJAR_TEST_CONTROLS)
endif()
