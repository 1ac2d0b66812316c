# install and export: find_package(thinwire) then links thinwire::io, thinwire::mom, ... or, where it
# was built, the shared thinwire::thinwire. The components are those that Packaging.cmake divides
# into packages.
include(CMakePackageConfigHelpers)
set_target_properties(thinwire_lapacke PROPERTIES EXPORT_NAME lapacke)
set_target_properties(thinwire_hdf5 PROPERTIES EXPORT_NAME hdf5)
set(libraries thinwire_kernels thinwire_geometry thinwire_cg thinwire_mom thinwire_io thinwire_bench
              thinwire_papers thinwire_lapacke thinwire_hdf5)
if(TARGET thinwire_nlopt)
  set_target_properties(thinwire_nlopt PROPERTIES EXPORT_NAME nlopt)
  list(APPEND libraries thinwire_nlopt)
endif()
if(TARGET thinwire_shared)
  list(APPEND libraries thinwire_shared)
  install(FILES ${PROJECT_BINARY_DIR}/thinwire.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT development)
endif()
install(TARGETS ${libraries} EXPORT thinwire
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
                NAMELINK_COMPONENT development)
if(TARGET thinwire)
  install(TARGETS thinwire RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  # For programs that call nec2c by its name: PATH=<prefix>/libexec/thinwire:$PATH.
  set(nec2c_folder ${CMAKE_INSTALL_LIBEXECDIR}/thinwire)
  file(RELATIVE_PATH program_from_there /${nec2c_folder} /${CMAKE_INSTALL_BINDIR}/thinwire)
  string(PREPEND nec2c_folder "\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/")
  install(CODE "file(MAKE_DIRECTORY \"${nec2c_folder}\")
                file(CREATE_LINK \"${program_from_there}\" \"${nec2c_folder}/nec2c\" SYMBOLIC)"
          COMPONENT program)
  thinwire_install_shell_files(. COMPONENT program)
  install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
                ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md
                ${PROJECT_SOURCE_DIR}/LICENSE
          DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples
          DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program
          PATTERN requirements.txt EXCLUDE)
endif()
# docs/reference/cpp.md describes them; those that they include come with them.
set(headers mom/solve.h mom/problem/problem.h mom/problem/options.h mom/problem/solution.h
            geometry/structure.h io/deck/deck.h io/result/write_hdf5.h io/result/write_json.h
            io/result/write_listing.h kernels/base/error.h kernels/base/monitor.h)
install(CODE "set(headers \"${headers}\")
              set(source \"${PROJECT_SOURCE_DIR}\")
              set(include \"${CMAKE_INSTALL_INCLUDEDIR}\")"
        COMPONENT development)
install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/InstallHeaders.cmake COMPONENT development)
set(config ${CMAKE_INSTALL_LIBDIR}/cmake/thinwire)
install(EXPORT thinwire NAMESPACE thinwire:: FILE thinwire-targets.cmake DESTINATION ${config}
        COMPONENT development)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/thinwire-config.cmake.in
                              ${PROJECT_BINARY_DIR}/thinwire-config.cmake
                              INSTALL_DESTINATION ${config})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/thinwire-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/thinwire-config.cmake
              ${PROJECT_BINARY_DIR}/thinwire-config-version.cmake
        DESTINATION ${config} COMPONENT development)
