# Headers, libraries, CMake package and pkg-config file. The tool is installed by converters/.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/nadi)
set(package_build ${PROJECT_BINARY_DIR}/package)

# Three sets, so that a simulator that asks for sim_bridge alone needs protobuf alone, and a program
# that records needs nothing.
install(TARGETS nadi_record EXPORT nadi_record)
install(TARGETS nadi_schema nadi_sim_bridge EXPORT nadi_sim_bridge)
install(TARGETS nadi EXPORT nadi)
add_custom_target(nadi_installed)
foreach(target ${installed_targets})  # of install_check.cmake
  if(TARGET ${target})
    add_dependencies(nadi_installed ${target})
  endif()
endforeach()
install(EXPORT nadi_record NAMESPACE nadi:: DESTINATION ${package_folder} FILE nadi-record.cmake)
install(EXPORT nadi_sim_bridge NAMESPACE nadi:: DESTINATION ${package_folder} FILE nadi-sim_bridge.cmake)
install(EXPORT nadi NAMESPACE nadi:: DESTINATION ${package_folder} FILE nadi-nadi.cmake)

# What users include, and what that includes. Everything else may change between versions.
set(public_headers
  base/error.h chakra/chakra_check.h chakra/load_chakra_graph.h diff/diff_report.h emit/arrow_stream.h emit/chakra_json.h
  emit/chakra_writer.h events/event_table_reader.h graph/build.h
  link/link.h read/device_trace_reader.h read/host_trace_reader.h
  linked_json/joins.h linked_json/reader.h linked_json/writer.h
  record/record.h record/record_c.h
  converters/archive/convert_ranks.h converters/convert.h converters/diff/diff.h
  converters/doctor.h converters/events/event_columns.h converters/events/events.h
  converters/generate/generate.h converters/graph_tables.h converters/link.h converters/open_job.h
  converters/profile/profile.h converters/profile/profile_tables.h
  converters/profile/write_profile.h
  converters/text/convert_text.h
  sim_bridge/astra_sim/check.h sim_bridge/astra_sim/write_files.h sim_bridge/feeder/feeder.h
  sim_bridge/feeder/compat/feeder/et_feeder.h sim_bridge/feeder/compat/feeder_v3/et_feeder.h
  sim_bridge/goal/write_goal.h sim_bridge/replay/report.h)
set(installed_headers "")
while(public_headers)
  list(POP_FRONT public_headers header)
  if(header IN_LIST installed_headers)
    continue()
  endif()
  list(APPEND installed_headers ${header})
  set(file ${PROJECT_SOURCE_DIR}/${header})
  if(NOT header MATCHES "^(converters|sim_bridge)/")
    set(file ${PROJECT_SOURCE_DIR}/lib/nadi/${header})
  endif()
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${file} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/nadi/${folder})
  file(STRINGS ${file} includes REGEX "^#include \"nadi/")
  list(TRANSFORM includes REPLACE "^#include \"nadi/(.*)\".*" "\\1")
  list(APPEND public_headers ${includes})
endwhile()
# Simulators have these in their include paths as they are.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/sim_bridge/feeder/compat
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/nadi/sim_bridge/feeder FILES_MATCHING PATTERN *.h)
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
foreach(name nadi nadi-record nadi-sim_bridge)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in ${package_build}/${name}.pc @ONLY)
endforeach()
install(FILES ${package_build}/nadi.pc ${package_build}/nadi-record.pc ${package_build}/nadi-sim_bridge.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
