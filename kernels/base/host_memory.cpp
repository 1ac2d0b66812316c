#include "kernels/base/host_memory.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>

#include "kernels/base/bytes_text.h"
#include "kernels/base/error.h"

namespace thinwire {
namespace {

namespace fs = std::filesystem;

/// A file that holds one number. Nothing where it is missing or says "max".
std::optional<std::uint64_t> number_in(const fs::path& path) {
  std::ifstream in(path);
  std::uint64_t value = 0;
  if (in >> value) return value;
  return std::nullopt;
}

/// The number after `name` in lines of "name number ...".
std::optional<std::uint64_t> number_after(const fs::path& path, const std::string& name) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string word;
    std::uint64_t value = 0;
    if (words >> word && word == name && words >> value) return value;
  }
  return std::nullopt;
}

void lower(std::uint64_t& value, std::uint64_t limit) {
  value = std::min(value, limit);
}

/// Names of the files of one version of control groups.
struct GroupFiles {
  const char *limit, *used, *cache;
};
constexpr GroupFiles version_1 = {"memory.limit_in_bytes", "memory.usage_in_bytes",
                                  "total_inactive_file"};
constexpr GroupFiles version_2 = {"memory.max", "memory.current", "inactive_file"};

/// The limits of a group and of those that it is in, up to `mount`.
void apply_groups(const fs::path& mount, const std::string& group,
                  const GroupFiles& files, HostMemory& memory) {
  // A process outside of its own namespace sees a path with "..": then the mount counts.
  const bool inside = group.find("..") == std::string::npos;
  fs::path folder = inside ? fs::path(mount.string() + group) : mount;
  while (folder.string().size() >= mount.string().size()) {
    if (const auto limit = number_in(folder / files.limit)) {
      const std::uint64_t used = number_in(folder / files.used).value_or(0),
                          cache = number_after(folder / "memory.stat", files.cache)
                                      .value_or(0),
                          held = used - std::min(used, cache);
      lower(memory.total, *limit);
      lower(memory.free, *limit - std::min(*limit, held));
    }
    if (folder == mount || !folder.has_relative_path()) break;
    folder = folder.parent_path();
  }
}

void apply_control_groups(const fs::path& root, HostMemory& memory) {
  std::ifstream in(root / "proc/self/cgroup");
  const fs::path mount = root / "sys/fs/cgroup";
  // Lines of number:controllers:path; version 2 names no controllers.
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string group = line.substr(second + 1);
    while (group.ends_with('/')) group.pop_back();
    if (controllers.empty()) apply_groups(mount, group, version_2, memory);
    if (controllers == "memory") apply_groups(mount / "memory", group, version_1, memory);
  }
}

/// `ulimit -v`: on addresses, which memory takes when it is asked for.
struct Addresses {
  std::uint64_t limit = 0, free = 0;
};

/// Nothing where there is no limit.
std::optional<Addresses> limited_addresses(const fs::path& root) {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::nullopt;
  const std::uint64_t pages = number_in(root / "proc/self/statm").value_or(0),
                      used = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return Addresses{limit.rlim_cur, limit.rlim_cur - std::min(limit.rlim_cur, used)};
}

std::uint64_t thread_stack_bytes() {
  pthread_attr_t attributes;
  std::size_t bytes = 0;
  pthread_attr_init(&attributes);
  pthread_attr_getstacksize(&attributes, &bytes);
  pthread_attr_destroy(&attributes);
  return bytes;
}

}  // namespace

HostMemory host_memory(const fs::path& root) {
  HostMemory memory;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  memory.total = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * page;
  memory.free = static_cast<std::uint64_t>(sysconf(_SC_AVPHYS_PAGES)) * page;
  const fs::path meminfo = root / "proc/meminfo";
  if (const auto kib = number_after(meminfo, "MemTotal:")) memory.total = 1024 * *kib;
  if (const auto kib = number_after(meminfo, "MemAvailable:")) memory.free = 1024 * *kib;
  apply_control_groups(root, memory);
  if (const auto addresses = limited_addresses(root)) {
    lower(memory.total, addresses->limit);
    lower(memory.free, addresses->free);
  }
  return memory;
}

HostMemory host_memory() {
  using Clock = std::chrono::steady_clock;
  static std::mutex one_at_a_time;
  static std::optional<HostMemory> last;
  static Clock::time_point read_at;
  const std::lock_guard lock(one_at_a_time);
  if (const auto now = Clock::now();
      !last || now - read_at > std::chrono::milliseconds(20)) {
    last = host_memory("/");
    read_at = now;
  }
  return *last;
}

void require_thread_stacks(int threads) {
  // OpenMP keeps its threads for the next loop.
  static std::atomic<int> found{1};
  const auto addresses = threads > found ? limited_addresses("/") : std::nullopt;
  if (!addresses) return;
  const std::uint64_t stack = thread_stack_bytes(),
                      needed = static_cast<std::uint64_t>(threads - found) * stack;
  // For allocations before OpenMP starts the threads.
  constexpr std::uint64_t reserve = std::uint64_t{8} << 20;
  if (needed + reserve > addresses->free)
    throw Error(
        ErrorKind::memory,
        fmt::format("threads: {} of them need {} of addresses each for their stacks, but "
                    "`ulimit -v` leaves {} in all. Raise it, or use --threads 1 and "
                    "OMP_NUM_THREADS=1.",
                    threads, bytes_text(static_cast<double>(stack)),
                    bytes_text(static_cast<double>(addresses->free))));
    // While there is room: what is allocated before the first loop may leave none.
#pragma omp parallel num_threads(threads)
  {
#pragma omp barrier
  } found = threads;
}

}  // namespace thinwire
