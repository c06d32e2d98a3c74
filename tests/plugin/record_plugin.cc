// A plugin that records itself.
#include "nadi/record/record_c.h"

extern "C" int record_in_plugin(const char* host_file, const char* device_file,
                                nadi_record_summary* summary) {
  nadi_record_settings settings = nadi_record_defaults();
  settings.host_file = host_file;
  settings.device_file = device_file;
  if (nadi_record_start(&settings) != 0) return -1;
  nadi_op_end(nadi_op_begin("plugin", nullptr, 0));
  return nadi_record_stop(summary);
}
