#include "nadi/converters/html/lane_pieces.h"

#include <algorithm>
#include <array>

namespace nadi::html {
namespace {

constexpr Ns kMostLengths = 4;  // of a joined piece, in resolutions

/// Short nodes on their way into one piece.
class OpenPiece {
 public:
  explicit OpenPiece(std::vector<LanePiece>& pieces) : pieces_(pieces) {}

  bool takes(const LaneNode& node, Ns resolution_ns) const {
    return piece_.nodes > 0 && node.begin_ns - piece_.end_ns <= resolution_ns &&
           node.end_ns - piece_.begin_ns <= kMostLengths * resolution_ns;
  }
  void add(const LaneNode& node) {
    const Ns length = node.end_ns - node.begin_ns;
    if (piece_.nodes == 0) piece_.begin_ns = piece_.end_ns = node.begin_ns;
    piece_.end_ns = std::max(piece_.end_ns, node.end_ns);
    Ns& of_kind = by_kind_[static_cast<std::size_t>(node.kind)];
    piece_.node_ns = saturated_sum(piece_.node_ns, length);
    of_kind = saturated_sum(of_kind, length);
    ++piece_.nodes;
    if (length <= longest_) return;
    longest_ = length;
    piece_.name = node.name;
  }
  void close() {
    if (piece_.nodes > 0) {
      const auto most = std::max_element(by_kind_.begin(), by_kind_.end());
      piece_.kind = static_cast<PictureKind>(most - by_kind_.begin());
      pieces_.push_back(piece_);
    }
    piece_ = {};
    by_kind_ = {};
    longest_ = 0;
  }

 private:
  std::vector<LanePiece>& pieces_;
  LanePiece piece_;
  std::array<Ns, kPictureKindCount> by_kind_{};
  Ns longest_ = 0;
};

}  // namespace

std::vector<LanePiece> join_nodes(std::span<const LaneNode> nodes, Ns resolution_ns) {
  std::vector<LanePiece> pieces;
  OpenPiece communication(pieces), waits(pieces), others(pieces);
  for (const LaneNode& node : nodes) {
    const Ns length = node.end_ns - node.begin_ns;
    if (length <= 0) continue;
    if (length >= resolution_ns) {
      communication.close();
      waits.close();
      others.close();
      pieces.push_back({node.begin_ns, node.end_ns, length, node.name, 1, node.kind});
      continue;
    }
    OpenPiece& open = node.kind == PictureKind::kCommunication ? communication
                      : node.kind == PictureKind::kDelay       ? waits
                                                               : others;
    if (!open.takes(node, resolution_ns)) open.close();
    open.add(node);
  }
  communication.close();
  waits.close();
  others.close();
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const LanePiece& a, const LanePiece& b) { return a.begin_ns < b.begin_ns; });
  return pieces;
}

Ns find_resolution(std::span<const std::vector<LaneNode>> lanes, Ns span_ns, std::size_t most) {
  const auto pieces_at = [&](Ns resolution_ns) {
    std::size_t pieces = 0;
    for (const std::vector<LaneNode>& lane : lanes)
      pieces += join_nodes(lane, resolution_ns).size();
    return pieces;
  };
  if (pieces_at(0) <= most) return 0;
  Ns resolution_ns = std::max<Ns>(1, span_ns >> 17);
  while (resolution_ns <= span_ns && pieces_at(resolution_ns) > most) resolution_ns *= 2;
  return resolution_ns;
}

Ns busy_time(std::span<const LaneNode> nodes) {
  Ns busy = 0, until = 0;
  bool is_first = true;
  for (const LaneNode& node : nodes) {
    if (node.kind == PictureKind::kDelay) continue;
    const Ns begin = is_first ? node.begin_ns : std::max(until, node.begin_ns);
    if (node.end_ns > begin) busy += node.end_ns - begin;
    until = is_first ? node.end_ns : std::max(until, node.end_ns);
    is_first = false;
  }
  return busy;
}

}  // namespace nadi::html
