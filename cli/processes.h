#pragma once

#include <string>

#include "mom/plan/planner.h"
#include "mom/problem/options.h"
#include "mom/schedule/ranks.h"

namespace thinwire::cli {

/// Number of processes that mpirun or srun started, and the rank of this one, from 0, as
/// the environment states them. 1 and 0 without it.
struct Started {
  int ranks = 1, rank = 0;
};
Started started_as();

/// Meets the other processes, where there are any: starts MPI. Called once, before
/// anything is read, written or printed, as it may start the program once more. Throws
/// as start_ranks() does.
void join_processes(char** argv);

/// The processes that this one has met; null where it is alone.
const Ranks* processes();
/// Whether this one reads, prints and writes: one that is alone does.
bool is_first_process();

/// Ends MPI, all processes together.
void leave_processes();

/// True if this process is the one to report an error. To be called before it does. Those
/// before it may have met the same, and have a moment to say so and to end all. The first
/// process reports interrupts, since it has the results so far, even if it learns of them
/// late.
bool may_tell_of_error(bool interrupt);

/// `text` of the first process, on all.
void broadcast(std::string& text);

/// The rates that the first process predicts times with, on all: they are to choose the
/// same.
void broadcast(CpuRates& rates);

/// Sets the threads of this process, where it has met others and neither options nor
/// OMP_NUM_THREADS say them: the cores that the processes of its host may use, divided by
/// these. Together, as the following, and before it plans: all are to plan alike.
void assign_threads(Options& options);
/// Sets the GPU likewise: the host's in turn.
void assign_device(Planner& planner, Options& options);

}  // namespace thinwire::cli
