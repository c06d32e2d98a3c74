# add_commit_source(TARGET): adds build_commit.cc, which says the commit that is built (build_commit.h). It
# alone is written and compiled again when HEAD moves. Of sources that are no git checkout it says none.
function(add_commit_source target)
  find_program(NADI_GIT git DOC "git, which tells the commit that nadi --version says")
  mark_as_advanced(NADI_GIT)
  set(git ${NADI_GIT} --git-dir=${PROJECT_SOURCE_DIR}/.git)  # not that of a project around this one
  execute_process(COMMAND ${git} rev-parse --git-path logs/HEAD
    OUTPUT_VARIABLE head_log OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT EXISTS "${head_log}")
    set(head_log "")
  endif()
  set(template ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../converters/cli/build_commit.cc.in)
  set(script ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/write_commit.cmake)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/build_commit.cc)
  add_custom_command(OUTPUT ${source} DEPENDS ${template} ${script} ${head_log} VERBATIM
    COMMENT "Writing which commit is built"
    COMMAND ${CMAKE_COMMAND} "-DGIT=${git}" -DTEMPLATE=${template} -DSOURCE=${source} -P ${script})
  target_sources(${target} PRIVATE ${source})
endfunction()
