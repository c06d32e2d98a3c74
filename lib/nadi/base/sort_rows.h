// Sorts the rows of traces.
#pragma once

#include <boost/sort/spinsort/spinsort.hpp>
#include <functional>

namespace nadi {

/// A stable sort for what comes in sorted runs, as rows do: by thread, by end, in the order of ids.
/// Such runs are merged, three to five times as fast as std::sort takes.
template <class Rows, class Less = std::less<>>
void sort_rows(Rows& rows, Less less = {}) {
  boost::sort::spinsort(rows.begin(), rows.end(), less);
}

}  // namespace nadi
