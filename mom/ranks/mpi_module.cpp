// The MPI module's entry: what the program gets of it.
#include <string_view>

#include "kernels/base/error.h"
#include "mom/ranks/load_ranks.h"
#include "mom/ranks/mpi_ranks.h"

namespace thinwire {
namespace {

/// MPI from its start to its end.
struct Mpi {
  Mpi() {
    int level = MPI_THREAD_SINGLE;
    // A thread of the first rank deals work out while others solve.
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

/// MPI is started before the ranks ask it, and ends after them.
class World final : private Mpi, public MpiRanks {
 public:
  World() : MpiRanks(MPI_COMM_WORLD) {}
};

}  // namespace
}  // namespace thinwire

extern "C" __attribute__((visibility("default"))) std::unique_ptr<thinwire::Ranks>
thinwire_ranks_module(const char* version) {
  if (std::string_view(version) != thinwire::ranks_module_version) return nullptr;
  return std::make_unique<thinwire::World>();
}
