# The program's version and git commit, as a generated header <thinwire/version.h>.
# `git archive` writes the commit here (.gitattributes). It goes first: the archive may be unpacked
# within another repository.
set(archived_commit "$Format:%h$")
if(archived_commit MATCHES "^[0-9a-f]+$")
  set(THINWIRE_GIT_COMMIT ${archived_commit})
else()
  set(THINWIRE_GIT_COMMIT "unknown")
  find_package(Git QUIET)
  if(Git_FOUND)
    # In a container the source may be another user's, which git refuses else.
    execute_process(COMMAND ${GIT_EXECUTABLE} -c safe.directory=${PROJECT_SOURCE_DIR}
                            -C ${PROJECT_SOURCE_DIR} describe --always --dirty
                    OUTPUT_VARIABLE git_commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(git_commit)
      set(THINWIRE_GIT_COMMIT ${git_commit})
    endif()
  endif()
endif()
# For people; where the commit matters to the program, its two parts.
set(THINWIRE_VERSION_TEXT "${PROJECT_VERSION} (${THINWIRE_GIT_COMMIT})")
if(THINWIRE_GIT_COMMIT STREQUAL "unknown")
  set(THINWIRE_VERSION_TEXT "${PROJECT_VERSION}")
endif()
# A wheel is put together in a temporary folder, which is no place to look for modules afterwards.
set(THINWIRE_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
if(SKBUILD)
  set(THINWIRE_INSTALL_PREFIX "")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/version.h.in
               ${PROJECT_BINARY_DIR}/generated/thinwire_version.h @ONLY)
