# Run by cpack on the files of each package: what Debian's policy asks of them.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share)
  set(documents ${root}/doc/${package})
  file(REMOVE ${documents}/LICENSE)
  file(COPY ${CPACK_THINWIRE_SOURCE}/packaging/debian/copyright DESTINATION ${documents})
  file(COPY_FILE ${CPACK_THINWIRE_SOURCE}/CHANGELOG.md ${documents}/changelog)
  set(version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
  file(WRITE ${documents}/changelog.Debian
       "${package} (${version}) unstable; urgency=medium\n\n  * Built from the sources by cpack.\n\n"
       " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  file(GLOB texts ${root}/man/man1/*.1 ${documents}/changelog*)
  execute_process(COMMAND gzip -9nf ${texts} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND chmod -R go-w,a+rX ${CPACK_TEMPORARY_DIRECTORY}/${component}
                  COMMAND_ERROR_IS_FATAL ANY)
endforeach()
