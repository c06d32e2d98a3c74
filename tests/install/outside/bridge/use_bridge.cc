// A simulator's view: the schema's messages and nadi's base types.
#include <et_def.pb.h>
#include <nadi/base/error.h>

int main() {
  ChakraProtoMsg::Node node;
  node.set_id(7);
  ChakraProtoMsg::Node copy;
  if (!copy.ParseFromString(node.SerializeAsString())) return 1;
  return copy.id() == 7 ? 0 : 1;
}
