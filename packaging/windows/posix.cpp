#include <algorithm>

#include <windows.h>
// After windows.h, which must not meet the macros of posix.h.
#include <shellapi.h>

#include <cerrno>
#include <codecvt>
#include <cstdio>
#include <locale>
#include <string>
#include <utility>
#include <vector>

namespace {

/// Sets errno from the last error of Windows, and returns -1.
int fail() {
  switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_NETPATH:
      errno = ENOENT;
      break;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
      errno = EEXIST;
      break;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_WRITE_PROTECT:
      errno = EACCES;
      break;
    case ERROR_LOCK_VIOLATION:
    case ERROR_IO_PENDING:
      errno = EWOULDBLOCK;
      break;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
      errno = ENOSPC;
      break;
    case ERROR_FILENAME_EXCED_RANGE:
      errno = ENAMETOOLONG;
      break;
    default:
      errno = EIO;
  }
  return -1;
}

HANDLE handle_of(int file) {
  return reinterpret_cast<HANDLE>(_get_osfhandle(file));
}

std::wstring wide(const char* utf8) {
  const int size = MultiByteToWideChar(CP_UTF8, 0, utf8, -1, nullptr, 0);
  std::wstring text(static_cast<std::size_t>(size), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, utf8, -1, text.data(), size);
  return text;
}

std::string narrow(const wchar_t* text) {
  const int size =
      WideCharToMultiByte(CP_UTF8, 0, text, -1, nullptr, 0, nullptr, nullptr);
  std::string utf8(static_cast<std::size_t>(size), '\0');
  WideCharToMultiByte(CP_UTF8, 0, text, -1, utf8.data(), size, nullptr, nullptr);
  utf8.pop_back();  // the terminating zero
  return utf8;
}

HANDLE open_handle(const wchar_t* path, DWORD access, DWORD how, bool inherit = false) {
  SECURITY_ATTRIBUTES attributes = {sizeof attributes, nullptr, inherit};
  return CreateFileW(path, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                     &attributes, how, FILE_ATTRIBUTE_NORMAL, nullptr);
}

int status_of(HANDLE file, struct posix_stat* status) {
  BY_HANDLE_FILE_INFORMATION of;
  if (!GetFileInformationByHandle(file, &of)) return fail();
  const auto joined = [](DWORD high, DWORD low) {
    return static_cast<std::uint64_t>(high) << 32 | low;
  };
  // Hundreds of nanoseconds.
  const std::uint64_t written =
      joined(of.ftLastWriteTime.dwHighDateTime, of.ftLastWriteTime.dwLowDateTime);
  *status = {of.dwVolumeSerialNumber,
             joined(of.nFileIndexHigh, of.nFileIndexLow),
             static_cast<off_t>(joined(of.nFileSizeHigh, of.nFileSizeLow)),
             {static_cast<std::time_t>(written / 10'000'000),
              static_cast<long>(written % 10'000'000 * 100)}};
  return 0;
}

constexpr int signals = 32;
struct sigaction actions[signals];

bool deliver(int number) {
  void (*const handler)(int) = actions[number].sa_handler;
  if (handler == SIG_DFL) return false;
  if (handler != SIG_IGN) handler(number);
  return true;
}

BOOL WINAPI on_console_event(DWORD event) {
  switch (event) {
    case CTRL_C_EVENT:
      return deliver(SIGINT);
    case CTRL_BREAK_EVENT:
      return deliver(SIGTERM);
    default:
      if (!deliver(SIGHUP)) return FALSE;
      Sleep(INFINITE);  // the process ends when this handler returns
      return TRUE;
  }
}

void CALLBACK on_timer(void*, BOOLEAN) {
  deliver(SIGALRM);
}

}  // namespace

int open(const wchar_t* path, int flags, int) {
  if (flags & O_DIRECTORY) return errno = EISDIR, -1;
  const int mode = flags & (O_RDONLY | O_WRONLY | O_RDWR);
  const DWORD access = mode == O_RDONLY   ? GENERIC_READ
                       : mode == O_WRONLY ? GENERIC_WRITE
                                          : GENERIC_READ | GENERIC_WRITE;
  const DWORD how = flags & O_EXCL ? CREATE_NEW
                    : flags & O_TRUNC
                        ? (flags & O_CREAT ? CREATE_ALWAYS : TRUNCATE_EXISTING)
                    : flags & O_CREAT ? OPEN_ALWAYS
                                      : OPEN_EXISTING;
  HANDLE file = open_handle(path, access, how, !(flags & O_CLOEXEC));
  // Devices cannot be truncated.
  if (file == INVALID_HANDLE_VALUE && how == TRUNCATE_EXISTING)
    file = open_handle(path, access, OPEN_EXISTING, !(flags & O_CLOEXEC));
  if (file == INVALID_HANDLE_VALUE) return fail();
  return _open_osfhandle(reinterpret_cast<std::intptr_t>(file),
                         (flags & (O_APPEND | O_CLOEXEC)) | mode | _O_BINARY);
}

ssize_t pread(int file, void* bytes, std::size_t size, off_t offset) {
  OVERLAPPED at = {};
  at.Offset = static_cast<DWORD>(offset);
  at.OffsetHigh = static_cast<DWORD>(static_cast<std::uint64_t>(offset) >> 32);
  DWORD got = 0;
  if (!ReadFile(handle_of(file), bytes,
                static_cast<DWORD>(std::min<std::size_t>(size, 1 << 30)), &got, &at) &&
      GetLastError() != ERROR_HANDLE_EOF)
    return fail();
  return got;
}

ssize_t write(int file, const void* bytes, std::size_t size) {
  return _write(file, bytes, static_cast<unsigned>(std::min<std::size_t>(size, 1 << 30)));
}

int access(const wchar_t* path, int mode) {
  return _waccess(path, mode & (R_OK | W_OK));
}

int unlink(const wchar_t* path) {
  return DeleteFileW(path) ? 0 : fail();
}

int rename(const wchar_t* from, const wchar_t* to) {
  return MoveFileExW(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)
             ? 0
             : fail();
}

std::FILE* std::fopen(const wchar_t* path, const char* mode) {
  const int flags = *mode == 'a' ? O_WRONLY | O_CREAT | O_APPEND : O_RDONLY;
  const int file = open(path, flags | O_CLOEXEC);
  return file < 0 ? nullptr : ::fdopen(file, mode);
}

int posix_fstat(int file, struct posix_stat* status) {
  return status_of(handle_of(file), status);
}

int posix_stat(const wchar_t* path, struct posix_stat* status) {
  const HANDLE file = open_handle(path, 0, OPEN_EXISTING);
  if (file == INVALID_HANDLE_VALUE) return fail();
  const int failed = status_of(file, status);
  CloseHandle(file);
  return failed;
}

int flock(int file, int) {
  // A byte behind the end of any file: locks of Windows keep others from reading, too.
  OVERLAPPED at = {};
  at.OffsetHigh = 0x7fffffff;
  return LockFileEx(handle_of(file), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY,
                    0, 1, 0, &at)
             ? 0
             : fail();
}

int sigaction(int number, const struct sigaction* action, struct sigaction* before) {
  if (before) *before = actions[number];
  if (action) actions[number] = *action;
  return 0;
}

int setitimer(int, const itimerval* value, itimerval*) {
  static HANDLE timer = nullptr;
  if (timer) DeleteTimerQueueTimer(nullptr, std::exchange(timer, nullptr), nullptr);
  const long milliseconds =
      value->it_value.tv_sec * 1000 + value->it_value.tv_usec / 1000;
  if (milliseconds > 0)
    CreateTimerQueueTimer(&timer, nullptr, on_timer, nullptr, milliseconds, 0,
                          WT_EXECUTEONLYONCE);
  return 0;
}

long sysconf(int name) {
  SYSTEM_INFO system;
  GetSystemInfo(&system);
  MEMORYSTATUSEX memory = {};
  memory.dwLength = sizeof memory;
  GlobalMemoryStatusEx(&memory);
  switch (name) {
    case _SC_PHYS_PAGES:
      return static_cast<long>(memory.ullTotalPhys / system.dwPageSize);
    case _SC_AVPHYS_PAGES:
      return static_cast<long>(memory.ullAvailPhys / system.dwPageSize);
    case _SC_NPROCESSORS_ONLN:
      return static_cast<long>(system.dwNumberOfProcessors);
    default:
      return static_cast<long>(system.dwPageSize);
  }
}

int uname(utsname* system) {
  // GetVersionEx() answers with the version that the program's manifest names.
  using Version = LONG(WINAPI*)(OSVERSIONINFOW*);
  OSVERSIONINFOW version = {};
  version.dwOSVersionInfoSize = sizeof version;
  const auto get = reinterpret_cast<Version>(reinterpret_cast<void*>(
      GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "RtlGetVersion")));
  if (get) get(&version);
  std::snprintf(system->sysname, sizeof system->sysname, "Windows");
  std::snprintf(system->release, sizeof system->release, "%lu.%lu.%lu",
                version.dwMajorVersion, version.dwMinorVersion, version.dwBuildNumber);
  return 0;
}

int setenv(const char* name, const char* value, int overwrite) {
  return std::getenv(name) && !overwrite ? 0 : _putenv_s(name, value);
}

int posix_spawnp(pid_t*, const char* verb, const int*, const int*, char* const* words,
                 char**) {
  ShellExecuteW(nullptr, wide(verb).c_str(), wide(words[1]).c_str(), nullptr, nullptr,
                SW_SHOWNORMAL);
  return 0;
}

// The linker has calls of these go to __wrap_NAME (cmake/Windows.cmake).
extern "C" {

int __real_main(int argc, char** argv);

/// Gives main() its arguments in UTF-8, files without translation of line ends, and a
/// console that shows UTF-8 and obeys escape sequences.
int __wrap_main(int, char**) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    std::fputs("thinwire: this program needs a processor with AVX2 (2013 or later).\n",
               stderr);
    return 4;
  }
  for (const int stream : {0, 1, 2}) _setmode(stream, _O_BINARY);
  SetConsoleOutputCP(CP_UTF8);
  const HANDLE console = GetStdHandle(STD_ERROR_HANDLE);
  if (DWORD mode = 0; GetConsoleMode(console, &mode))
    SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
  SetConsoleCtrlHandler(on_console_event, TRUE);
  // The place of measured rates; Windows has no HOME.
  if (const wchar_t* home = _wgetenv(L"USERPROFILE"))
    setenv("HOME", narrow(home).c_str(), 0);
  int argc = 0;
  wchar_t** const words = CommandLineToArgvW(GetCommandLineW(), &argc);
  std::vector<std::string> arguments;
  for (int i = 0; i < argc; ++i) arguments.push_back(narrow(words[i]));
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  return __real_main(argc, argv.data());
}

/// The conversion of fs::path from char, which by libstdc++ is byte by byte: from UTF-8,
/// as that to char is.
std::codecvt_base::result __wrap__ZNKSt7codecvtIwciE5do_inERiPKcS3_RS3_PwS5_RS5_(
    const void*, std::mbstate_t& state, const char* from, const char* from_end,
    const char*& from_next, wchar_t* to, wchar_t* to_end, wchar_t*& to_next) {
  static const std::codecvt_utf8_utf16<wchar_t> utf8;
  return utf8.in(state, from, from_end, from_next, to, to_end, to_next);
}
}
