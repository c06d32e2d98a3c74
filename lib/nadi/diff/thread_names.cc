#include <fmt/format.h>

#include <algorithm>

#include "nadi/diff/lane_times.h"

namespace nadi {
namespace {

constexpr std::string_view kAutograd = "autograd::engine::";

bool is_host(EventCategory kind) {
  return kind == EventCategory::kOp || kind == EventCategory::kAnnotation ||
         kind == EventCategory::kCall;
}

}  // namespace

ThreadNames::ThreadNames(const TableRows& rows) : rows_(rows) {
  count_rows();
  std::stable_sort(threads_.begin(), threads_.end(),
                   [](const Thread& a, const Thread& b) { return a.rows > b.rows; });
  for (std::size_t i = 0; i < threads_.size(); ++i)
    place_[id_of(threads_[i].pid, threads_[i].tid)] = static_cast<std::uint32_t>(i);
  give_names();
}

std::uint32_t ThreadNames::thread(std::size_t row) const {
  if (!is_host(rows_.kind(row))) return kNone;
  const auto found = place_.find(id_of(rows_.table().pid[row], rows_.table().tid[row]));
  return found == place_.end() ? kNone : found->second;
}

void ThreadNames::count_rows() {
  const EventTable& table = rows_.table();
  for (std::size_t row = 0; row < table.rows; ++row) {
    if (!is_host(rows_.kind(row))) continue;
    const auto [found, is_new] = place_.try_emplace(id_of(table.pid[row], table.tid[row]),
                                                    static_cast<std::uint32_t>(threads_.size()));
    if (is_new) threads_.push_back({table.pid[row], table.tid[row], 0, 0, 0, ""});
    Thread& thread = threads_[found->second];
    ++thread.rows;
    thread.steps += rows_.is_step(row) ? 1 : 0;
    thread.autograd += table.strings[table.name[row]].starts_with(kAutograd) ? 1 : 0;
  }
}

void ThreadNames::give_names() {
  if (threads_.empty()) return;
  const auto most = [this](std::uint64_t Thread::*what) {
    return std::max_element(
        threads_.begin(), threads_.end(), [what](const Thread& a, const Thread& b) {
          return (a.name.empty() ? a.*what : 0) < (b.name.empty() ? b.*what : 0);
        });
  };
  most(&Thread::steps)->name = "main thread";  // of several the one with most rows
  const auto backward = most(&Thread::autograd);
  if (backward->autograd > 0 && backward->name.empty()) backward->name = "backward thread";
  std::size_t number = 2;
  for (Thread& thread : threads_)
    if (thread.name.empty()) thread.name = fmt::format("thread {}", ++number);
}

}  // namespace nadi
