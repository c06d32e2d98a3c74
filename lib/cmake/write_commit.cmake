# Fills TEMPLATE with the commit that GIT, a command with its options, tells, and writes it as SOURCE:
#   cmake -DGIT=… -DTEMPLATE=… -DSOURCE=… -P write_commit.cmake
execute_process(COMMAND ${GIT} rev-parse --short=8 HEAD
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
file(READ ${TEMPLATE} text)
string(CONFIGURE "${text}" text @ONLY)
file(WRITE ${SOURCE} "${text}")  # also where nothing changes, so that it is newer than HEAD
