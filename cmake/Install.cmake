# install and export: find_package(thinwire) then links thinwire::io, thinwire::mom, ...
include(CMakePackageConfigHelpers)
set_target_properties(thinwire_lapacke PROPERTIES EXPORT_NAME lapacke)
set_target_properties(thinwire_hdf5 PROPERTIES EXPORT_NAME hdf5)
if(TARGET thinwire_nlopt)
  set_target_properties(thinwire_nlopt PROPERTIES EXPORT_NAME nlopt)
  set(nlopt thinwire_nlopt)
endif()
install(TARGETS thinwire_kernels thinwire_geometry thinwire_cg thinwire_mom thinwire_io thinwire_bench
                thinwire_lapacke thinwire_hdf5 ${nlopt} EXPORT thinwire
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET thinwire)
  install(TARGETS thinwire RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(NOT CMAKE_CROSSCOMPILING)
    install(FILES ${PROJECT_BINARY_DIR}/cli/thinwire.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  endif()
  set(completion ${PROJECT_SOURCE_DIR}/cli/completion)
  install(FILES ${completion}/thinwire.bash RENAME thinwire
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${completion}/_thinwire
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${completion}/thinwire.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
                ${PROJECT_SOURCE_DIR}/LICENSE
          DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples
          DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} kernels/*.h geometry/*.h
     cg/*.h mom/*.h io/*.h bench/*.h)
install(CODE "set(headers \"${headers}\")
              set(source \"${PROJECT_SOURCE_DIR}\")
              set(include \"${CMAKE_INSTALL_INCLUDEDIR}\")")
install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/InstallHeaders.cmake)
install(EXPORT thinwire NAMESPACE thinwire:: FILE thinwire-targets.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/thinwire)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/thinwire-config.cmake.in
                              ${PROJECT_BINARY_DIR}/thinwire-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/thinwire)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/thinwire-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/thinwire-config.cmake
              ${PROJECT_BINARY_DIR}/thinwire-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/thinwire)
