# HDF5, as thinwire::hdf5. The static library where there is one: Debian's shared one brings curl, and
# curl thirty libraries more, which take as long to load as a small antenna takes to solve.
if(NOT DEFINED HDF5_USE_STATIC_LIBRARIES)
  set(HDF5_USE_STATIC_LIBRARIES ON)
endif()
find_package(HDF5 QUIET COMPONENTS C HL)
thinwire_needs(HDF5 "${HDF5_FOUND}" DEBIAN libhdf5-dev CONDA hdf5)
add_library(thinwire_hdf5 INTERFACE)
add_library(thinwire::hdf5 ALIAS thinwire_hdf5)
set(libraries ${HDF5_HL_LIBRARIES} ${HDF5_C_LIBRARIES})
if((THINWIRE_PYTHON OR THINWIRE_SHARED) AND HDF5_USE_STATIC_LIBRARIES)
  # Debian's static library cannot be part of a shared one, as Python's extension is.
  set(shared ${libraries})
  list(FILTER shared INCLUDE REGEX "/libhdf5(_hl)?\\.a$")
  list(TRANSFORM shared REPLACE "\\.a$" ".so")
  set(in_shared $<IN_LIST:$<TARGET_PROPERTY:TYPE>,MODULE_LIBRARY$<SEMICOLON>SHARED_LIBRARY>)
  set(libraries $<IF:${in_shared},${shared},${libraries}>)
endif()
target_link_libraries(thinwire_hdf5 INTERFACE "${libraries}")
# What HDF5 names as its own dependencies is more than is used of it here.
target_link_options(thinwire_hdf5 INTERFACE LINKER:--as-needed)
target_include_directories(thinwire_hdf5 SYSTEM INTERFACE $<BUILD_INTERFACE:${HDF5_INCLUDE_DIRS}>)
target_compile_definitions(thinwire_hdf5 INTERFACE ${HDF5_DEFINITIONS})
# A parallel HDF5 names MPI in its header and calls it: then each program that has HDF5 loads MPI, though
# nothing here asks HDF5 for parallel files (io/result/saved_matrix.h). A serial one is taken first.
if(HDF5_IS_PARALLEL)
  find_package(MPI COMPONENTS C)
  thinwire_needs(MPI "${MPI_C_FOUND}" DEBIAN libopenmpi-dev CONDA openmpi)
  target_link_libraries(thinwire_hdf5 INTERFACE ${MPI_C_LIBRARIES})
  target_include_directories(thinwire_hdf5 SYSTEM INTERFACE "$<BUILD_INTERFACE:${MPI_C_INCLUDE_DIRS}>")
  target_compile_definitions(thinwire_hdf5 INTERFACE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
endif()
