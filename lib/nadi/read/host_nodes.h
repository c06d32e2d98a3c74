// Puts the nodes of a host trace into the columns of the model; a linked JSON has the same nodes.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "nadi/base/diagnostics.h"
#include "nadi/model/host_trace.h"
#include "nadi/read/node_fields.h"

namespace nadi {

class HostNodeBuilder {
 public:
  HostNodeBuilder(HostTrace& trace, Diagnostics& diagnostics)
      : trace_(trace), diagnostics_(diagnostics) {}

  /// True for top-level members that are part of the trace's header.
  static bool wants(std::string_view key);
  void add_member(std::string_view key, std::string_view value);
  /// Adds node `number` of the list; false = it has no id, which is reported.
  bool add(const NodeFields& node, std::uint64_t number);
  /// Old traces name a group by the address of its backend; its name is known from the init node.
  void name_groups();

 private:
  void read_schema(std::string_view token);
  StringId text(const NodeFields& node, NodeField field);
  void add_texts(const NodeFields& node);
  void add_communication(const NodeFields& node);
  void add_groups(const NodeFields& node);

  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  HostTrace& trace_;
  Diagnostics& diagnostics_;
  std::string scratch_;
  std::unordered_map<std::string, std::string, TextHash, std::equal_to<>> group_of_backend_;
};

}  // namespace nadi
