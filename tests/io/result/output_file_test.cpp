#include "io/result/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "kernels/base/error.h"
#include "tests/io/temporary_folder.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

/// How large this process may make a file, as long as it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit smaller = {bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &smaller);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_;
};

TEST(WriteResultFile, APipeGetsTheBytesAndStaysAPipe) {
  const test::TemporaryFolder folder;
  const auto path = folder / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  const std::string bytes("a\0b\n", 4);
  write_result_file(path, bytes);
  std::string read(16, '\0');
  read.resize(static_cast<std::size_t>(::read(reader, read.data(), read.size())));
  ::close(reader);
  EXPECT_EQ(read, bytes);
  EXPECT_TRUE(std::filesystem::is_fifo(path));
  const std::atomic<bool> stop = true;
  EXPECT_EQ(test::error_kind([&] { write_result_file(path, bytes, &stop); }),
            ErrorKind::interrupted);
}

TEST(WriteResultFile, AFullDeviceIsAnErrorWithANextStep) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  EXPECT_EQ(test::error_kind([] { write_result_file("/dev/full", "text"); }),
            ErrorKind::file);
  EXPECT_EQ(test::error_message([] { write_result_file("/dev/full", "text"); }),
            "/dev/full: cannot be written (No space left on device). Free space there or "
            "write elsewhere.");
}

TEST(WriteResultFile, AFileAboveTheLimitIsAnErrorWithANextStep) {
  const test::TemporaryFolder folder;
  const FileSizeLimit limit(1000);
  EXPECT_EQ(test::error_message(
                [&] { write_result_file(folder / "a.txt", std::string(2000, 'x')); }),
            (folder / "a.txt.part").string() +
                ": cannot be written (File too large). Raise the limit on the size of "
                "files (ulimit -f) or write elsewhere.");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
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

TEST(PartFile, WhatWasThereBeforeIsNotRemoved) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "a.txt.part");
  EXPECT_EQ(test::error_kind([&] { write_result_file(folder / "a.txt", "text"); }),
            ErrorKind::file);
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a.txt.part"));
}

TEST(PartFile, CommitReplacesTheOldFileWhole) {
  const test::TemporaryFolder folder;
  write_result_file(folder / "a.txt", "a longer first text");
  write_result_file(folder / "a.txt", "second");
  EXPECT_EQ(test::read_file(folder / "a.txt"), "second");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.txt.part"));
}

TEST(PartFile, StopMeansNoFile) {
  const test::TemporaryFolder folder;
  const std::atomic<bool> stop = true;
  EXPECT_EQ(test::error_kind([&] { write_result_file(folder / "a.txt", "text", &stop); }),
            ErrorKind::interrupted);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace thinwire
