# Everything for a GPU: static libraries, which the tests link, and the module around them that the
# program loads when a GPU is asked for (mom/gpu/gpu.h). The module has copies of thinwire's libraries of
# its own and exports nothing but its entries, each in a file device_module.cpp.

# thinwire_add_gpu_library(NAME FROM libraries... LINK targets...): a static library of what
# thinwire_add_library() put aside of some libraries, whose entries become the module's.
function(thinwire_add_gpu_library name)
  cmake_parse_arguments(arg "" "" "FROM;LINK;PRIVATE_LINK" ${ARGN})
  foreach(library ${arg_FROM})
    get_property(of_library TARGET thinwire_${library} PROPERTY THINWIRE_GPU_SOURCES)
    list(APPEND sources ${of_library})
  endforeach()
  set(entries ${sources})
  list(FILTER entries INCLUDE REGEX "/device_module\\.cpp$")
  list(REMOVE_ITEM sources ${entries})
  set(target thinwire_${name})
  if(THINWIRE_UNITY)
    thinwire_unite_cuda(${target} sources)
  endif()
  add_library(${target} STATIC ${sources})
  add_library(thinwire::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(${target} PUBLIC ${arg_LINK} PRIVATE ${arg_PRIVATE_LINK} fmt::fmt)
  thinwire_compile_options(${target})
  thinwire_precompile(${target} SHARED_WITH thinwire_gpu)
  target_sources(thinwire_cuda PRIVATE ${entries})
  target_link_libraries(thinwire_cuda PRIVATE ${target})
endfunction()

# thinwire_unite_cuda(TARGET LIST): replaces the .cu files in the list LIST by files that include 13
# of them each, as thinwire_unite() does for C++: most of nvcc's time goes into headers. CMake knows this
# for CUDA from 3.31 on.
function(thinwire_unite_cuda target list)
  set(rest ${${list}})
  set(cuda ${rest})
  list(FILTER cuda INCLUDE REGEX "\\.cu$")
  list(REMOVE_ITEM rest ${cuda})
  set(number 0)
  while(cuda)
    set(text "")
    foreach(count RANGE 1 13)
      list(POP_FRONT cuda file)
      if(file)
        string(APPEND text "#include \"${file}\"\n")
      endif()
    endforeach()
    set(united ${PROJECT_BINARY_DIR}/generated/${target}/unity_${number}.cu)
    file(CONFIGURE OUTPUT ${united} CONTENT "${text}")
    list(APPEND rest ${united})
    math(EXPR number "${number} + 1")
  endwhile()
  set(${list} ${rest} PARENT_SCOPE)
endfunction()

add_library(thinwire_cuda MODULE)
set_target_properties(thinwire_cuda PROPERTIES LIBRARY_OUTPUT_DIRECTORY
                                               ${PROJECT_BINARY_DIR}/lib/thinwire)
target_include_directories(thinwire_cuda PRIVATE ${PROJECT_BINARY_DIR}/generated)
target_link_libraries(thinwire_cuda PRIVATE fmt::fmt)
target_link_options(thinwire_cuda PRIVATE -Wl,--exclude-libs,ALL -Wl,-Bsymbolic)
thinwire_compile_options(thinwire_cuda)
install(TARGETS thinwire_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/thinwire
        COMPONENT program)

thinwire_add_gpu_library(gpu FROM kernels geometry cg mom io bench LINK thinwire::mom
                         PRIVATE_LINK CUDA::cublas CUDA::cusolver CUDA::cufft)
