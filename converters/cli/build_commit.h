// Which commit this program was built from.
#pragma once

#include <string_view>

namespace nadi::cli {

/// "5e42b45a"; empty where the sources were no git checkout.
std::string_view build_commit();

}  // namespace nadi::cli
