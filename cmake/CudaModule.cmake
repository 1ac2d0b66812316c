# Everything for a GPU: a static library, which the tests link, and the module around it that the
# program loads when a GPU is asked for (mom/gpu/gpu.h). The module has copies of thinwire's libraries of
# its own and exports nothing but its entries.
get_property(sources GLOBAL PROPERTY THINWIRE_GPU_SOURCES)
set(entries ${PROJECT_SOURCE_DIR}/mom/schedule/device_module.cpp
            ${PROJECT_SOURCE_DIR}/bench/device_papers_gpu.cpp)
list(REMOVE_ITEM sources ${entries})
add_library(thinwire_gpu STATIC ${sources})
add_library(thinwire::gpu ALIAS thinwire_gpu)
set_target_properties(thinwire_gpu PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_link_libraries(thinwire_gpu PUBLIC thinwire::mom PRIVATE CUDA::cublas CUDA::cusolver CUDA::cufft
                                                        CUDA::cusparse fmt::fmt)
thinwire_compile_options(thinwire_gpu)
thinwire_precompile(thinwire_gpu)

add_library(thinwire_cuda MODULE ${entries})
set_target_properties(thinwire_cuda PROPERTIES LIBRARY_OUTPUT_DIRECTORY
                                               ${PROJECT_BINARY_DIR}/lib/thinwire)
target_include_directories(thinwire_cuda PRIVATE ${PROJECT_BINARY_DIR}/generated)
target_link_libraries(thinwire_cuda PRIVATE thinwire_gpu fmt::fmt)
target_link_options(thinwire_cuda PRIVATE -Wl,--exclude-libs,ALL -Wl,-Bsymbolic)
thinwire_compile_options(thinwire_cuda)
install(TARGETS thinwire_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/thinwire
        COMPONENT program)
