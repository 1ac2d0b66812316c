# thinwire_add_library(NAME [LIGHT | INNER_LOOPS] [LINK targets...]): one static library from the .cpp files of a
# folder and its rooms, so that a new file needs no edit here. What is for a GPU, .cu and device_*.cpp
# files, is put aside for the CUDA module (CudaModule.cmake); mpi_*.cpp files are for MpiModule.cmake.
# LIGHT, INNER_LOOPS: as thinwire_optimize_lightly() and thinwire_inner_loop_options() do.
function(thinwire_add_library name)
  cmake_parse_arguments(arg "LIGHT;INNER_LOOPS" "" "LINK;PRIVATE_LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  file(GLOB_RECURSE gpu_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cu
       ${CMAKE_CURRENT_SOURCE_DIR}/device_*.cpp)
  list(REMOVE_ITEM sources ${gpu_sources})
  list(FILTER sources EXCLUDE REGEX "/mpi_[a-z_]*\\.cpp$")
  set(target thinwire_${name})
  add_library(${target} STATIC ${sources})
  set_property(TARGET ${target} PROPERTY THINWIRE_GPU_SOURCES ${gpu_sources})
  add_library(thinwire::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_include_directories(
    ${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                     $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_BINARY_DIR}/generated)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PUBLIC ${arg_LINK} PRIVATE ${arg_PRIVATE_LINK})
  thinwire_compile_options(${target})
  if(arg_LIGHT)
    thinwire_optimize_lightly(${target})
  endif()
  if(arg_INNER_LOOPS)  # loops are best compiled by themselves
    thinwire_inner_loop_options(${target})
    thinwire_precompile(${target} SHARED_WITH thinwire_kernels)
  else()
    thinwire_unite(${target})
    # Precompiled headers serve targets of one level of optimisation.
    set(precompiled thinwire_cg)
    if(arg_LIGHT)
      set(precompiled thinwire_geometry)
    endif()
    thinwire_precompile(${target} SHARED_WITH ${precompiled})
  endif()
endfunction()

# Inner loops never read errno or floating-point flags, and gain from fused multiply-add and the widest
# vectors that the processor has.
function(thinwire_inner_loop_options target)
  target_compile_options(
    ${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-O3 -fno-math-errno -fno-trapping-math
                      -ffp-contract=fast>)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(
      ${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-mprefer-vector-width=512>)
  endif()
endfunction()

# Optimises release builds of TARGET less (-O1 instead of -O3), which halves the time of compiling:
# for code that spends its own time in memory, text and files, or in other libraries.
function(thinwire_optimize_lightly target)
  target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1>)
endfunction()

# thinwire_unite(TARGET [FILES]): compiles the files of TARGET many at a time, FILES or 26, for
# THINWIRE_UNITY: headers are then read, and templates instantiated, once for all of them. Names in
# unnamed namespaces must differ between them; a file of tests may have a namespace of its own around.
function(thinwire_unite target)
  if(NOT THINWIRE_UNITY)
    return()
  endif()
  set(files 26)
  if(ARGC GREATER 1)
    set(files ${ARGV1})
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files})
  # A local may have the name of something in another file.
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-shadow -Wshadow=local -Wno-subobject-linkage>
    $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-shadow>)
endfunction()

# Warnings and sanitizers, the same for libraries, program and tests.
function(thinwire_compile_options target)
  target_compile_options(
    ${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wnon-virtual-dtor>
                      # A product of complex numbers is four multiplications, not a library call.
                    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fcx-limited-range>
                      # Clang leaves some loops of OpenMP's simd as they are.
                    $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-pass-failed>
                    $<$<AND:$<BOOL:${THINWIRE_WERROR}>,$<COMPILE_LANGUAGE:CXX>>:-Werror>)
  if(THINWIRE_SANITIZE)
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${THINWIRE_SANITIZE} -fno-omit-frame-pointer>)
    target_link_options(${target} PUBLIC -fsanitize=${THINWIRE_SANITIZE})
  endif()
endfunction()

# thinwire_precompile(TARGET [SHARED_WITH OTHER] [HEADERS headers...]): lets the compiler read the
# standard headers, and HEADERS, once for all files of TARGET. That takes some seconds: OTHER's serve
# where flags and definitions are the same, and a target of a few files does without. So does one that
# thinwire_unite() was called for: GCC 12 crashes in -fipa-cp, a part of -O2, where it has both.
function(thinwire_precompile target)
  get_target_property(united ${target} UNITY_BUILD)
  if(united OR NOT THINWIRE_PRECOMPILE)
    return()
  endif()
  cmake_parse_arguments(arg "" "SHARED_WITH" "HEADERS" ${ARGN})
  if(arg_SHARED_WITH AND NOT arg_SHARED_WITH STREQUAL target)
    target_precompile_headers(${target} REUSE_FROM ${arg_SHARED_WITH})
  else()
    foreach(header ${PROJECT_SOURCE_DIR}/cmake/precompiled.h ${arg_HEADERS})
      target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${header}>")
    endforeach()
  endif()
  # GCC 12 forgets that these headers are the system's, and warns of what it inlines from them.
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread
                                     -Wno-restrict>)
endfunction()
