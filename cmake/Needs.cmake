# What thinwire is built from, where CMake looks for it, and which packages have it: the recipes in
# packaging/ and examples/cluster/ install these, which tests/packaging/dependencies_test.py holds.

# thinwire_needs(NAME FOUND DEBIAN package... CONDA package...): notes it as missing if not FOUND.
function(thinwire_needs name found)
  cmake_parse_arguments(arg "" "" "DEBIAN;CONDA" ${ARGN})
  if(NOT found)
    set_property(GLOBAL APPEND PROPERTY THINWIRE_MISSING ${name})
    set_property(GLOBAL APPEND PROPERTY THINWIRE_MISSING_DEBIAN ${arg_DEBIAN})
    set_property(GLOBAL APPEND PROPERTY THINWIRE_MISSING_CONDA ${arg_CONDA})
  endif()
endfunction()

# thinwire_uses(NAME FOUND WITHOUT text DEBIAN package... CONDA package...): says what a build without
# it lacks.
function(thinwire_uses name found)
  cmake_parse_arguments(arg "" "WITHOUT" "DEBIAN;CONDA" ${ARGN})
  if(NOT found)
    list(JOIN arg_DEBIAN " " debian)
    list(JOIN arg_CONDA " " conda)
    message(STATUS "${name} was not found: ${arg_WITHOUT} (Debian and Ubuntu: ${debian}; "
                   "conda: ${conda})")
  endif()
endfunction()

# Stops with one line for all that is missing.
function(thinwire_check_needs)
  foreach(of "" _DEBIAN _CONDA)
    get_property(missing${of} GLOBAL PROPERTY THINWIRE_MISSING${of})
    list(REMOVE_DUPLICATES missing${of})
  endforeach()
  if(missing)
    list(JOIN missing ", " missing)
    list(JOIN missing_DEBIAN " " debian)
    list(JOIN missing_CONDA " " conda)
    # Text that begins with a space stays on one line.
    message(FATAL_ERROR
      " thinwire needs what was not found: ${missing}. Debian and Ubuntu: `sudo apt install ${debian}`; "
      "conda: `conda install -c conda-forge ${conda}`; elsewhere set CMAKE_PREFIX_PATH.")
  endif()
endfunction()
