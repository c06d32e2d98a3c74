// A profile as a page: where each step's time goes, what looks wrong, and tables of what took it.
#pragma once

#include "nadi/converters/profile/hot_spots.h"
#include "nadi/converters/profile/profile.h"
#include "nadi/emit/atomic_file.h"

namespace nadi::html {

struct ProfilePage {
  const Profile& profile;
  const HotSpots& spots;
  Roofline roofline;
  const ProfiledJob* drawn = nullptr;  ///< the ranks over time; null = they are not drawn
};

/// Writes the page. Of long tables what took least is left out, and the page says so.
void write_profile_page(const ProfilePage& page, const ByteSink& sink);

}  // namespace nadi::html
