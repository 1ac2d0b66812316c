// Power cuts: a file keeps what was synced, and a folder the names that it had when it
// was synced.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <thread>

#include "io/result/journal.h"
#include "io/result/output_file.h"
#include "kernels/base/error.h"
#include "tests/io/temporary_folder.h"

namespace thinwire::power_cut_test {
namespace {

namespace fs = std::filesystem;

/// A disk that keeps what was synced, while there is one; see fdatasync() below.
struct Disk {
  Disk() { current = this; }
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;
  ~Disk() { current = nullptr; }

  int sync(int descriptor) {
    const fs::path path = fs::read_symlink("/proc/self/fd/" + std::to_string(descriptor));
    if (fails) return errno = EIO, -1;
    if (!fs::is_directory(path)) {
      texts[path.filename()] = test::read_file(path);
    } else {
      names.clear();
      for (const auto& entry : fs::directory_iterator(path))
        names.insert(entry.path().filename());
    }
    return 0;
  }

  bool fails = false;
  std::map<std::string, std::string> texts;
  std::set<std::string> names;

  static inline std::atomic<Disk*> current = nullptr;
};

const nlohmann::json work = {{"command", "optimize"}, {"deck", "EN\n"}};

/// Keys of the results that the disk gives after a power cut.
std::set<std::string> kept(const Disk& disk, const test::TemporaryFolder& folder) {
  if (!disk.names.contains("r.h5.journal")) return {};
  const fs::path after = folder / "after.journal";
  test::write_file(after, disk.texts.at("r.h5.journal"));
  std::set<std::string> keys;
  Journal(after, work).resume([&](const std::string& key, const std::string&) {
    keys.insert(key);
  });
  return keys;
}

TEST(PowerCut, LeavesEveryResultOfAJournalThatTookASecond) {
  const test::TemporaryFolder folder;
  Disk disk;
  Journal journal(folder / "r.h5.journal", work);
  journal.claim();
  std::set<std::string> added;
  const auto add = [&] {
    const std::string key = std::to_string(added.size());
    journal.add(key, "3.25");
    added.insert(key);
  };
  for (int i = 0; i < 3; ++i) add();
  std::this_thread::sleep_for(std::chrono::milliseconds(1010));
  for (int i = 0; i < 3; ++i) {
    // Syncs take up to a twentieth of the time: these take microseconds.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    add();
    EXPECT_EQ(kept(disk, folder), added);
  }
}

TEST(PowerCut, LeavesTheResultOrItsJournal) {
  const test::TemporaryFolder folder;
  Disk disk;
  Journal journal(folder / "r.h5.journal", work);
  journal.begin();
  journal.add("0", "3.25");
  write_result_file(folder / "r.h5", "the result");
  EXPECT_EQ(disk.texts.at("r.h5.part"), "the result") << "named before it was synced";
  journal.remove();
  EXPECT_EQ(disk.names, (std::set<std::string>{"r.h5", "r.h5.journal"}))
      << "the journal was removed before the result's name was synced";
  EXPECT_FALSE(fs::exists(folder / "r.h5.journal"));
}

TEST(PowerCut, ADiskThatCannotSyncIsAnError) {
  const test::TemporaryFolder folder;
  Disk disk;
  Journal journal(folder / "r.h5.journal", work);
  journal.begin();
  std::this_thread::sleep_for(std::chrono::milliseconds(1010));
  disk.fails = true;
  EXPECT_THROW(journal.add("0", "3.25"), Error);
  EXPECT_THROW(write_result_file(folder / "r.h5", "the result"), Error);
  EXPECT_FALSE(fs::exists(folder / "r.h5"));
}

}  // namespace
}  // namespace thinwire::power_cut_test

// The program's own calls get these before the C library's.
extern "C" int fdatasync(int descriptor) {
  using thinwire::power_cut_test::Disk;
  if (Disk* const disk = Disk::current) return disk->sync(descriptor);
  return static_cast<int>(::syscall(SYS_fdatasync, descriptor));
}
extern "C" int fsync(int descriptor) {
  using thinwire::power_cut_test::Disk;
  if (Disk* const disk = Disk::current) return disk->sync(descriptor);
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}
