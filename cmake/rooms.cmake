option(COUPLET_GROUPS "compile the files of a room in groups: half the time from nothing, more after a change" OFF)
set(COUPLET_APART "" CACHE STRING "rooms that are worked on, e.g. math;modelica: their files compile one by one all the same")

# couplet_room(NAME SOURCES... DEPENDS rooms or libraries...): one library per room. Tests of a room
# are src/couplet/<room>/tests/*_test.cpp, one program per room, registered with CTest. SOURCES compile
# in groups (COUPLET_GROUPS), so that what they keep to themselves needs names of its own within the room;
# except SINGLES of them, the entries of lists among others.
function(couplet_room name)
  cmake_parse_arguments(ARG "" "" "SOURCES;SINGLES;DEPENDS;TEST_DEPENDS" ${ARGN})
  string(REPLACE "/" "_" target ${name})
  if(ARG_SOURCES)
    add_library(couplet_${target} STATIC ${ARG_SOURCES})
    set(grouped ${COUPLET_GROUPS})
    if(name IN_LIST COUPLET_APART)
      set(grouped OFF)
    endif()
    set_target_properties(couplet_${target} PROPERTIES UNITY_BUILD ${grouped} UNITY_BUILD_BATCH_SIZE 8)
    set_source_files_properties(${ARG_SINGLES} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    couplet_use_precompiled(couplet_${target} product)
    set(scope PUBLIC)
  else()
    add_library(couplet_${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(couplet_${target} ${scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                             $<INSTALL_INTERFACE:include>)
  target_link_libraries(couplet_${target} ${scope} ${ARG_DEPENDS})
  target_compile_features(couplet_${target} ${scope} cxx_std_20)
  set_property(GLOBAL APPEND PROPERTY COUPLET_ROOMS couplet_${target})

  file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/tests/*_test.cpp)
  if(tests)
    couplet_test(${target}_tests SOURCES ${tests} DEPENDS couplet_${target} ${ARG_TEST_DEPENDS}
                 LABEL unit)
  endif()
endfunction()

# couplet_test(NAME SOURCES... DEPENDS... LABEL unit|verification|acceptance): a GoogleTest program.
function(couplet_test name)
  cmake_parse_arguments(ARG "" "LABEL" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} GTest::gtest GTest::gmock GTest::gtest_main)
  couplet_use_precompiled(${name} tests)
  target_compile_definitions(${name} PRIVATE COUPLET_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_BINARY_DIR})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABEL}" TIMEOUT 900)
endfunction()
