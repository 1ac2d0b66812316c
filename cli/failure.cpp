#include "cli/failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <thread>

#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/processes.h"
#include "cli/tell.h"
#include "kernels/base/printable.h"

namespace thinwire::cli {
namespace {

constexpr const char* out_of_memory =
    "out of memory. `thinwire solve DECK --dry-run` prints what is needed.";

}  // namespace

int fail(std::string_view text, int code) {
  if (!may_tell_of_error(code == exit_interrupted)) {
    // The one that told ends all; should that fail, this one does.
    std::this_thread::sleep_for(std::chrono::seconds(10));
    text = {};
  }
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    tell("thinwire: {}\n", line);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  if (processes() != nullptr) processes()->end_all(code);
  return code;
}

int fail(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    // Only the first process knows what was kept.
    if (error.kind() == ErrorKind::interrupted && !is_first_process())
      return fail(fmt::format("interrupted (rank {} of {}). Continue with --resume where "
                              "there is a journal.",
                              processes()->rank(), processes()->ranks()),
                  exit_interrupted);
    // Values of options that a usage error quotes may have line breaks.
    return fail(error.kind() == ErrorKind::usage ? printable(error.what()) : error.what(),
                exit_code(error.kind()));
  } catch (const std::bad_alloc&) {
    return fail(out_of_memory, exit_device);
  } catch (const std::exception& error) {
    if (std::ferror(stdout)) return fail_for_stdout();
    return fail(error.what(), exit_file);
  }
}

void fail_where_nothing_catches() {
  std::set_terminate([] {
    // Threads that fail at the same time are one failure.
    static std::atomic_flag first;
    while (first.test_and_set()) std::this_thread::sleep_for(std::chrono::seconds(1));
    const std::exception_ptr thrown = std::current_exception();
    if (!thrown) std::abort();
    int code = exit_device;
    try {
      code = fail(thrown);
    } catch (const std::bad_alloc&) {  // no room for the words either
      std::fprintf(stderr, "thinwire: %s\n", out_of_memory);
    }
    InterruptGuard::remove_parts();
    std::_Exit(code);
  });
}

int fail_for_stdout() {
  if (errno == EPIPE) {  // its reader has seen enough, as `head` does
    if (processes() != nullptr) processes()->end_all(exit_file);
    return exit_file;
  }
  const std::string why = std::strerror(errno);
  return fail(
      fmt::format("standard output: cannot be written ({}). Write elsewhere.", why),
      exit_file);
}

}  // namespace thinwire::cli
