// The rows of a diff as columns.
#pragma once

#include "nadi/diff/diff_report.h"
#include "nadi/emit/column_table.h"

namespace nadi {

/// The rows of write_diff_json(), by call path its calls. Columns are named as the keys there,
/// those inside others by both with a dot; `significant` has no value where nothing shows the
/// spread. `parent` of a call is a row; the first call is the root, and has none.
ColumnTable diff_row_table(const DiffReport& report);

/// HTA's TraceDiff.compare_traces(): the columns of write_diff_csv(), numbers as real ones.
ColumnTable hta_diff_table(const DiffReport& report);

}  // namespace nadi
