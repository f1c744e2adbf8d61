# bj_library(NAME SOURCES ... DEPS ... TESTS ...)
#
# One folder is one library is one namespace. DEPS are the folders it may use; tools/check_layers.py
# compares them with the #include lines. TESTS are unit tests, linked into one program, `unit_tests`.
set_property(GLOBAL PROPERTY BELLJAR_TEST_SOURCES "")
set_property(GLOBAL PROPERTY BELLJAR_TEST_LIBRARIES "")

function(bj_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;TESTS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_BINARY_DIR}/generated)
  target_link_libraries(${name} PUBLIC ${ARG_DEPS} PRIVATE belljar_flags)
  set_property(GLOBAL APPEND PROPERTY BELLJAR_TEST_LIBRARIES ${name})
  foreach(test ${ARG_TESTS})
    set_property(GLOBAL APPEND PROPERTY BELLJAR_TEST_SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/${test})
  endforeach()
endfunction()
