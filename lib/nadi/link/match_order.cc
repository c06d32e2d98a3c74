#include "nadi/link/match_order.h"

#include "nadi/link/match_segments.h"

namespace nadi {

SequenceMatch locate_by_order(const HostTrace& host, const DeviceTrace& device,
                              const std::string& annotation, DifferingToo differing) {
  SequenceMatch match;
  match.names = name_sequences(host, device);
  if (!annotation.empty()) trim_to_segment(host, annotation, match.names.host);
  const std::vector<Ns> cuts =
      annotation.empty() ? std::vector<Ns>{} : segment_ends(device, annotation);
  for (const NameSequence& sequence : match.names.host) match.host_ops += sequence.size();
  AlignBudget budget;
  match.threads = map_threads(match.names, [&](const NameSequence& h, const NameSequence& p) {
    return cuts.empty() ? locate(h.name, p.name, budget, differing)
                        : locate_in_segments(h, p, device, cuts, budget);
  });
  match.iterations = join_iterations(match, host, device, differing);
  return match;
}

}  // namespace nadi
