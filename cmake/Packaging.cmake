# `cpack` makes three Debian packages: the program, the shared library, and what one builds with.
# scripts/package configures for it.
set(soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "thinwire developers <thinwire@localhost>" CACHE STRING
                                                                      "Maintainer of the packages")
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ
                                                GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL program library development)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
    "Reads the decks of NEC-2 and gives impedance, gain, currents, patterns and
near fields of wire antennas: the program, its manual page and its documents.")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
    "Reads the decks of NEC-2 and gives impedance, gain, currents, patterns and
near fields of wire antennas: the shared library.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "Reads the decks of NEC-2 and gives impedance, gain, currents, patterns and
near fields of wire antennas: headers, static libraries, CMake and pkg-config
files.")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME thinwire)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libthinwire${soversion})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/triggers)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libthinwire-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
# What the exported targets look for.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libthinwire${soversion} (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}), libfmt-dev, libhdf5-dev, liblapacke-dev, \
libopenblas-dev, nlohmann-json3-dev")
if(OpenSSL_FOUND)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libssl-dev")
endif()
if(TARGET thinwire_nlopt)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libnlopt-dev")
endif()
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/DebianFiles.cmake)
set(CPACK_THINWIRE_SOURCE ${PROJECT_SOURCE_DIR})
include(CPack)
