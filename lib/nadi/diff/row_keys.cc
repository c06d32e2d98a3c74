#include "nadi/diff/row_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "nadi/diff/kernel_family.h"
#include "nadi/diff/short_name.h"

namespace nadi {
namespace {

/// "ncclDevKernel_AllReduce_Sum_f32_RING_LL" -> "AllReduce_Sum_f32_RING_LL".
std::string without_library(const std::string& name) {
  for (const std::string_view prefix : {"ncclDevKernel_", "ncclKernel_", "mscclKernel_", "nccl:"})
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  return name;
}

}  // namespace

bool holds_any(std::string_view text, const std::vector<std::string>& parts) {
  return std::any_of(parts.begin(), parts.end(), [text](const std::string& part) {
    return text.find(part) != std::string_view::npos;
  });
}

bool KeyFilter::keeps(StringId key) {
  if (choice_.only.empty() && choice_.exclude.empty()) return true;
  const auto index = static_cast<std::size_t>(key);
  if (index >= known_.size()) known_.resize(std::max(index + 1, known_.size() * 2), -1);
  if (known_[index] < 0) {
    const std::string_view text = keys_[key];
    const bool is_asked_for = choice_.only.empty() || holds_any(text, choice_.only);
    known_[index] = is_asked_for && !holds_any(text, choice_.exclude) ? 1 : 0;
  }
  return known_[index] == 1;
}

bool is_communication_name(std::string_view name) {
  for (const std::string_view prefix : {"nccl:", "gloo:", "mpi:", "ucc:", "xccl:", "hccl:"})
    if (name.starts_with(prefix)) return true;
  return kernel_family_of("kernel", name) == "communication";
}

RowKeys::RowKeys(const TableRows& rows, DiffBy by, StringTable& keys)
    : rows_(rows),
      by_(by),
      keys_(keys),
      key_of_name_(rows.table().strings.size(), StringId::kEmpty),
      is_communication_name_(rows.table().strings.size(), -1) {
  const EventTable& table = rows.table();
  collective_ = table.find("collective_name");
  dtype_ = table.find("msg_dtype");
  in_elements_ = table.find("in_msg_nelems");
  out_elements_ = table.find("out_msg_nelems");
  ranks_ = table.find("group_size");
  group_ = table.find("process_group_desc");
}

StringId RowKeys::key_of_name(EventRowIndex row) {
  const StringId name = rows_.table().name[row];
  StringId& known = key_of_name_[static_cast<std::size_t>(name)];
  if (known != StringId::kEmpty) return known;
  const std::string_view text = rows_.table().strings[name];
  if (by_ == DiffBy::kShortName) return known = keys_.intern(short_name_of(text));
  if (by_ != DiffBy::kKernelFamily) return known = keys_.intern(text);
  // Not kept by name: copies and kernels may share one.
  return keys_.intern(kernel_family_of(rows_.table().strings[rows_.table().cat[row]], text));
}

bool RowKeys::is_communication(EventRowIndex row) {
  const auto name = static_cast<std::size_t>(rows_.table().name[row]);
  std::int8_t& known = is_communication_name_[name];
  if (known < 0)
    known = is_communication_name(rows_.table().strings[rows_.table().name[row]]) ? 1 : 0;
  return known == 1 || !rows_.text(collective_, row).empty();
}

std::string RowKeys::collective_key(EventRowIndex row) const {
  const std::string recorded = rows_.text(collective_, row);
  if (recorded.empty())
    return without_library(short_name_of(rows_.table().strings[rows_.table().name[row]]));
  std::string key = fmt::format("{} {}, {} -> {} elements", recorded, rows_.text(dtype_, row),
                                rows_.text(in_elements_, row), rows_.text(out_elements_, row));
  if (const std::string ranks = rows_.text(ranks_, row); ranks != "0")
    key += ", " + ranks + " ranks";
  if (const std::string group = rows_.text(group_, row); !group.empty()) key += ", " + group;
  return key;
}

bool RowKeys::find(EventRowIndex row, StringId& key) {
  switch (by_) {
    case DiffBy::kStream:
      if (!rows_.has_stream(row)) return false;
      key = keys_.intern(rows_.stream_name(row));
      return true;
    case DiffBy::kCollective:
      if (!is_communication(row)) return false;
      key = keys_.intern(collective_key(row));
      return true;
    case DiffBy::kKernelFamily:
      if (!rows_.has_stream(row)) return false;
      break;
    default:
      break;
  }
  key = key_of_name(row);
  return true;
}

}  // namespace nadi
