# Headers, libraries, CMake package and pkg-config file. The tool is installed by converters/.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/nadi)
set(package_build ${PROJECT_BINARY_DIR}/package)

# Three sets, so that a simulator that asks for sim_bridge alone needs protobuf alone, and a program
# that records needs nothing.
install(TARGETS nadi_record EXPORT nadi_record)
install(TARGETS nadi_schema nadi_sim_bridge EXPORT nadi_sim_bridge)
install(TARGETS nadi EXPORT nadi)
install(EXPORT nadi_record NAMESPACE nadi:: DESTINATION ${package_folder} FILE nadi-record.cmake)
install(EXPORT nadi_sim_bridge NAMESPACE nadi:: DESTINATION ${package_folder} FILE nadi-sim_bridge.cmake)
install(EXPORT nadi NAMESPACE nadi:: DESTINATION ${package_folder} FILE nadi-nadi.cmake)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/lib/nadi DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN *.h)
foreach(folder converters sim_bridge)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/nadi
    FILES_MATCHING PATTERN *.h
    PATTERN cli EXCLUDE PATTERN html EXCLUDE)
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/schema/et_def.pb.h ${PROJECT_SOURCE_DIR}/schema/et_def.proto
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/nadi/schema)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/nadi-config.cmake.in
  ${package_build}/nadi-config.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${package_build}/nadi-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${package_build}/nadi-config.cmake ${package_build}/nadi-config-version.cmake
  DESTINATION ${package_folder})

# Relative, so that --prefix at install time and moved trees work.
file(RELATIVE_PATH nadi_pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(name nadi nadi-record)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in ${package_build}/${name}.pc @ONLY)
endforeach()
install(FILES ${package_build}/nadi.pc ${package_build}/nadi-record.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
