# bj_library(NAME [THREADLESS] SOURCES ... DEPS ... TESTS ... SLOW_TESTS ...)
#
# One folder is one library is one namespace. DEPS are the folders it may use; tools/check_layers.py
# compares them with the #include lines. TESTS are unit tests, linked into one program for each room,
# `unit_ROOM`, which is done in seconds; those that take seconds each are SLOW_TESTS, linked into
# `slow_tests`. The unit tests of a THREADLESS folder start no thread: the thread sanitizer goes
# without them.
set_property(GLOBAL PROPERTY BELLJAR_ROOMS "")
set_property(GLOBAL PROPERTY BELLJAR_SLOW_TEST_SOURCES "")

# What nearly every file includes, read once for all of them.
set(common_headers <algorithm> <chrono> <filesystem> <functional> <map> <memory> <mutex> <optional>
  <set> <span> <string> <string_view> <thread> <variant> <vector> <boost/json.hpp> <fmt/format.h>)
if(BELLJAR_JOINED)
  file(WRITE ${CMAKE_BINARY_DIR}/generated/common_headers.cc "")
  add_library(common_headers STATIC ${CMAKE_BINARY_DIR}/generated/common_headers.cc)
  target_link_libraries(common_headers PRIVATE belljar_hardened Boost::json fmt::fmt)
  target_precompile_headers(common_headers PRIVATE ${common_headers})
endif()

function(bj_library name)
  cmake_parse_arguments(ARG "THREADLESS" "" "SOURCES;DEPS;TESTS;SLOW_TESTS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_BINARY_DIR}/generated)
  target_link_libraries(${name} PUBLIC ${ARG_DEPS} PRIVATE belljar_hardened)
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${BELLJAR_JOINED} UNITY_BUILD_BATCH_SIZE 16)
  if(BELLJAR_JOINED)
    target_precompile_headers(${name} REUSE_FROM common_headers)
  endif()
  if(ARG_THREADLESS AND BELLJAR_SANITIZE STREQUAL "thread")
    return()
  endif()
  file(RELATIVE_PATH room ${CMAKE_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  string(REGEX REPLACE "/.*" "" room ${room})
  set_property(GLOBAL APPEND PROPERTY BELLJAR_ROOMS ${room})
  set_property(GLOBAL APPEND PROPERTY BELLJAR_LIBRARIES_${room} ${name})
  list(TRANSFORM ARG_TESTS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(TRANSFORM ARG_SLOW_TESTS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set_property(GLOBAL APPEND PROPERTY BELLJAR_TESTS_${room} ${ARG_TESTS})
  set_property(GLOBAL APPEND PROPERTY BELLJAR_SLOW_TEST_SOURCES ${ARG_SLOW_TESTS})
endfunction()

# bj_released(NAME ARCHIVE... DEPS ...): for the thread sanitizer, a library that starts no thread and
# takes long to build, as the release preset has built it.
function(bj_released name)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  set(folder ${CMAKE_SOURCE_DIR}/build/release/${folder})
  set(archives ${ARG_UNPARSED_ARGUMENTS})
  list(TRANSFORM archives PREPEND ${folder}/)
  add_library(${name} INTERFACE)
  target_include_directories(${name} INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_BINARY_DIR}/generated)
  target_link_libraries(${name} INTERFACE ${archives} ${ARG_DEPS})
endfunction()
