# belljar_flags: what every target of ours links. Warnings are errors.
add_library(belljar_flags INTERFACE)
target_compile_options(belljar_flags INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Werror -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees uninitialised members in the other alternative of every moved-from std::variant,
  # and copies that overlap or end beyond the text in every `"text" + std::string` (its bug 105651).
  target_compile_options(belljar_flags INTERFACE
    -Wno-maybe-uninitialized -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
else()
  # GCC's -Wconversion leaves this one out, in C++. Clang 14 takes `if consteval` to hold at run time,
  # too, and libstdc++ would copy every string byte by byte.
  target_compile_options(belljar_flags INTERFACE -Wno-sign-conversion -U__cpp_if_consteval)
endif()

# What ccache needs to know a precompiled header again.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(belljar_flags INTERFACE -fpch-preprocess)
else()
  target_compile_options(belljar_flags INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
endif()

# belljar_hardened: what the product links. The sanitizers bring checks of their own.
add_library(belljar_hardened INTERFACE)
target_link_libraries(belljar_hardened INTERFACE belljar_flags)
if(BELLJAR_SANITIZE)
  target_compile_options(belljar_flags INTERFACE -fsanitize=${BELLJAR_SANITIZE})
  target_link_options(belljar_flags INTERFACE -fsanitize=${BELLJAR_SANITIZE})
  if(BELLJAR_SANITIZE MATCHES "address")
    # The address sanitizer stops at null by itself, x86 has no use for alignment, and these two
    # would take as long to compile as all the others.
    target_compile_options(belljar_flags INTERFACE -fno-sanitize=null,alignment)
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # Clang 14 cannot assemble coroutines with the check of calls through pointers.
    target_compile_options(belljar_flags INTERFACE -fno-sanitize=function)
  endif()
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(belljar_hardened INTERFACE
    -fstack-protector-strong -fcf-protection=full -ftrivial-auto-var-init=zero)
  # Zeros are written by a few stores. `rep stos`, GCC's choice for all but the smallest locals, takes
  # longer to begin than those take.
  target_compile_options(belljar_hardened INTERFACE
    -mmemset-strategy=vector_loop:512:noalign,libcall:-1:noalign)
  target_link_options(belljar_hardened INTERFACE -Wl,-z,relro,-z,now)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(belljar_hardened INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
  endif()
endif()
