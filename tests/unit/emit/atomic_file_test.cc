#include "nadi/emit/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "nadi/base/error.h"
#include "nadi/emit/temporary_path.h"
#include "tests/file_bytes.h"

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

/// Removes leftovers from the folder again and again, as another run does that starts meanwhile.
[[noreturn]] void remove_leftovers_for_ever(const fs::path& folder) {
  for (;;)
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      const int descriptor = ::open(entry.path().c_str(), O_RDONLY);
      if (descriptor < 0) continue;
      const bool is_hidden = entry.path().filename().string().starts_with('.');
      if (is_hidden && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0) ::unlink(entry.path().c_str());
      ::close(descriptor);
    }
}

TEST(AtomicFile, IsInUseForOtherProcessesUntilItIsInItsPlace) {
  const fs::path folder = new_folder();
  const pid_t other = ::fork();
  if (other == 0) remove_leftovers_for_ever(folder);
  const std::string before = "no error";
  std::string error = before;
  for (int i = 0; i < 500 && error == before; ++i) error = write_error_of(folder / "x.et");
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  EXPECT_EQ(error, before);
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
  EXPECT_EQ(read_file(path), "one two");
  EXPECT_EQ(entries(folder), 1U);
}

TEST(AtomicFile, WithoutCommitTheOldFileStays) {
  const fs::path folder = new_folder(), path = folder / "x.et";
  std::ofstream(path) << "old";
  {
    AtomicFile file(path);
    file.write("half a n");
  }
  EXPECT_EQ(read_file(path), "old");
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
  EXPECT_EQ(read_file(folder / "real.et"), "new");
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

TEST(AtomicFile, MakesTheFoldersThatAreMissing) {
  const fs::path path = new_folder() / "a" / "b" / "x.et";
  EXPECT_EQ(write_error_of(path), "no error");
  EXPECT_TRUE(fs::exists(path));
}

TEST(AtomicFile, AFolderOrAFileInPlaceOfOneIsAnErrorThatSaysWhatToDo) {
  const fs::path folder = new_folder();
  write_file(folder / "file", "");
  EXPECT_NE(write_error_of(folder / "file" / "x.et").find("one of its names is a file"),
            std::string::npos);
  EXPECT_NE(write_error_of(folder).find("not a folder"), std::string::npos);
  EXPECT_EQ(entries(folder), 1U);
}

TEST(AtomicFile, IsPackedWhereItsNameSaysSoAndTheSameEveryTime) {
  const fs::path folder = new_folder();
  for (const auto& [name, magic] : {std::pair{"x.gz", "\x1f\x8b"}, {"x.zst", "\x28\xb5\x2f\xfd"}}) {
    std::string first;
    for (int time = 0; time < 2; ++time) {
      AtomicFile file(folder / name);
      for (int i = 0; i < 1000; ++i) file.write("many bytes that are alike ");
      file.commit();
      const std::string bytes = read_file(folder / name);
      EXPECT_TRUE(bytes.starts_with(magic)) << name;
      EXPECT_LT(bytes.size(), 1000U);
      EXPECT_TRUE(time == 0 || bytes == first) << name;
      first = bytes;
      const std::string text = read_unpacked(folder / name);
      EXPECT_EQ(text.size(), 26'000U);
      EXPECT_TRUE(text.starts_with("many bytes that are alike many"));
    }
  }
}

TEST(AtomicFile, RemovesWhatAKilledRunLeftOfItAndNothingElse) {
  const fs::path folder = new_folder();
  for (const char* name :
       {".x.et.99999.0.part", ".y.et.99999.0.part", ".x.et.notes.part", "x.et.part"})
    std::ofstream(folder / name) << "left";
  write_file(folder / "x.et", "new");
  EXPECT_FALSE(fs::exists(folder / ".x.et.99999.0.part"));
  EXPECT_EQ(entries(folder), 4U);
}

TEST(TemporaryPath, ThatAnotherProcessTookForALeftoverCannotBeLocked) {
  const TemporaryPath path(new_folder() / "x.et", ".part", "x.et");
  const auto make = [&] { return ::open(path.path().c_str(), O_WRONLY | O_CREAT, 0666); };
  const int first = make();
  EXPECT_TRUE(path.lock(first));
  fs::remove(path.path());
  EXPECT_FALSE(path.lock(first)) << "it is gone";
  const int second = make();
  EXPECT_FALSE(path.lock(first)) << "and another lies there";
  EXPECT_TRUE(path.lock(second));
  ::close(first);
  ::close(second);
}

TEST(AtomicFile, ThatIsBeingWrittenIsNotTakenForALeftover) {
  const fs::path folder = new_folder(), path = folder / "x.et";
  AtomicFile first(path);
  first.write("first");
  write_file(path, "second");
  first.commit();
  EXPECT_EQ(read_file(path), "first");
}

}  // namespace
}  // namespace nadi
