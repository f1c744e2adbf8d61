# Read by ctest: a test for each suite of the program BJ_TESTS. Its XML, Suite.xml, is in $GTEST_OUTPUT_FOLDER.
if(EXISTS ${BJ_TESTS})
  execute_process(COMMAND ${BJ_TESTS} --gtest_list_tests OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "\n[A-Za-z0-9_/]+\\." suites "\n${listed}")
  list(TRANSFORM suites STRIP)
  foreach(suite ${suites})
    string(REGEX REPLACE "\\.$" "" name ${suite})
    add_test(${name} ${BJ_TESTS} --gtest_filter=${suite}*
      --gtest_output=xml:$ENV{GTEST_OUTPUT_FOLDER}/${name}.xml)
    set_tests_properties(${name} PROPERTIES LABELS "${BJ_LABELS}" TIMEOUT 600)
  endforeach()
endif()
