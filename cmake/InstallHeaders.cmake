# Run at installation: copies the public `headers`, relative to `source`, and those that they include to
# <prefix>/`include`/thinwire. They name each other from the root of the source tree, "mom/solve.h"; another
# project names them <thinwire/mom/solve.h>, and so do the copies.
cmake_policy(SET CMP0057 NEW)  # if(IN_LIST)
set(left ${headers})
while(left)
  list(POP_FRONT left header)
  file(READ "${source}/${header}" text)
  string(REGEX MATCHALL "#include \"[a-z]+/[^\"]+\"" included "${text}")
  foreach(line ${included})
    string(REGEX REPLACE "#include \"(.*)\"" "\\1" name "${line}")
    if(NOT name IN_LIST headers)
      list(APPEND headers ${name})
      list(APPEND left ${name})
    endif()
  endforeach()
  string(REGEX REPLACE "#include \"([a-z]+/[^\"]+)\"" "#include <thinwire/\\1>" text "${text}")
  file(WRITE "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${include}/thinwire/${header}" "${text}")
endwhile()
