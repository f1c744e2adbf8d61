# Read by ctest: a test for each suite of the program BJ_TESTS. What its tests have said is in Suite.xml of
# $GTEST_OUTPUT_FOLDER, or of the folder where the program is.
if(DEFINED ENV{GTEST_OUTPUT_FOLDER})
  set(folder $ENV{GTEST_OUTPUT_FOLDER})
else()
  get_filename_component(folder ${BJ_TESTS} DIRECTORY)
  set(folder ${folder}/gtest)
endif()
if(EXISTS ${BJ_TESTS})
  execute_process(COMMAND ${BJ_TESTS} --gtest_list_tests OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "\n[A-Za-z0-9_/]+\\." suites "\n${listed}")
  list(TRANSFORM suites STRIP)
  foreach(suite ${suites})
    string(REGEX REPLACE "\\.$" "" name ${suite})
    add_test(${name} ${BJ_TESTS} --gtest_filter=${suite}*
      --gtest_output=xml:${folder}/${name}.xml)
    set_tests_properties(${name} PROPERTIES LABELS "${BJ_LABELS}" TIMEOUT 600)
  endforeach()
endif()
