# Precompiled headers of what nearly every file includes: 1.4 s of CPU less for each (docs/architecture.md). Two of
# them: for the product, and for tests, which also include GoogleTest. The preset `release` has them; sources say
# all that they include, so that both build.
option(COUPLET_PCH "precompile the headers of the standard library, Eigen, fmt and GoogleTest" OFF)

set(headers <algorithm> <array> <cmath> <complex> <cstdint> <fstream> <functional> <limits> <map> <memory>
    <numeric> <optional> <set> <span> <sstream> <string> <string_view> <unordered_map> <unordered_set> <utility> <variant>
    <vector> <fmt/format.h> <Eigen/Dense>)

# couplet_precompiled(TARGET WITH...): the target that owns a precompiled header.
function(couplet_precompiled name)
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/cmake/precompiled.cpp)
  target_link_libraries(${name} PRIVATE ${ARGN})
  set(all ${headers})
  if("GTest::gmock" IN_LIST ARGN)
    list(APPEND all <gmock/gmock.h> <gtest/gtest.h>)
  endif()
  target_precompile_headers(${name} PRIVATE ${all})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # Two runs of the compiler make different bytes of the same headers. ccache takes this file for them (its setting
    # pch_external_checksum), so that folders share objects.
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.dir)
    file(CONFIGURE OUTPUT ${folder}/cmake_pch.hxx.gch.sum @ONLY CONTENT
      "@all@ @CMAKE_CXX_COMPILER_VERSION@ @CMAKE_BUILD_TYPE@ @COUPLET_SANITIZE@ Eigen @Eigen3_VERSION@ fmt @fmt_VERSION@ GTest @GTest_VERSION@\n")
  endif()
endfunction()

if(COUPLET_PCH)
  if(CCACHE)  # what it must overlook
    set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=true ${CCACHE})
  endif()
  couplet_precompiled(precompiled_product fmt::fmt Eigen3::Eigen)
  couplet_precompiled(precompiled_tests fmt::fmt Eigen3::Eigen GTest::gtest GTest::gmock)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(-fpch-preprocess)  # for ccache
  endif()
endif()

# couplet_use_precompiled(TARGET product|tests)
function(couplet_use_precompiled name kind)
  if(COUPLET_PCH)
    target_precompile_headers(${name} REUSE_FROM precompiled_${kind})
    target_link_libraries(${name} PRIVATE fmt::fmt Eigen3::Eigen)  # the same definitions
  endif()
endfunction()
