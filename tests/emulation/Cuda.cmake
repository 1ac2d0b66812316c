# In the translated tree this takes the place of cmake/Cuda.cmake: CUDA's headers, but no nvcc, and
# libraries that run on the CPU. CUDA sources are C++ (translate.py).
set(THINWIRE_WITH_CUDA ON)
find_program(THINWIRE_NVCC nvcc)
if(THINWIRE_NVCC)
  file(REAL_PATH ${THINWIRE_NVCC} nvcc_file)
  cmake_path(GET nvcc_file PARENT_PATH nvcc_folder)
endif()
find_path(THINWIRE_CUDA_HEADERS cuda_runtime.h
          HINTS "${CUDAToolkit_ROOT}" "${nvcc_folder}/.." PATH_SUFFIXES include
          targets/x86_64-linux/include)
if(NOT THINWIRE_CUDA_HEADERS)
  message(FATAL_ERROR "cuda_runtime.h was not found (neither beside nvcc nor in CUDAToolkit_ROOT). "
                      "Put nvcc on PATH or set -DCUDAToolkit_ROOT=FOLDER.")
endif()
add_subdirectory(tests/emulation)
foreach(library cudart cublas cusolver cufft cusparse)
  add_library(CUDA::${library} ALIAS emulated_cuda)
endforeach()

function(thinwire_translated_sources)
  file(GLOB_RECURSE translated CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/*.cu)
  set(headers ${PROJECT_SOURCE_DIR}/tests/emulation)
  set_source_files_properties(
    ${translated} DIRECTORY ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/tests
    PROPERTIES LANGUAGE CXX
               COMPILE_OPTIONS "-w;-I${headers}/headers;-include;${headers}/cuda_device.h")
endfunction()
# The folder tests/ is known by then.
cmake_language(DEFER CALL thinwire_translated_sources)
message(STATUS "thinwire: CUDA parts emulated, with the headers of ${THINWIRE_CUDA_HEADERS}")
