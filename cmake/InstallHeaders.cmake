# Run at installation, with `headers` relative to `source`: copies them to <prefix>/`include`/thinwire.
# They name each other from the root of the source tree, "mom/schedule/solve.h"; another project names them
# <thinwire/mom/solve.h>, and so do the copies.
foreach(header ${headers})
  file(READ "${source}/${header}" text)
  string(REGEX REPLACE "#include \"([a-z]+/[^\"]+)\"" "#include <thinwire/\\1>" text "${text}")
  file(WRITE "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${include}/thinwire/${header}" "${text}")
endforeach()
