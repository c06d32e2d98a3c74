// A profile as text for people.
#pragma once

#include <cstddef>
#include <string>

#include "nadi/converters/profile/profile.h"

namespace nadi::cli {

struct ProfileView {
  std::size_t top = 10;  ///< rows of each table; 0 = all
  Roofline roofline;     ///< with it the kernels have their share
};

/// Tables with a headline each: where the time goes, what looks wrong, and what took it.
std::string profile_text(const Profile& profile, const ProfileView& view);

/// For a terminal: the first line, and each behind an empty one.
std::string with_titles_in_bold(std::string_view text);

}  // namespace nadi::cli
