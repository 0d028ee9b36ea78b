# What `cmake --install build/release --prefix DIR` puts where: the program, headers, libraries with find_package(couplet), the
# Modelica library, man pages and completion, the last two printed by the program itself.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(rooms GLOBAL PROPERTY COUPLET_ROOMS)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/couplet)

install(TARGETS couplet RUNTIME)
install(TARGETS couplet_library ${rooms} EXPORT coupletTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/couplet)
install(DIRECTORY src/couplet DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h" PATTERN tests EXCLUDE)
install(DIRECTORY library/ DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/couplet/modelica)
install(EXPORT coupletTargets NAMESPACE couplet:: DESTINATION ${package})
configure_package_config_file(cmake/coupletConfig.cmake.in ${CMAKE_BINARY_DIR}/coupletConfig.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/coupletConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/coupletConfig.cmake ${CMAKE_BINARY_DIR}/coupletConfigVersion.cmake
        DESTINATION ${package})

install(CODE "
  set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATAROOTDIR}\")
  file(MAKE_DIRECTORY \${share}/man/man1)
  execute_process(COMMAND $<TARGET_FILE:couplet> man --overwrite --out \${share}/man/man1 COMMAND_ERROR_IS_FATAL ANY)
  foreach(each bash:bash-completion/completions/couplet zsh:zsh/site-functions/_couplet
               fish:fish/vendor_completions.d/couplet.fish)
    string(REPLACE : \";\" each \${each})
    list(GET each 0 shell)
    list(GET each 1 file)
    execute_process(COMMAND $<TARGET_FILE:couplet> completion \${shell} OUTPUT_VARIABLE script COMMAND_ERROR_IS_FATAL ANY)
    file(WRITE \${share}/\${file} \"\${script}\")
  endforeach()
  message(STATUS \"Installing: man pages and completion in \${share}\")")

# All that is installed, and no tests: `make install` builds this.
add_custom_target(installable DEPENDS couplet ${rooms})
