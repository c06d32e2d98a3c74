// Finds the position in API order of a call whose own row is lost, by its correlation id: ids are
// counted up as calls are made.
#pragma once

#include <cstdint>
#include <optional>

#include "nadi/base/key_index.h"
#include "nadi/base/time.h"
#include "nadi/model/device_trace.h"

namespace nadi {

class ApiOrder {
 public:
  /// The device trace stays unchanged meanwhile.
  explicit ApiOrder(const DeviceTrace& device);

  /// Returns the call with the correlation; of several the first in the file. None = its row is
  /// lost.
  CallIndex call_with(std::int64_t correlation) const;
  /// Returns the begin of the last call with a smaller correlation; the trace's begin where there
  /// is none.
  Ns begin_before(std::int64_t correlation) const;
  /// Returns the begin of the first call with a larger correlation; nothing where there is none.
  std::optional<Ns> begin_after(std::int64_t correlation) const;
  /// True where ids grow as calls begin, but for one pair of neighbours in a hundred at most.
  bool is_by_correlation() const;
  const KeyIndex<RuntimeCalls, std::int64_t>& calls() const { return calls_; }

 private:
  const DeviceTrace& device_;
  KeyIndex<RuntimeCalls, std::int64_t> calls_;
};

}  // namespace nadi
