# Finds CUDA or leaves it out. Sets THINWIRE_WITH_CUDA and the architectures to build for.
set(THINWIRE_WITH_CUDA OFF)
# The first whose cudaGraphAddNode takes edge data, as the WHILE nodes of cg/ are added.
set(THINWIRE_OLDEST_CUDA 13.0)
if(NOT THINWIRE_CUDA STREQUAL "off")
  include(CheckLanguage)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    # `native` would fail on a machine without a GPU; `all-major` is right for a released build.
    set(CMAKE_CUDA_ARCHITECTURES all-major)
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
  endif()
  if(CMAKE_CUDA_COMPILER AND CMAKE_CUDA_COMPILER_VERSION VERSION_LESS THINWIRE_OLDEST_CUDA)
    set(too_old "${CMAKE_CUDA_COMPILER} is of CUDA ${CMAKE_CUDA_COMPILER_VERSION} (at least "
                "${THINWIRE_OLDEST_CUDA} is needed). Set CMAKE_CUDA_COMPILER to a newer nvcc, "
                "or configure with -DTHINWIRE_CUDA=off.")
    if(THINWIRE_CUDA STREQUAL "on")
      message(FATAL_ERROR ${too_old})
    endif()
    message(WARNING ${too_old})
  elseif(CMAKE_CUDA_COMPILER)
    find_package(CUDAToolkit REQUIRED)
    # CMake 3.25, which Debian 12 has, does not know nvcc's flag for C++20.
    if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    endif()
    set(CMAKE_CUDA_STANDARD 20)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    set(THINWIRE_WITH_CUDA ON)
  elseif(THINWIRE_CUDA STREQUAL "on")
    message(FATAL_ERROR "THINWIRE_CUDA=on but no CUDA compiler was found. "
                        "Put nvcc on PATH or set CMAKE_CUDA_COMPILER.")
  endif()
endif()
message(STATUS "thinwire: CUDA parts ${THINWIRE_WITH_CUDA}")
