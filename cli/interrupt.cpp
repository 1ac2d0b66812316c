#include "cli/interrupt.h"

#include <sys/time.h>
#include <unistd.h>
#include <array>
#include <csignal>
#include <string>
#include <string_view>

#include "cli/exit_code.h"
#include "cli/processes.h"
#include "io/result/output_file.h"

namespace thinwire::cli {
namespace {

constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP};
std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

// A signal handler may not allocate: what it needs is made ready before.
std::vector<std::filesystem::path> part_names;
std::string_view last_words;
/// How long the parts that look for it themselves have before the program ends anyway:
/// within a second in all.
constexpr itimerval patience = {{}, {0, 750'000}}, endless = {};
bool ends_anyway = false;
std::array<struct sigaction, std::size(signals) + 1> before;

extern "C" void end_now(int) {
  InterruptGuard::remove_parts();
  // mpirun interrupts all where one has failed, and that one has told why.
  const bool told = processes() != nullptr && processes()->end_told_on_host();
  // Whether the words arrive changes nothing.
  [[maybe_unused]] const ssize_t written =
      told ? 0 : ::write(STDERR_FILENO, last_words.data(), last_words.size());
  ::_exit(exit_interrupted);
}

extern "C" void on_signal(int number) {
  const bool again = stop_requested.exchange(true);
  // Slurm and mpirun send one interrupt twice: what is to be said of it has its time.
  if (again && !ends_anyway) end_now(number);
  // On Linux a system call and no more, as alarm() is.
  if (!again && ends_anyway) ::setitimer(ITIMER_REAL, &patience, nullptr);
}

void set_handler(int number, void (*handler)(int), struct sigaction& was) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(number, nullptr, &was);
  // nohup's hang-up stays ignored; that a shell has its background jobs ignore Ctrl-C
  // keeps nobody from sending it to them.
  if (was.sa_handler != SIG_IGN || number != SIGHUP) sigaction(number, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard(const std::vector<std::filesystem::path>& outputs,
                               OnInterrupt on_interrupt) {
  part_names.clear();
  for (const std::filesystem::path& output : outputs)
    if (!output.empty() && !is_written_directly(output))
      part_names.emplace_back(output.string() + ".part");
  // Over the progress line, where there may be one.
  last_words = ::isatty(STDERR_FILENO) != 0 ? "\r\x1b[Kthinwire: interrupted.\n"
                                            : "thinwire: interrupted.\n";
  if (!is_first_process()) last_words = "";
  ends_anyway = on_interrupt == OnInterrupt::end;
  set_handler(SIGALRM, end_now, before.back());
  for (std::size_t i = 0; i < std::size(signals); ++i)
    set_handler(signals[i], on_signal, before[i]);
  // The guard before this one may have ended before its work saw the interrupt.
  if (stop_requested && ends_anyway) ::setitimer(ITIMER_REAL, &patience, nullptr);
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < std::size(signals); ++i)
    sigaction(signals[i], &before[i], nullptr);
  ::setitimer(ITIMER_REAL, &endless, nullptr);
  sigaction(SIGALRM, &before.back(), nullptr);
  part_names.clear();
}

void InterruptGuard::remove_parts() {
  for (const std::filesystem::path& name : part_names) ::unlink(name.c_str());
}

const std::atomic<bool>* InterruptGuard::stop() {
  return &stop_requested;
}

}  // namespace thinwire::cli
