#include "cli/interrupt.h"

#include <unistd.h>
#include <csignal>
#include <string>

#include "cli/exit_code.h"
#include "io/result/output_file.h"

namespace thinwire::cli {
namespace {

constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP};
std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

// A signal handler may not allocate: the names are made ready before.
std::vector<std::string> part_names;

extern "C" void on_signal(int) {
  if (stop_requested.exchange(true)) {
    for (const std::string& name : part_names) ::unlink(name.c_str());
    ::_exit(exit_interrupted);
  }
}

void set_handlers(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  for (const int number : signals) sigaction(number, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard(const std::vector<std::filesystem::path>& outputs) {
  part_names.clear();
  for (const std::filesystem::path& output : outputs)
    if (!is_written_directly(output)) part_names.push_back(output.string() + ".part");
  stop_requested = false;
  set_handlers(on_signal);
}

InterruptGuard::~InterruptGuard() {
  set_handlers(SIG_DFL);
  part_names.clear();
}

const std::atomic<bool>* InterruptGuard::stop() {
  return &stop_requested;
}

}  // namespace thinwire::cli
