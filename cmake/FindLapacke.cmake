# OpenBLAS and LAPACKE as Debian and Ubuntu ship them: headers lapacke.h and cblas.h.
find_library(OPENBLAS_LIBRARY openblas REQUIRED)
# Its static library where there is one: the shared one loads a second LAPACK beside OpenBLAS's.
find_library(LAPACKE_LIBRARY NAMES liblapacke.a lapacke REQUIRED)
find_path(LAPACKE_INCLUDE_DIR lapacke.h REQUIRED)
find_path(CBLAS_INCLUDE_DIR cblas.h REQUIRED
          PATH_SUFFIXES x86_64-linux-gnu aarch64-linux-gnu openblas)
add_library(thinwire_lapacke INTERFACE)
add_library(thinwire::lapacke ALIAS thinwire_lapacke)
target_link_libraries(thinwire_lapacke INTERFACE ${LAPACKE_LIBRARY} ${OPENBLAS_LIBRARY})
target_include_directories(
  thinwire_lapacke SYSTEM INTERFACE $<BUILD_INTERFACE:${LAPACKE_INCLUDE_DIR}>
                                    $<BUILD_INTERFACE:${CBLAS_INCLUDE_DIR}>)
