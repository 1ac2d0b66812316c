# Windows, by mingw-w64. thinwire_posix: the POSIX calls that Windows lacks. It checks for the processor
# that all else is compiled for, one with AVX2: GCC cannot choose between clones of a function there.
set(posix ${PROJECT_BINARY_DIR}/generated/posix)
foreach(header dlfcn.h spawn.h sys/file.h sys/mman.h sys/resource.h sys/utsname.h sys/vfs.h)
  file(WRITE ${posix}/${header} "#include \"${PROJECT_SOURCE_DIR}/packaging/windows/posix.h\"\n")
endforeach()
include_directories(SYSTEM ${posix})
# Files of more than 2 GiB.
add_compile_options(-D_FILE_OFFSET_BITS=64 -D_WIN32_WINNT=0x0A00
                    "SHELL:-include ${PROJECT_SOURCE_DIR}/packaging/windows/posix.h")
add_library(thinwire_posix OBJECT ${PROJECT_SOURCE_DIR}/packaging/windows/posix.cpp)
target_link_options(thinwire_posix INTERFACE
                    LINKER:--wrap=main,--wrap=_ZNKSt7codecvtIwciE5do_inERiPKcS3_RS3_PwS5_RS5_)
# Stacks of Windows are aligned to 16 bytes only.
add_compile_options(-march=x86-64-v3 -Wa,-muse-unaligned-vector-move)
