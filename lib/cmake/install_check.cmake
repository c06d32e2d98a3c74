# `cmake --install` looks first whether all that it copies was built, and copies nothing otherwise.
# `cmake --build FOLDER -t nadi_installed` (install.cmake) builds all that.
set(installed_targets nadi_schema nadi_record nadi_sim_bridge nadi nadi_tool nadi_python)
foreach(target ${installed_targets})
  install(CODE "foreach(file $<$<TARGET_EXISTS:${target}>:\"$<TARGET_FILE:${target}>\">)
    if(NOT EXISTS \"\${file}\")
      cmake_path(GET file FILENAME name)
      list(APPEND nadi_missing \${name})
    endif()
  endforeach()" ALL_COMPONENTS)
endforeach()
install(CODE "if(nadi_missing)
    list(JOIN nadi_missing \", \" nadi_missing)
    message(FATAL_ERROR \"Nothing of nadi was installed, for these are not built: \"
      \"\${nadi_missing}. Build them first: cmake --build '${CMAKE_BINARY_DIR}'\")
  endif()" ALL_COMPONENTS)
