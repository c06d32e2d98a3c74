// Writes the data of a verb to a file that appears whole or not at all, or to standard output.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/emit/atomic_file.h"

namespace nadi::cli {

/// Gives `write` a sink to the file, or to standard output if path is "-" or empty. Throws Error
/// where the bytes cannot be written; then the file is as it was before.
void write_output(const std::string& path, const std::function<void(const ByteSink&)>& write);
void write_output(const std::string& path, std::string_view bytes);

/// True where something could not be written to standard output because nobody reads it any more,
/// as of `nadi show X.et | head`.
bool reader_of_stdout_has_gone();
/// Removes what is half written and ends the process without a word, as a tool ends that writes to
/// such a pipe.
[[noreturn]] void end_without_reader();

/// The name of an input for outputs made of it in the current folder: without folders and endings
/// that say how it is packed or written ("runs/device.0.json.gz" is device.0); "nadi" of "-".
std::string name_of_input(const std::string& path);
/// The same without a rank at its end: the prefix of graphs.
std::string prefix_of_input(const std::string& path);

/// Throws Error(kUsage) where the output is one of the inputs: it would be overwritten.
void require_no_input(const std::string& output, const std::vector<std::string>& inputs);

}  // namespace nadi::cli
