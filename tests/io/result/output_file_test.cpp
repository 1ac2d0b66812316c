#include "io/result/output_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>

#include "io/result/write_hdf5.h"
#include "kernels/base/error.h"
#include "tests/io/result/sample_solution.h"
#include "tests/io/temporary_folder.h"

namespace thinwire {
namespace {

ErrorKind kind_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorKind::numeric;
}

TEST(CheckWritable, KnowsItsOwnFiles) {
  const test::TemporaryFolder folder;
  const test::Sample sample = test::make_sample();
  write_hdf5(folder / "own.h5", sample.problem, {}, sample.solution, "");
  test::write_file(folder / "own.csv", "# written by thinwire 0.1.0\n1,2\n");
  test::write_file(folder / "foreign.csv", "mhz,zreal\n1,2\n");
  test::write_file(folder / "foreign.h5", "\x89HDF\r\n\x1a\nthe rest is missing");
  for (const char* name : {"own.h5", "own.csv", "new.h5"})
    EXPECT_NO_THROW(check_writable(folder / name, Overwrite::own)) << name;
  for (const char* name : {"foreign.csv", "foreign.h5"}) {
    EXPECT_EQ(kind_of([&] { check_writable(folder / name, Overwrite::own); }),
              ErrorKind::file);
    EXPECT_NO_THROW(check_writable(folder / name, Overwrite::any)) << name;
  }
}

TEST(CheckWritable, NeverTheDeckNorAFolder) {
  const test::TemporaryFolder folder;
  test::write_file(folder / "a.nec", "CE written by thinwire\n");
  EXPECT_EQ(kind_of([&] {
              check_writable(folder / "a.nec", Overwrite::any, folder / "a.nec");
            }),
            ErrorKind::file);
  EXPECT_EQ(kind_of([&] { check_writable(folder.path(), Overwrite::any); }),
            ErrorKind::file);
  EXPECT_EQ(kind_of([&] { check_writable(folder / "no/a.h5", Overwrite::own); }),
            ErrorKind::file);
}

TEST(CheckWritable, FolderWithoutPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const test::TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_read |
                                                  std::filesystem::perms::owner_exec);
  EXPECT_EQ(kind_of([&] { check_writable(folder / "a.h5", Overwrite::own); }),
            ErrorKind::file);
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
}

TEST(PartFile, WithoutCommitNothingIsLeft) {
  const test::TemporaryFolder folder;
  {
    PartFile file(folder / "a.txt");
    file.write("half");
    EXPECT_TRUE(std::filesystem::exists(folder / "a.txt.part"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(PartFile, CommitReplacesTheOldFileWhole) {
  const test::TemporaryFolder folder;
  write_text_file(folder / "a.txt", "a longer first text");
  write_text_file(folder / "a.txt", "second");
  EXPECT_EQ(test::read_file(folder / "a.txt"), "second");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.txt.part"));
}

TEST(PartFile, StopMeansNoFile) {
  const test::TemporaryFolder folder;
  const std::atomic<bool> stop = true;
  EXPECT_EQ(kind_of([&] { write_text_file(folder / "a.txt", "text", &stop); }),
            ErrorKind::interrupted);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace thinwire
