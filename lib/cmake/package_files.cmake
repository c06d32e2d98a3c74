# cpack runs this before it packs: gives what `cmake --install` has copied the form that Debian asks for,
# and adds licence and changelog, which each package must have.
find_program(gzip gzip REQUIRED)
find_program(strip strip REQUIRED)

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
get_filename_component(sources ${CPACK_RESOURCE_FILE_LICENSE} DIRECTORY)
file(READ ${CPACK_RESOURCE_FILE_LICENSE} licence)
file(READ ${sources}/converters/html/page/licences.html licences_of_pages)

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(prefix ${CPACK_TEMPORARY_DIRECTORY}/${component}${CPACK_PACKAGING_INSTALL_PREFIX})
  set(documents ${prefix}/share/doc/${package})
  file(WRITE ${documents}/copyright "${licence}")
  if(component STREQUAL nadi_tool)
    file(APPEND ${documents}/copyright "\nIts pages for a browser:\n\n${licences_of_pages}")
    # Where Debian's zsh looks.
    file(RENAME ${prefix}/share/zsh/site-functions ${prefix}/share/zsh/vendor-completions)
  endif()
  if(component STREQUAL nadi_python)
    file(GLOB folder ${prefix}/lib/python3.*)  # below /usr there is one for all versions
    file(RENAME ${folder} ${prefix}/lib/python3)
  endif()
  file(WRITE ${documents}/changelog "${package} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n
  * What users notice is said in lib/CHANGELOG.md of the sources.\n
 -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  file(GLOB pages ${prefix}/share/man/man1/*.1)
  execute_process(COMMAND ${gzip} -9n ${documents}/changelog ${pages} COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB_RECURSE libraries ${prefix}/*.a)
  if(libraries)
    execute_process(COMMAND ${strip} --strip-debug --enable-deterministic-archives ${libraries}
      COMMAND_ERROR_IS_FATAL ANY)
  endif()
endforeach()
