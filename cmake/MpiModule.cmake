# The module that the program loads when it is one of several processes (mom/schedule/load_ranks.h):
# all that calls MPI. It exports nothing but its entry.
if(THINWIRE_MPI STREQUAL "off")
  return()
endif()
find_package(MPI COMPONENTS C)
thinwire_uses(MPI "${MPI_C_FOUND}" WITHOUT "thinwire runs as one process"
              DEBIAN libopenmpi-dev openmpi-bin CONDA openmpi)
if(NOT TARGET MPI::MPI_C)
  if(THINWIRE_MPI STREQUAL "on")
    message(FATAL_ERROR "THINWIRE_MPI=on but no MPI was found. Install one (Debian and Ubuntu: "
                        "libopenmpi-dev) or set MPI_C_COMPILER.")
  endif()
  return()
endif()
add_library(thinwire_ranks STATIC ${PROJECT_SOURCE_DIR}/mom/schedule/mpi_ranks.cpp)
set_target_properties(thinwire_ranks PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(thinwire_ranks PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(thinwire_ranks PUBLIC MPI::MPI_C)
thinwire_compile_options(thinwire_ranks)

add_library(thinwire_mpi MODULE ${PROJECT_SOURCE_DIR}/mom/schedule/mpi_module.cpp)
set_target_properties(thinwire_mpi PROPERTIES LIBRARY_OUTPUT_DIRECTORY
                                              ${PROJECT_BINARY_DIR}/lib/thinwire)
target_include_directories(thinwire_mpi PRIVATE ${PROJECT_BINARY_DIR}/generated)
target_link_libraries(thinwire_mpi PRIVATE thinwire_ranks)
target_link_options(thinwire_mpi PRIVATE -Wl,--exclude-libs,ALL -Wl,-Bsymbolic)
thinwire_compile_options(thinwire_mpi)
install(TARGETS thinwire_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/thinwire
        COMPONENT program)
