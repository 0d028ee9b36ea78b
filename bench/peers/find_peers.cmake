# The engines that Couplet is compared with, as packaged by Debian. Each that is installed becomes an
# interface library peer_<name>; none is ever linked into the product.
include_guard(GLOBAL)

# find_peer(NAME TITLE HEADER file SUFFIX folder LIBRARIES... OPTIONS... DEPENDS...)
function(find_peer name title)
  cmake_parse_arguments(ARG "" "HEADER;SUFFIX" "LIBRARIES;OPTIONS;DEPENDS" ${ARGN})
  find_path(PEER_${name}_INCLUDE ${ARG_HEADER} PATH_SUFFIXES ${ARG_SUFFIX})
  set(found ${PEER_${name}_INCLUDE})
  foreach(library ${ARG_LIBRARIES})
    find_library(PEER_${name}_${library} ${library})
    list(APPEND found ${PEER_${name}_${library}})
    list(APPEND libraries ${PEER_${name}_${library}})
    mark_as_advanced(PEER_${name}_${library})
  endforeach()
  mark_as_advanced(PEER_${name}_INCLUDE)
  foreach(item ${found})
    if(NOT item)
      message(STATUS "${title} not found: `make bench-peers` installs it")
      return()
    endif()
  endforeach()
  add_library(peer_${name} INTERFACE)
  target_include_directories(peer_${name} SYSTEM INTERFACE ${PEER_${name}_INCLUDE})
  target_link_libraries(peer_${name} INTERFACE ${libraries} ${ARG_DEPENDS})
  target_compile_options(peer_${name} INTERFACE ${ARG_OPTIONS})
endfunction()

# use_peer(TARGET NAME): links the engine. Simbody 3.7's headers are ambiguous in C++20 (reversed
# operator==), so its users are C++17; what they include must be too.
function(use_peer target name)
  target_link_libraries(${target} PRIVATE peer_${name})
  if(name STREQUAL simbody)
    set_target_properties(${target} PROPERTIES CXX_STANDARD 17)
  endif()
endfunction()

# Simbody's package is built with assertions, and the layout of its classes depends on NDEBUG.
find_peer(simbody "Simbody" HEADER Simbody.h SUFFIX simbody
          LIBRARIES SimTKsimbody SimTKmath SimTKcommon OPTIONS -UNDEBUG)
find_peer(mujoco "MuJoCo" HEADER mujoco/mujoco.h LIBRARIES mujoco)
# DART and KDL pass Eigen types across the library boundary: any -march flag here would change their
# alignment and break them.
find_peer(dart "DART" HEADER dart/dynamics/dynamics.hpp LIBRARIES dart DEPENDS Eigen3::Eigen)
find_peer(kdl "Orocos KDL" HEADER kdl/chain.hpp LIBRARIES orocos-kdl DEPENDS Eigen3::Eigen)
find_peer(bullet "Bullet (double precision)" HEADER BulletDynamics/Featherstone/btMultiBody.h
          SUFFIX bullet OPTIONS -DBT_USE_DOUBLE_PRECISION
          LIBRARIES BulletDynamics-float64 BulletCollision-float64 LinearMath-float64)
