#include "nadi/diff/changed_inputs.h"

#include <algorithm>
#include <cassert>
#include <map>

namespace nadi {
namespace {

constexpr char kSeparator = '\x1f';

const TextColumn* texts_of(const EventTable& table, std::string_view column) {
  const AttributeColumn* found = table.find(column);
  assert(found != nullptr && "the table was read without the inputs of ops");
  return &std::get<TextColumn>(found->values);
}

/// The parts of InputForms::key_of.
struct KeyParts {
  std::string_view name, dims, types;

  explicit KeyParts(std::string_view key) {
    const std::size_t second = key.rfind(kSeparator);
    types = key.substr(second + 1);
    key = key.substr(0, second);
    const std::size_t first = key.rfind(kSeparator);
    dims = key.substr(first + 1);
    name = key.substr(0, first);
  }
};

struct OpForms {
  bool is_in_control = false, is_in_test = false;
  std::vector<InputForm> control, test;
};
using FormsByOp = std::map<std::string_view, OpForms>;

bool has_key(const DiffSummary& summary, std::string_view key) {
  const auto id = static_cast<std::size_t>(summary.keys.find(key));
  return id != 0 && id < summary.totals.size() && summary.totals[id].samples > 0;
}

/// Calls visit(forms of the op, form, true where `other` has none of it) for each form.
template <class Visit>
void for_each_form(const DiffSummary& summary, const DiffSummary& other, FormsByOp& ops,
                   const Visit& visit) {
  for (std::size_t id = 1; id < summary.totals.size(); ++id) {
    if (summary.totals[id].samples == 0) continue;
    const std::string_view key = summary.keys[StringId(static_cast<std::uint32_t>(id))];
    const KeyParts parts(key);
    visit(ops[parts.name],
          InputForm{std::string(parts.dims), std::string(parts.types), summary.totals[id].count},
          !has_key(other, key));
  }
}

void sort_forms(std::vector<InputForm>& forms) {
  std::sort(forms.begin(), forms.end(), [](const InputForm& a, const InputForm& b) {
    if (a.count != b.count) return a.count > b.count;
    return a.dims != b.dims ? a.dims < b.dims : a.types < b.types;
  });
}

}  // namespace

std::size_t InputForms::Hash::operator()(const Form& form) const {
  const auto mixed = [](std::uint64_t sum, StringId id) {
    return (sum ^ static_cast<std::uint64_t>(id)) * 0x9e3779b97f4a7c15U;
  };
  return static_cast<std::size_t>(mixed(mixed(mixed(0, form.name), form.dims), form.types) >> 16);
}

InputForms::InputForms(const TableRows& rows, DiffSummary& summary)
    : rows_(rows),
      summary_(summary),
      dims_(texts_of(rows.table(), "input_dims")),
      types_(texts_of(rows.table(), "input_type")) {}

StringId InputForms::key_of(const Form& form) {
  const auto [known, is_new] = keys_.try_emplace(form);
  if (is_new) {
    const StringTable& strings = rows_.table().strings;
    text_ = strings[form.name];
    text_.push_back(kSeparator);
    text_ += strings[form.dims];
    text_.push_back(kSeparator);
    text_ += strings[form.types];
    known->second = summary_.keys.intern(text_);
  }
  return known->second;
}

void InputForms::add(const IterationRows& iteration) {
  for (const EventRowIndex row : iteration.rows) {
    if (rows_.kind(row) != EventCategory::kOp) continue;
    const Form form{rows_.table().name[row], (*dims_)[row], (*types_)[row]};
    sums_.add(key_of(form), rows_.table().dur_ns[row]);
  }
  sums_.fold_into(summary_);
}

std::vector<ChangedInputs> changed_inputs(const DiffSummary& control, const DiffSummary& test) {
  FormsByOp ops;
  for_each_form(control, test, ops, [](OpForms& op, InputForm form, bool is_alone) {
    op.is_in_control = true;
    if (is_alone) op.control.push_back(std::move(form));
  });
  for_each_form(test, control, ops, [](OpForms& op, InputForm form, bool is_alone) {
    op.is_in_test = true;
    if (is_alone) op.test.push_back(std::move(form));
  });
  std::vector<ChangedInputs> changed;
  for (auto& [name, op] : ops) {
    if (!op.is_in_control || !op.is_in_test || (op.control.empty() && op.test.empty())) continue;
    sort_forms(op.control);
    sort_forms(op.test);
    changed.push_back({std::string(name), std::move(op.control), std::move(op.test)});
  }
  return changed;
}

}  // namespace nadi
