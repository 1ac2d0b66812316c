# OpenBLAS and LAPACKE as Debian and Ubuntu ship them: headers lapacke.h and cblas.h.
find_library(OPENBLAS_LIBRARY openblas)
# Its static library where there is one: the shared one loads a second LAPACK beside OpenBLAS's.
find_library(LAPACKE_LIBRARY NAMES liblapacke.a lapacke)
find_path(LAPACKE_INCLUDE_DIR lapacke.h)
find_path(OPENBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES x86_64-linux-gnu aarch64-linux-gnu openblas)
if(OPENBLAS_LIBRARY AND OPENBLAS_INCLUDE_DIR)
  set(openblas_found ON)
endif()
if(LAPACKE_LIBRARY AND LAPACKE_INCLUDE_DIR)
  set(lapacke_found ON)
endif()
thinwire_needs(OpenBLAS "${openblas_found}" DEBIAN libopenblas-dev CONDA openblas)
thinwire_needs(LAPACKE "${lapacke_found}" DEBIAN liblapacke-dev CONDA blas-devel)
add_library(thinwire_lapacke INTERFACE)
add_library(thinwire::lapacke ALIAS thinwire_lapacke)
target_link_libraries(thinwire_lapacke INTERFACE ${LAPACKE_LIBRARY} ${OPENBLAS_LIBRARY})
target_include_directories(
  thinwire_lapacke SYSTEM INTERFACE $<BUILD_INTERFACE:${LAPACKE_INCLUDE_DIR}>
                                    $<BUILD_INTERFACE:${OPENBLAS_INCLUDE_DIR}>)
