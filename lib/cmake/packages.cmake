# `cmake --build build -t package` makes Debian packages of what `cmake --install` copies: nadi, the tool,
# and libnadi-dev. package_files.cmake gives them the form that Debian asks for.
set(CPACK_GENERATOR DEB)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_CONTACT "nadi maintainers <maintainers@users.noreply.a-seed-389042f5.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/package_files.cmake)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS  # whatever the umask is
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_COMPONENTS_ALL nadi_dev)
set(CPACK_DEBIAN_NADI_DEV_PACKAGE_NAME libnadi-dev)
set(CPACK_DEBIAN_NADI_DEV_PACKAGE_SECTION libdevel)
# What lib/cmake/nadi-config.cmake.in and nadi.pc.in ask for.
set(CPACK_DEBIAN_NADI_DEV_PACKAGE_DEPENDS "libarchive-dev, libboost-dev (>= 1.74), libfmt-dev (>= 9), \
libprotobuf-dev (>= 3.21), libsimdjson-dev (>= 3.0), libsqlite3-dev (>= 3.34), nlohmann-json3-dev (>= 3.11)")
set(CPACK_COMPONENT_NADI_DEV_DESCRIPTION "PyTorch execution traces to Chakra graphs: library and simulator bridge
Headers, static libraries, CMake package and pkg-config files. The library
converts traces, feeds graphs to simulators, and records programs as traces.")

if(NADI_BUILD_TOOL)
  list(APPEND CPACK_COMPONENTS_ALL nadi_tool)
  set(CPACK_DEBIAN_NADI_TOOL_PACKAGE_NAME nadi)
  set(CPACK_DEBIAN_NADI_TOOL_PACKAGE_SECTION utils)
  set(CPACK_DEBIAN_NADI_TOOL_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_NADI_TOOL_PACKAGE_SUGGESTS graphviz)  # for nadi graph: SVG and PDF
  set(CPACK_COMPONENT_NADI_TOOL_DESCRIPTION "PyTorch execution traces to Chakra graphs that simulators run
Joins the host trace and the device trace of a training step, finds what had
to wait for what, and writes graphs for ASTRA-sim, GOAL and other simulators.")
endif()
if(TARGET nadi_python)
  list(APPEND CPACK_COMPONENTS_ALL nadi_python)
  get_target_property(interpreter_version nadi_python INTERPRETER_VERSION)
  math(EXPR next_minor "${interpreter_version} + 1")
  set(CPACK_DEBIAN_NADI_PYTHON_PACKAGE_NAME python3-nadi)
  set(CPACK_DEBIAN_NADI_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_NADI_PYTHON_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_NADI_PYTHON_PACKAGE_DEPENDS
    "python3 (>= 3.${interpreter_version}~), python3 (<< 3.${next_minor}), python3-numpy")
  set(CPACK_DEBIAN_NADI_PYTHON_PACKAGE_SUGGESTS "python3-pandas, python3-networkx, python3-matplotlib")
  set(CPACK_COMPONENT_NADI_PYTHON_DESCRIPTION "PyTorch execution traces as tables, graphs and profiles
A Python module: events, nodes and edges as NumPy arrays and DataFrames,
profiles, replays, what-ifs, and the comparisons of HTA.")
endif()
include(CPack)
