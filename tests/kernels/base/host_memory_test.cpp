#include "kernels/base/host_memory.h"

#include <gtest/gtest.h>

#include "tests/io/temporary_folder.h"

namespace thinwire {
namespace {

constexpr std::uint64_t gib = std::uint64_t{1} << 30;

/// A machine of 8 GiB, 6 of them free, in a folder.
class HostMemoryOf : public ::testing::Test {
 protected:
  HostMemoryOf() {
    write("proc/meminfo",
          "MemTotal:        8388608 kB\nMemFree:          100 kB\n"
          "MemAvailable:    6291456 kB\n");
  }
  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = folder_ / path;
    std::filesystem::create_directories(file.parent_path());
    test::write_file(file, text);
  }
  HostMemory memory() const { return host_memory(folder_.path()); }

 private:
  test::TemporaryFolder folder_;
};

TEST_F(HostMemoryOf, AMachine) {
  EXPECT_EQ(memory().total, 8 * gib);
  EXPECT_EQ(memory().free, 6 * gib);
}

TEST_F(HostMemoryOf, AControlGroupAndThoseThatItIsIn) {
  write("proc/self/cgroup", "0::/batch/job\n");
  write("sys/fs/cgroup/batch/memory.max", "4294967296\n");
  write("sys/fs/cgroup/batch/memory.current", "1073741824\n");
  // Half of what the group holds is cache that it gives back.
  write("sys/fs/cgroup/batch/memory.stat", "anon 1\ninactive_file 536870912\n");
  write("sys/fs/cgroup/batch/job/memory.max", "max\n");
  EXPECT_EQ(memory().total, 4 * gib);
  EXPECT_EQ(memory().free, 4 * gib - gib / 2);
  write("sys/fs/cgroup/batch/job/memory.max", "1073741824\n");
  EXPECT_EQ(memory().total, gib);
  EXPECT_EQ(memory().free, gib);
}

TEST_F(HostMemoryOf, AContainer) {
  for (const char* group : {"0::/\n", "0::/../../elsewhere\n"}) {
    write("proc/self/cgroup", group);
    write("sys/fs/cgroup/memory.max", "2147483648\n");
    write("sys/fs/cgroup/memory.current", "3000000000\n");  // over it already
    EXPECT_EQ(memory().total, 2 * gib) << group;
    EXPECT_EQ(memory().free, 0u) << group;
  }
}

TEST_F(HostMemoryOf, VersionOneOfControlGroups) {
  write("proc/self/cgroup", "5:cpu:/\n3:memory:/slurm/job\n");
  write("sys/fs/cgroup/memory/slurm/memory.limit_in_bytes", "2147483648\n");
  write("sys/fs/cgroup/memory/slurm/memory.usage_in_bytes", "1073741824\n");
  EXPECT_EQ(memory().total, 2 * gib);
  EXPECT_EQ(memory().free, gib);
}

TEST(HostMemory, OfThisMachineIsPlausible) {
  const HostMemory memory = host_memory();
  EXPECT_GT(memory.free, 0u);
  EXPECT_LE(memory.free, memory.total);
  EXPECT_LT(memory.total, std::uint64_t{1} << 50);
}

}  // namespace
}  // namespace thinwire
