// The POSIX calls of thinwire, for Windows: cmake/Windows.cmake has every source file
// include this first. Names and meanings are POSIX's. A call whose only users are
// optimisations, or MPI and CUDA, which a build for Windows lacks, fails or does nothing.
#pragma once
#pragma GCC system_header

#include <fcntl.h>
#include <io.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>

// Files: paths are fs::path::c_str(). They may be removed or replaced while they are
// open.
inline constexpr int O_CLOEXEC = _O_NOINHERIT, O_DIRECTORY = 0x1000000;
int open(const wchar_t* path, int flags, int mode = 0);
ssize_t pread(int file, void* bytes, std::size_t size, off_t offset);
ssize_t write(int file, const void* bytes, std::size_t size);
int access(const wchar_t* path, int mode);
int unlink(const wchar_t* path);
int rename(const wchar_t* from, const wchar_t* to);
inline int fsync(int file) {
  return _commit(file);
}
inline int fdatasync(int file) {
  return _commit(file);
}
namespace std {  // beside the one for names of char
std::FILE* fopen(const wchar_t* path, const char* mode);
}

struct posix_stat {
  std::uint64_t st_dev, st_ino;
  off_t st_size;
  timespec st_mtim;
};
int posix_stat(const wchar_t* path, struct posix_stat* status);
int posix_fstat(int file, struct posix_stat* status);
#undef stat
#undef fstat
#define stat posix_stat
#define fstat posix_fstat

inline constexpr int LOCK_EX = 2, LOCK_NB = 4;
int flock(int file, int operation);

struct statfs {
  unsigned f_type;
};
inline int statfs(const wchar_t*, struct statfs*) {
  return -1;
}

inline constexpr int F_GETFD = 1;
inline int fcntl(int, int) {
  return 0;
}  // a closed standard stream keeps its number

#ifndef EDQUOT
#define EDQUOT 1122
#endif

// Signals: Ctrl-C is SIGINT, Ctrl-Break SIGTERM, and a closed window SIGHUP.
#define SIGHUP 1
#define SIGPIPE 13
#define SIGALRM 14
#define SIGXFSZ 25
inline constexpr int SA_RESTART = 0;
struct sigaction {
  void (*sa_handler)(int);
  int sa_mask, sa_flags;
};
inline int sigemptyset(int*) {
  return 0;
}
int sigaction(int number, const struct sigaction* action, struct sigaction* before);

inline constexpr int ITIMER_REAL = 0;
struct itimerval {
  timeval it_interval, it_value;
};
int setitimer(int which, const itimerval* value, itimerval* before);

// Memory.
inline constexpr int MADV_HUGEPAGE = 14;
inline int madvise(void*, std::size_t, int) {
  return 0;
}
inline constexpr int M_MMAP_THRESHOLD = 0, M_TRIM_THRESHOLD = 1, M_ARENA_MAX = 2;
inline int mallopt(int, int) {
  return 1;
}

inline constexpr int RLIMIT_AS = 0;
inline constexpr std::uint64_t RLIM_INFINITY = ~std::uint64_t{0};
struct rlimit {
  std::uint64_t rlim_cur, rlim_max;
};
inline int getrlimit(int, rlimit*) {
  return -1;
}

// The machine.
enum { _SC_PAGESIZE = 1, _SC_PHYS_PAGES, _SC_AVPHYS_PAGES, _SC_NPROCESSORS_ONLN_ };
#undef _SC_NPROCESSORS_ONLN
#define _SC_NPROCESSORS_ONLN _SC_NPROCESSORS_ONLN_
long sysconf(int name);

struct utsname {
  char sysname[16], release[32];
};
int uname(utsname* system);

struct cpu_set_t {
  int count;
};
inline void CPU_ZERO(cpu_set_t* cores) {
  cores->count = 1;
}
inline int CPU_COUNT(const cpu_set_t* cores) {
  return cores->count;
}
inline int sched_getaffinity(int, std::size_t, cpu_set_t*) {
  return -1;
}

// Processes. Nothing replaces a running one.
int setenv(const char* name, const char* value, int overwrite);
inline int posix_execvp(const char*, char* const*) {
  return -1;
}
#define execvp posix_execvp
#define execv posix_execvp

using posix_spawn_file_actions_t = int;
using posix_spawnattr_t = int;
inline constexpr int POSIX_SPAWN_SETSID = 1;
inline int posix_spawn_file_actions_init(int*) {
  return 0;
}
inline int posix_spawn_file_actions_addopen(int*, int, const char*, int, int) {
  return 0;
}
inline int posix_spawn_file_actions_destroy(int*) {
  return 0;
}
inline int posix_spawnattr_init(int*) {
  return 0;
}
inline int posix_spawnattr_setflags(int*, int) {
  return 0;
}
inline int posix_spawnattr_destroy(int*) {
  return 0;
}
/// Opens a file, words[1], by the program that Windows has for it.
int posix_spawnp(pid_t* process, const char* file, const int* files,
                 const int* attributes, char* const* words, char** environment);

// Modules, and ranks that share a host: for CUDA and MPI.
inline constexpr int RTLD_NOW = 0, RTLD_LOCAL = 0, RTLD_GLOBAL = 0;
template <class Character>
void* dlopen(const Character*, int) {
  return nullptr;
}
inline void* dlsym(void*, const char*) {
  return nullptr;
}
inline const char* dlerror() {
  return "modules are not loaded on Windows";
}
struct Dl_info {
  const char* dli_fname;
};
inline int dladdr(const void*, Dl_info*) {
  return 0;
}
inline int gethostname(char*, std::size_t) {
  return -1;
}
