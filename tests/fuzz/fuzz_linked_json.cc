// Feeds any bytes to the reader of linked JSON: it may refuse them, but not crash or hang.
#include "nadi/base/error.h"
#include "nadi/linked_json/reader.h"
#include "tests/fuzz/mutate_events.h"
#include "tests/fuzz/pieces.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  nadi::ByteSource source = nadi::source_in_pieces(data, size);
  nadi::Diagnostics diagnostics;
  try {
    nadi::read_linked_json(source, diagnostics);
  } catch (const nadi::Error&) {
    return 0;
  }
  return 0;
}
