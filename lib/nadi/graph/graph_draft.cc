#include "nadi/graph/graph_draft.h"

namespace nadi {

Ns GraphDraft::submitted_ns(DeviceRowIndex row) const {
  const CallIndex call = linked.rows.launch[row];
  return call ? call_submit_ns[call] : linked.rows.launch_ns[row];
}

bool GraphDraft::launches_at_once(CallIndex call) const {
  return call_submit_ns[call] == linked.device.calls.start_ns[call];
}

}  // namespace nadi
