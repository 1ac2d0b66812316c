# libthinwire.so, all of the library but bench/ and papers/ in one file, as distributions want it. The program
# keeps the static libraries: it starts without the thirty that Debian's shared HDF5 loads.
set(parts kernels geometry cg mom io)
list(TRANSFORM parts REPLACE "(.+)" "$<TARGET_OBJECTS:thinwire_\\1>" OUTPUT_VARIABLE objects)
add_library(thinwire_shared SHARED ${objects})
add_library(thinwire::thinwire ALIAS thinwire_shared)
# Before 1.0 every minor version may change the interface (write_basic_package_version_file, too).
set_target_properties(
  thinwire_shared PROPERTIES OUTPUT_NAME thinwire EXPORT_NAME thinwire VERSION ${PROJECT_VERSION}
                             SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_include_directories(
  thinwire_shared INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(thinwire_shared INTERFACE cxx_std_20)
target_link_libraries(
  thinwire_shared PRIVATE OpenMP::OpenMP_CXX fmt::fmt nlohmann_json::nlohmann_json thinwire_lapacke
                          thinwire_hdf5 $<TARGET_NAME_IF_EXISTS:OpenSSL::Crypto>
                          $<TARGET_NAME_IF_EXISTS:thinwire_nlopt>)
# pkg-config finds the prefix from where the file lies: `cmake --install --prefix` may choose another.
file(RELATIVE_PATH prefix_from_pkgconfig /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/thinwire.pc.in ${PROJECT_BINARY_DIR}/thinwire.pc @ONLY)
