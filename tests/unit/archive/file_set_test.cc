// Files of a set appear together or not at all, whenever the process is told to end.
#include "nadi/converters/archive/file_set.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

#include "nadi/base/error.h"
#include "nadi/emit/atomic_file.h"
#include "tests/error_of.h"
#include "tests/temporary_folder.h"

namespace nadi {
namespace {

namespace fs = std::filesystem;

std::ptrdiff_t entries(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), {});
}

TEST(FileSet, FilesAppearTogetherOrNotAtAll) {
  TemporaryFolder folder;
  {
    FileSet files(folder / "job");
    std::ofstream(files.add("a")) << "1";
  }
  EXPECT_FALSE(fs::exists(folder / "job.a"));
  {
    FileSet files(folder / "job");
    std::ofstream(files.add("a")) << "1";
    files.add("b");  // never written
    EXPECT_THROW(files.commit(), Error);
  }
  EXPECT_FALSE(fs::exists(folder / "job.a"));
  {
    FileSet files(folder / "job");
    std::ofstream(files.add("a")) << "1";
    files.commit();
  }
  EXPECT_TRUE(fs::exists(folder / "job.a"));
  EXPECT_EQ(entries(folder.path()), 1);
  EXPECT_THROW(FileSet(folder / "job.a/job"), Error) << "a file is no folder";
}

TEST(FileSet, AFileThatIsDroppedGoesAwayWithTheCommitAlone) {
  const TemporaryFolder folder;
  std::ofstream(folder / "job.old") << "0";
  {
    FileSet files(folder / "job");
    files.drop("old");
    files.add("b");  // never written
    EXPECT_THROW(files.commit(), Error);
  }
  EXPECT_TRUE(fs::exists(folder / "job.old"));
  FileSet files(folder / "job");
  files.drop("old");
  files.drop("older");  // was never there
  std::ofstream(files.add("a")) << "1";
  files.commit();
  EXPECT_FALSE(fs::exists(folder / "job.old"));
  EXPECT_TRUE(fs::exists(folder / "job.a"));
}

/// What remove_temporary_paths() says in a process whose other thread does `work` meanwhile, so
/// many milliseconds after that calls begun() or, if it does not, after its start; a name a line.
template <class Work>
std::string names_after_removal(const Work& work, int milliseconds, bool calls_begun = true) {
  int pipe_ends[2];
  if (::pipe(pipe_ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    std::atomic<bool> has_begun = !calls_begun;
    std::thread([&] { work([&] { has_begun = true; }); }).detach();
    while (!has_begun) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    std::string names;
    for (const std::string& name : remove_temporary_paths()) names += name + "\n";
    const bool is_said = ::write(pipe_ends[1], names.data(), names.size()) >= 0;
    ::_exit(is_said ? 0 : 1);
  }
  ::close(pipe_ends[1]);
  std::string names;
  char letter = 0;
  while (::read(pipe_ends[0], &letter, 1) == 1) names += letter;
  ::close(pipe_ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return names;
}

TEST(FileSet, LeavesNothingWhereItIsRemovedWhileFilesAreMade) {
  for (const bool is_atomic : {false, true}) {
    const TemporaryFolder folder;
    const std::string prefix = (folder.path() / "job").string();
    const auto write_for_ever = [&](const auto& begun) {
      FileSet files(prefix);
      begun();
      for (int i = 0;; ++i) {
        const fs::path path = files.add(std::to_string(i));
        if (is_atomic)
          write_file(path, "x");
        else
          std::ofstream(path) << "x";
      }
    };
    EXPECT_EQ(names_after_removal(write_for_ever, 100), prefix + "\n");
    EXPECT_EQ(entries(folder.path()), 0) << is_atomic;
  }
}

TEST(FileSet, IsPutInPlaceWholeOnceThatHasBegun) {
  constexpr int kFiles = 1000;
  int whole = 0, none = 0;
  for (int milliseconds = 1; milliseconds < 20'000 && (whole == 0 || none == 0);
       milliseconds += 1 + milliseconds / 3) {
    const TemporaryFolder folder;
    const std::string prefix = (folder.path() / "job").string();
    const auto write_many = [&](const auto&) {
      FileSet files(prefix);
      for (int i = 0; i < kFiles; ++i) std::ofstream(files.add(std::to_string(i))) << "x";
      files.commit();
    };
    const std::string names = names_after_removal(write_many, milliseconds, false);
    const auto count = entries(folder.path());
    ASSERT_TRUE(count == 0 || count == kFiles) << count << " after " << milliseconds << " ms";
    EXPECT_TRUE(count == kFiles ? names.empty() : names.empty() || names == prefix + "\n") << names;
    (count == 0 ? none : whole) += 1;
  }
  EXPECT_GT(none, 0);
  EXPECT_GT(whole, 0);
}

TEST(FileSet, SaysWhichExpectedOutputsAreMissing) {
  const TemporaryFolder folder;
  const std::string in = folder.path().string() + "/";
  const auto write_two_of_four = [&](const auto& begun) {
    for (const char* name : {"graphs", "graphs.json", "page.html"}) expect_output(in + name);
    for (const char* name : {"-", "", "/dev/null"}) expect_output(name);
    write_file(in + "graphs.json", "of its own name");
    FileSet half(in + "begun", in + "begun.sqlite");
    std::ofstream(half.add("sqlite")) << "half";
    begun();
    std::this_thread::sleep_for(std::chrono::hours(1));
  };
  EXPECT_EQ(names_after_removal(write_two_of_four, 0),
            in + "graphs\n" + in + "page.html\n" + in + "begun.sqlite\n");
  EXPECT_EQ(entries(folder.path()), 1);
  const auto write_prefix = [&](const auto& begun) {
    expect_output(in + "job");
    write_file(in + "job.0.et", "the prefix is written");
    begun();
    std::this_thread::sleep_for(std::chrono::hours(1));
  };
  EXPECT_EQ(names_after_removal(write_prefix, 0), "");
}

TEST(FileSet, WhereNoFolderCanBeMadeSaysWhy) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  for (const bool is_set : {true, false}) {
    const std::string what = message_of([&] {
      const std::string path = (folder.path() / "new" / "job").string();
      if (is_set) FileSet files(path);
      if (!is_set) AtomicFile file(path);
    });
    EXPECT_NE(what.find("Permission denied"), std::string::npos) << what;
    EXPECT_NE(what.find("Write to a folder you may write to"), std::string::npos) << what;
  }
  fs::permissions(folder.path(), fs::perms::owner_all);
}

}  // namespace
}  // namespace nadi
