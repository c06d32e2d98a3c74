// Ops that both sides call, with inputs whose shapes or types changed.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "nadi/diff/diff_row.h"
#include "nadi/diff/table_rows.h"

namespace nadi {

/// Shapes and types of an op's inputs, as the trace writes them ("[[8, 4], []]").
struct InputForm {
  std::string dims, types;
  std::uint64_t count = 0;  ///< calls with it
};

struct ChangedInputs {
  std::string op;
  std::vector<InputForm> control, test;  ///< forms that only this side has
};

/// Counts the forms of a table's ops; the table must have the attributes input_dims and input_type.
class InputForms {
 public:
  InputForms(const TableRows& rows, DiffSummary& summary);

  /// Adds one iteration as one sample.
  void add(const IterationRows& iteration);

 private:
  struct Form {
    StringId name, dims, types;
    friend bool operator==(const Form&, const Form&) = default;
  };
  struct Hash {
    std::size_t operator()(const Form& form) const;
  };
  StringId key_of(const Form& form);

  const TableRows& rows_;
  DiffSummary& summary_;
  const TextColumn *dims_, *types_;
  std::unordered_map<Form, StringId, Hash> keys_;
  SampleSums sums_;
  std::string text_;
};

/// The ops of both summaries of InputForms that have a form on one side only, by name.
std::vector<ChangedInputs> changed_inputs(const DiffSummary& control, const DiffSummary& test);

}  // namespace nadi
