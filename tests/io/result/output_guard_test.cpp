#include "io/result/output_guard.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/result/output_file.h"
#include "io/result/write_hdf5.h"
#include "kernels/base/error.h"
#include "tests/io/result/sample_solution.h"
#include "tests/io/temporary_folder.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

PlannedOutput planned(const std::filesystem::path& path, std::string_view kind,
                      Overwrite overwrite = Overwrite::own) {
  return {path, std::string(kind), overwrite};
}

TEST(CheckWritable, AllowsThinwiresFilesOfTheSameKind) {
  const test::TemporaryFolder folder;
  const test::Sample sample = test::make_sample();
  write_hdf5(folder / "own.h5", sample.problem, {}, sample.solution, "");
  test::write_file(folder / "own.csv", "# written by thinwire 0.1.0 from a\n1,2\n");
  test::write_file(folder / "foreign.csv", "mhz,zreal\n1,2\n");
  test::write_file(folder / "foreign.h5", "\x89HDF\r\n\x1a\nthe rest is missing");
  const auto check = [&](const char* name, std::string_view kind,
                         Overwrite overwrite = Overwrite::own) {
    check_writable(planned(folder / name, kind, overwrite));
  };
  EXPECT_NO_THROW(check("own.h5", file_kind::result));
  EXPECT_NO_THROW(check("new.h5", file_kind::result));
  EXPECT_NO_THROW(check("own.csv", file_kind::table));
  EXPECT_EQ(test::error_kind([&] { check("own.csv", file_kind::sweep_table); }),
            ErrorKind::file);
  EXPECT_EQ(test::error_kind([&] { check("own.h5", file_kind::matrix); }),
            ErrorKind::file);
  for (const char* name : {"foreign.csv", "foreign.h5"}) {
    EXPECT_EQ(test::error_kind([&] { check(name, file_kind::table); }), ErrorKind::file);
    EXPECT_NO_THROW(check(name, file_kind::table, Overwrite::any)) << name;
  }
  // A file that a kill cut short may be replaced, another one of that name may not.
  test::write_file(folder / "new.h5.part", "\x89HDF\r\n\x1a\n");
  EXPECT_NO_THROW(check("new.h5", file_kind::result));
  test::write_file(folder / "new.h5.part", "mine");
  EXPECT_EQ(test::error_kind([&] { check("new.h5", file_kind::result); }),
            ErrorKind::file);
  EXPECT_EQ(test::read_file(folder / "new.h5.part"), "mine");
  EXPECT_FALSE(std::filesystem::exists(folder / "own.csv.part"));
}

TEST(CheckWritable, AllowsADamagedFileOfThinwire) {
  const test::TemporaryFolder folder;
  const test::Sample sample = test::make_sample();
  write_hdf5(folder / "own.h5", sample.problem, {}, sample.solution, "");
  std::string bytes = test::read_file(folder / "own.h5");
  bytes[bytes.size() / 2] ^= 1;
  test::write_file(folder / "own.h5", bytes);
  EXPECT_NO_THROW(check_writable(planned(folder / "own.h5", file_kind::result)));
}

TEST(CheckOutputs, RefuseAnInputByAnyOfItsNames) {
  const test::TemporaryFolder folder;
  test::write_file(folder / "a.nec", "CE written by thinwire\n");
  std::filesystem::create_symlink("a.nec", folder / "link");
  std::filesystem::create_directory_symlink(".", folder / "here");
  const std::filesystem::path inputs[] = {folder / "a.nec"};
  for (const char* name : {"a.nec", "./a.nec", "link", "here/a.nec"}) {
    const PlannedOutput outputs[] = {
        planned(folder / name, file_kind::table, Overwrite::any)};
    EXPECT_EQ(test::error_kind([&] { check_outputs("solve", outputs, inputs); }),
              ErrorKind::file)
        << name;
  }
}

TEST(CheckWritable, RefusesFolders) {
  const test::TemporaryFolder folder;
  for (const auto& path : {folder.path(), folder / "no/a.h5"})
    EXPECT_EQ(test::error_kind([&] {
                check_writable(planned(path, file_kind::result, Overwrite::any));
              }),
              ErrorKind::file);
}

TEST(CheckWritable, FolderWithoutPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const test::TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_read |
                                                  std::filesystem::perms::owner_exec);
  EXPECT_EQ(test::error_kind(
                [&] { check_writable(planned(folder / "a.h5", file_kind::result)); }),
            ErrorKind::file);
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
}

TEST(CheckWritable, AllowsPipesAndDevices) {
  const test::TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const char* name : {"-", "/dev/stdout", "/dev/null", "/dev/stderr"})
    EXPECT_NO_THROW(check_writable(planned(name, file_kind::table))) << name;
  EXPECT_NO_THROW(check_writable(planned(folder / "pipe", file_kind::table)));
  EXPECT_EQ(test::error_kind([] {
              check_writable(planned("/dev", file_kind::table, Overwrite::any));
            }),
            ErrorKind::file);
  EXPECT_EQ(test::error_kind(
                [] { check_writable(planned("/dev/null.csv", file_kind::table)); }),
            ErrorKind::file);
  EXPECT_FALSE(is_written_directly(folder / "new.h5"));
  EXPECT_FALSE(is_written_directly("/dev/shm/new.h5"));
}

}  // namespace
}  // namespace thinwire
