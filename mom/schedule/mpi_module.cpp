// The MPI module's entry: what the program gets of it.
#include <atomic>
#include <string_view>

#include "kernels/base/error.h"
#include "mom/schedule/load_ranks.h"
#include "mom/schedule/mpi_ranks.h"

namespace thinwire {
namespace {

/// MPI from its start to its end.
struct Mpi {
  Mpi() {
    int level = MPI_THREAD_SINGLE;
    // A thread of the first rank distributes work while others solve.
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
    if (level < MPI_THREAD_MULTIPLE) {
      MPI_Finalize();
      throw Error(ErrorKind::device,
                  "mpi: this MPI library can't be called from several threads "
                  "(MPI_THREAD_MULTIPLE). Use one built with them.");
    }
  }
  ~Mpi() { MPI_Finalize(); }
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;
};

/// A flag in memory that the ranks of a host share: who waits within MPI sees it, too.
class HostFlag {
 public:
  HostFlag() {
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host_);
    int rank = 0, unit = 0;
    MPI_Comm_rank(host_, &rank);
    void* first = nullptr;
    MPI_Aint bytes = rank == 0 ? sizeof(int) : 0;
    MPI_Win_allocate_shared(bytes, sizeof(int), MPI_INFO_NULL, host_, &first, &window_);
    MPI_Win_shared_query(window_, 0, &bytes, &unit, &first);
    flag_ = static_cast<int*>(first);
    if (rank == 0) std::atomic_ref(*flag_).store(0);
    MPI_Barrier(host_);
  }
  ~HostFlag() {
    MPI_Win_free(&window_);
    MPI_Comm_free(&host_);
  }
  HostFlag(const HostFlag&) = delete;
  HostFlag& operator=(const HostFlag&) = delete;

  void set() const { std::atomic_ref(*flag_).store(1); }
  bool is_set() const { return std::atomic_ref(*flag_).load() != 0; }

 private:
  MPI_Comm host_ = MPI_COMM_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
  int* flag_ = nullptr;
};

/// MPI is started before the ranks ask it, and ends after them.
class World final : private Mpi, public MpiRanks {
 public:
  World() : MpiRanks(MPI_COMM_WORLD) {}
  void announce_end() const override {
    end_told_.set();
    MpiRanks::announce_end();
  }
  bool end_told_on_host() const override { return end_told_.is_set(); }

 private:
  HostFlag end_told_;
};

}  // namespace
}  // namespace thinwire

extern "C" __attribute__((visibility("default"))) std::unique_ptr<thinwire::Ranks>
thinwire_ranks_module(const char* version) {
  if (std::string_view(version) != thinwire::ranks_module_version) return nullptr;
  return std::make_unique<thinwire::World>();
}
