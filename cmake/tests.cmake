# bj_test(NAME LABELS label... SOURCES source... LINK library... [DEFINITIONS definition...])
#
# A program of GoogleTests. ctest knows each of its tests by its own name, Suite.Test, with these labels (unit:
# in every ./dev test; slow: with --full); it asks the program for them when it runs. A program that waits for
# nothing is done soonest; those under a sanitizer take long to start, and so ctest knows them by suite.
#
# Not optimised, for the time it takes: what is tested is.
include(GoogleTest)

function(bj_test name)
  cmake_parse_arguments(ARG "" "" "LABELS;SOURCES;LINK;DEFINITIONS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_compile_definitions(${name} PRIVATE ${ARG_DEFINITIONS})
  target_compile_options(${name} PRIVATE -O0)
  target_link_libraries(${name} PRIVATE belljar_flags ${ARG_LINK} GTest::gmock GTest::gtest_main)
  if(BELLJAR_JOINED)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 28)
    # Each its own: to share one would be to build one program of tests for another.
    target_precompile_headers(${name} PRIVATE ${common_headers} <gmock/gmock.h> <gtest/gtest.h>)
  endif()
  bj_discover_tests(${name} ${ARG_LABELS})
endfunction()

# bj_discover_tests(TARGET label...)
function(bj_discover_tests target)
  if(NOT BELLJAR_SANITIZE)
    gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
      PROPERTIES LABELS "${ARGN}" TIMEOUT 300)
    return()
  endif()
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake)
  file(GENERATE OUTPUT ${script} CONTENT "
set(BJ_TESTS [==[$<TARGET_FILE:${target}>]==])
set(BJ_LABELS [==[${ARGN}]==])
include([==[${CMAKE_SOURCE_DIR}/cmake/discover_suites.cmake]==])
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${script})
endfunction()
