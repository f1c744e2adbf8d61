# bj_test(NAME [BY_SUITE] LABELS label... SOURCES source... LINK library... [DEFINITIONS definition...])
#
# A program of GoogleTests. ctest knows each of its tests by its own name, Suite.Test, with these labels (unit:
# in every ./dev test; slow: with --full); it asks the program for them when it runs. Where a suite makes what its
# tests share (BY_SUITE), and under a sanitizer, where a program takes long to start, it knows each suite.
#
# Not optimised, for the time it takes: what is tested is.
include(GoogleTest)

function(bj_test name)
  cmake_parse_arguments(ARG "BY_SUITE" "" "LABELS;SOURCES;LINK;DEFINITIONS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_compile_definitions(${name} PRIVATE ${ARG_DEFINITIONS})
  target_compile_options(${name} PRIVATE -O0)
  target_link_libraries(${name} PRIVATE belljar_flags ${ARG_LINK} GTest::gmock GTest::gtest_main)
  if(BELLJAR_JOINED)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 28)
    # Each its own: to share one would be to build one program of tests for another.
    target_precompile_headers(${name} PRIVATE ${common_headers} <gmock/gmock.h> <gtest/gtest.h>)
  endif()
  if(ARG_BY_SUITE OR BELLJAR_SANITIZE)
    bj_discover_suites(${name} ${ARG_LABELS})
  else()
    gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
      PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 300)
  endif()
endfunction()

# bj_discover_suites(TARGET label...)
function(bj_discover_suites target)
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake)
  file(GENERATE OUTPUT ${script} CONTENT "
set(BJ_TESTS [==[$<TARGET_FILE:${target}>]==])
set(BJ_LABELS [==[${ARGN}]==])
include([==[${CMAKE_SOURCE_DIR}/cmake/discover_suites.cmake]==])
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${script})
endfunction()
