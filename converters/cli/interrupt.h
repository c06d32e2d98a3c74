// Cleans up when the tool is told to stop.
#pragma once

namespace nadi::cli {

/// From here on SIGINT, SIGTERM and SIGHUP remove the files that are half written, say which
/// outputs will not appear, and end the process as these signals do. Call before any other thread
/// begins.
void watch_for_interrupts();

}  // namespace nadi::cli
