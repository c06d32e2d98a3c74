// A host program may load the recorder late, when static TLS is used up.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>
#include <string>

#include "nadi/record/record_c.h"

namespace {

/// Takes what the system keeps for shared objects that are loaded late: of each size what fits.
int use_up_static_tls() {
  int refused = 0;
  std::istringstream paths(NADI_TLS_FILLERS);
  for (std::string path; std::getline(paths, path, ':');)
    if (::dlopen(path.c_str(), RTLD_NOW) == nullptr) ++refused;
  return refused;
}

TEST(Plugin, RecordsWhereStaticTlsIsUsedUp) {
  if (use_up_static_tls() == 0) GTEST_SKIP() << "this system has static TLS for all";
  void* const plugin = ::dlopen(NADI_RECORD_PLUGIN, RTLD_NOW);
  ASSERT_NE(plugin, nullptr) << ::dlerror();
  const auto record = reinterpret_cast<int (*)(const char*, const char*, nadi_record_summary*)>(
      ::dlsym(plugin, "record_in_plugin"));
  ASSERT_NE(record, nullptr);
  const auto folder =
      std::filesystem::temp_directory_path() / ("nadi_plugin_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  nadi_record_summary summary{};
  EXPECT_EQ(record((folder / "host").c_str(), (folder / "device").c_str(), &summary), 0);
  EXPECT_EQ(summary.ops, 1U);
  std::filesystem::remove_all(folder);
}

}  // namespace
