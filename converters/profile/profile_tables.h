// The tables of a profile as columns.
#pragma once

#include <string_view>

#include "nadi/converters/profile/profile.h"
#include "nadi/emit/column_table.h"

namespace nadi {

/// A list of profile_json() by its name, "steps" or "kernels", or "collective_members", whose
/// `collective` is the row of the collective. Columns are named as the keys there, those inside
/// others by both with a dot; but times are ms, and so are their names. What the JSON may have null
/// has Column::is_known. Throws Error(kUsage) of a name that is none.
ColumnTable profile_table(const Profile& profile, std::string_view name,
                          const Roofline& roofline = {});

}  // namespace nadi
