#include "nadi/emit/atomic_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "nadi/base/error.h"

namespace nadi {
namespace {

namespace fs = std::filesystem;

// A folder of its own for each test.
fs::path new_folder() {
  const fs::path folder =
      fs::path(testing::TempDir()) /
      (std::string("nadi_atomic_") + testing::UnitTest::GetInstance()->current_test_info()->name());
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

std::string write_error_of(const fs::path& path) {
  try {
    AtomicFile file(path);
    file.write(std::string(1 << 20, 'x'));
    file.commit();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInput);
    return error.what();
  }
  return "no error";
}

TEST(AtomicFile, AppearsOnlyAtCommitAndLeavesNothingBeside) {
  const fs::path folder = new_folder(), path = folder / "x.et";
  {
    AtomicFile file(path);
    file.write("one ");
    file.sink()("two");
    EXPECT_FALSE(fs::exists(path));
    file.commit();
  }
  EXPECT_EQ(content(path), "one two");
  EXPECT_EQ(entries(folder), 1U);
}

TEST(AtomicFile, WithoutCommitTheOldFileStays) {
  const fs::path folder = new_folder(), path = folder / "x.et";
  std::ofstream(path) << "old";
  {
    AtomicFile file(path);
    file.write("half a n");
  }
  EXPECT_EQ(content(path), "old");
  EXPECT_EQ(entries(folder), 1U);
}

TEST(AtomicFile, ReplacesWhatALinkPointsToAndKeepsTheLink) {
  const fs::path folder = new_folder();
  std::ofstream(folder / "real.et") << "old";
  fs::create_symlink("real.et", folder / "link.et");
  AtomicFile file(folder / "link.et");
  file.write("new");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(folder / "link.et"));
  EXPECT_EQ(content(folder / "real.et"), "new");
}

TEST(AtomicFile, KeepsThePermissionsOfTheFileItReplaces) {
  const fs::path path = new_folder() / "x.et";
  std::ofstream(path) << "old";
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  AtomicFile file(path);
  file.commit();
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(AtomicFile, ADeviceIsWrittenDirectlyAndStaysADevice) {
  EXPECT_EQ(write_error_of("/dev/null"), "no error");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(AtomicFile, AFullDiskIsAnErrorThatSaysSo) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  const std::string error = write_error_of("/dev/full");
  EXPECT_NE(error.find("/dev/full"), std::string::npos) << error;
  EXPECT_NE(error.find("disk is full"), std::string::npos) << error;
}

TEST(AtomicFile, AMissingFolderOrAFolderIsAnErrorThatSaysWhatToDo) {
  const fs::path folder = new_folder();
  EXPECT_NE(write_error_of(folder / "no" / "x.et").find("Create the folder"), std::string::npos);
  EXPECT_NE(write_error_of(folder).find("not a folder"), std::string::npos);
  EXPECT_EQ(entries(folder), 0U);
}

}  // namespace
}  // namespace nadi
