# How everything here is compiled: language, build type, warnings, sanitizers.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

# In the names of shared libraries; lib/CHANGELOG.md says what stays alike.
set(nadi_abi_version ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# Files are compiled in batches: in about half the time. Off under sanitizers, where a file is often
# built again, and wherever asked.
if(is_top_level AND NOT DEFINED CMAKE_UNITY_BUILD AND NOT NADI_SANITIZE)
  set(CMAKE_UNITY_BUILD ON)
endif()

# add_sources(TARGET FOLDER FILE... [BATCH FILE...]...): adds files of FOLDER to the target. Those
# behind a word BATCH, up to the next, are compiled as one file, so names in their unnamed namespaces
# must differ. Where the compiler says that a name of one file redefines, shadows or is mistaken for
# that of another, move one of the two files to another batch, or in front of all: what stands there
# is compiled alone, and may use any name. A new file may stand there, too, for a second or two.
function(add_sources target folder)
  set(batch 0)
  foreach(file IN LISTS ARGN)
    if(file STREQUAL BATCH)
      math(EXPR batch "${batch} + 1")
      continue()
    endif()
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/${folder} NORMALIZE)
    target_sources(${target} PRIVATE ${file})
    if(batch GREATER 0)
      set_source_files_properties(${file} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${batch})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()

set(nadi_warnings -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND nadi_warnings -Wno-restrict)  # false alarms on std::string, GCC bug 105651
endif()
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # Warns of what is not in the file given to the compiler, which is never so in a batch.
  list(APPEND nadi_warnings -Wno-subobject-linkage)
endif()
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  list(APPEND nadi_warnings -Wno-shadow)  # takes constants of another file of the batch for shadowed
endif()
if(NADI_WERROR)
  list(APPEND nadi_warnings -Werror)
endif()

if(NADI_SANITIZE AND NOT NADI_SANITIZE MATCHES "^(address,undefined|address|undefined|thread)$")
  message(FATAL_ERROR "NADI_SANITIZE is '${NADI_SANITIZE}'. Use address,undefined or thread, or leave it empty")
endif()
if(NADI_SANITIZE)
  add_compile_options(-fsanitize=${NADI_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${NADI_SANITIZE})
endif()

if(NADI_BUILD_FUZZERS)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "NADI_BUILD_FUZZERS needs clang. Configure with -DCMAKE_CXX_COMPILER=clang++")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Recipes and bridge are included as nadi/converters/… and nadi/sim_bridge/…, as once installed.
set(nadi_linked_include ${PROJECT_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${nadi_linked_include}/nadi)
foreach(folder converters sim_bridge)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${nadi_linked_include}/nadi/${folder} SYMBOLIC)
endforeach()
