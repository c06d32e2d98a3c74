// Entry of the command-line tool.
#include "nadi/converters/cli/run.h"

int main(int argc, char** argv) { return nadi::cli::run(argc, argv); }
