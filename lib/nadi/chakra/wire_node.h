// One Chakra node as it stands in a file: the fields and attributes that say what it is and does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nadi/base/time.h"
#include "nadi/chakra/number_attributes.h"
#include "nadi/model/graph.h"

namespace nadi {

/// Views point into the message that was read, or to what the writer keeps until it is written.
struct WireNode {
  std::uint64_t id = 0;
  std::string_view name;
  std::uint64_t type = 0;
  std::uint64_t start_micros = 0, duration_micros = 0;
  std::vector<std::uint64_t> data_deps, ctrl_deps;
  std::string_view input_values, input_shapes, input_types;
  std::string_view output_values, output_shapes, output_types;
  std::optional<std::string_view> op_schema;  ///< of nodes that were recorded; may be empty
  std::string_view pg_name, comm_dtype, edge_evidence;

  std::int64_t numbers[kWireNumberCount] = {};
  std::uint32_t present = 0;  ///< bit by WireNumber

  /// Empties it; its memory is used again.
  void clear();

  void set(WireNumber number, std::int64_t value) {
    numbers[static_cast<std::size_t>(number)] = value;
    present |= 1U << static_cast<unsigned>(number);
  }
  bool has(WireNumber number) const { return (present >> static_cast<unsigned>(number) & 1U) != 0; }
  std::int64_t get(WireNumber number, std::int64_t otherwise) const {
    return has(number) ? numbers[static_cast<std::size_t>(number)] : otherwise;
  }
};

/// True for a delay: pure waiting, no work (schema/chakra.md, "Nodes"). recorded: the value of its
/// attribute `is_delay`. In graphs written before that attribute the name decides.
bool is_delay(std::string_view name, std::optional<std::int64_t> recorded, bool has_start_ns);

/// Fills node from the bytes of a Node message; false where they are none, or where name or group
/// are no UTF-8, which protobuf refuses. What node held is lost,
/// its memory is used again. An integer attribute may have any integer or bool member, as ASTRA-sim
/// reads them; one with another member counts as absent.
bool parse_wire_node(std::string_view message, WireNode& node);

/// Each sets what the functions below read.
void set_start(Ns start_ns, WireNode& node);
/// `micros`: the whole microseconds (whole_micros.h).
void set_duration(Ns duration_ns, std::uint64_t micros, WireNode& node);
void set_lane(const GraphLane& lane, WireNode& node);
/// Of a node with its name.
void set_delay(bool is_delay, WireNode& node);
/// Of a node with its type. Unknown ends, tags and numbers are left out.
void set_communication(const GraphCommunication& communication, WireNode& node);

/// The kind of a node by the attributes nadi writes (schema/chakra.md, "Nodes").
NodeKind kind_of(const WireNode& node);
GraphLane lane_of(const WireNode& node);
/// The exact times where they are, else the whole microseconds; no duration is below 0.
Ns start_ns_of(const WireNode& node);
Ns duration_ns_of(const WireNode& node);
bool tells_start(const WireNode& node);
bool is_communication(const WireNode& node);
/// A node that computes as far as simulators know, but communicates (`comm_unrecorded`).
bool is_unrecorded_communication(const WireNode& node);
/// The type of that number; all above 255, which none has, become 255.
NodeType node_type_of(std::uint64_t number);

}  // namespace nadi
