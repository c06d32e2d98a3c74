#include "scale.h"

#include <cmath>

namespace nadi::vm {

namespace {
Ns scaled(Ns ns, double factor) {
  return factor == 1 ? ns : static_cast<Ns>(std::llround(static_cast<double>(ns) * factor));
}
}  // namespace

Scaler::Scaler(const Scale& scale) : scale_(scale) {
  for (const auto& [pattern, factor] : scale.names)
    names_.emplace_back(std::regex(pattern), factor);
}

double Scaler::by_name(const std::string& name) const {
  double factor = 1;
  for (const auto& [pattern, of_name] : names_)
    if (std::regex_search(name, pattern)) factor *= of_name;
  return factor;
}

Ns Scaler::row(const Row& row) const {
  if (row.kind == EventCategory::kHostNode)
    return scaled(row.duration, scale_.host * by_name(row.name));
  double factor = row.carried.empty() ? scale_.kernels : scale_.communication;
  if (auto stream = scale_.streams.find(number_on_device(row.stream));
      stream != scale_.streams.end())
    factor *= stream->second;
  return scaled(row.duration, factor * by_name(row.name));
}

Ns Scaler::call(const Call& call) const {
  return scaled(call.duration, scale_.host * by_name(call.name));
}

Ns Scaler::work(const RankProgram& rank, int op, Ns ns) const {
  if (!is_covered(rank, op)) return ns;
  return scaled(ns, scale_.host * by_name(rank.ops[static_cast<std::size_t>(op)].name));
}

}  // namespace nadi::vm
