// The only encoder of nodes: a WireNode as the bytes of a Chakra Node message.
#pragma once

#include <string>
#include <string_view>

#include "nadi/chakra/wire_node.h"

namespace nadi {

/// Encodes nodes one after the other; one per thread.
class NodeWriter {
 public:
  /// Appends length and message of the node to out, with the attributes in the order of WireNumber.
  /// parse_wire_node is its inverse.
  void append(const WireNode& node, std::string& out);

 private:
  void append_io(unsigned field, std::string_view values, std::string_view shapes,
                 std::string_view types);
  void append_numbers(const WireNode& node, WireNumber first, WireNumber last);
  void append_attributes(const WireNode& node);

  std::string message_;
};

}  // namespace nadi
