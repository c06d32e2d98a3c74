#include "nadi/model/host_trace.h"

namespace nadi {

bool is_root(std::string_view op_name) {
  // Older traces say execution_graph instead of execution_trace.
  return op_name.starts_with("[pytorch|profiler|execution_");
}

}  // namespace nadi
