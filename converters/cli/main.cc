// Entry of the command-line tool.
#include "nadi/converters/cli/interrupt.h"
#include "nadi/converters/cli/run.h"

int main(int argc, char** argv) {
  nadi::cli::watch_for_interrupts();
  return nadi::cli::run(argc, argv);
}
