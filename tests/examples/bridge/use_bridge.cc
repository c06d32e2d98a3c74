// A simulator's view: the schema's messages and nadi's base types.
#include <et_def.pb.h>
#include <nadi/base/diagnostics.h>

int main() {
  ChakraProtoMsg::Node node, copy;
  node.set_id(7);
  nadi::Diagnostics diagnostics;
  if (!copy.ParseFromString(node.SerializeAsString())) {
    diagnostics.report(nadi::Finding::kTruncatedInput, "node 7");
  }
  return !diagnostics.has_loss() && copy.id() == 7 ? 0 : 1;
}
