# The program's version and git commit, as a generated header <thinwire/version.h>.
find_package(Git QUIET)
set(THINWIRE_GIT_COMMIT "unknown")
if(Git_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${PROJECT_SOURCE_DIR} describe --always --dirty
                  OUTPUT_VARIABLE git_commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(git_commit)
    set(THINWIRE_GIT_COMMIT ${git_commit})
  endif()
endif()
# A wheel is put together in a temporary folder, which is no place to look for modules afterwards.
set(THINWIRE_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
if(SKBUILD)
  set(THINWIRE_INSTALL_PREFIX "")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/version.h.in
               ${PROJECT_BINARY_DIR}/generated/thinwire_version.h @ONLY)
