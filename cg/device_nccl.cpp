#include "cg/device_nccl.h"

#include "kernels/base/error.h"

#if __has_include(<nccl.h>)

#include <dlfcn.h>
#include <nccl.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

namespace thinwire {
namespace {

constexpr const char* file = "libnccl.so.2";
constexpr const char* sharing = "NCCL_MULTI_RANK_GPU_ENABLE";
constexpr int first_version_of_sharing = 23100;

/// The functions of the library that are used.
struct Library {
  decltype(&ncclGetErrorString) error_string = nullptr;
  decltype(&ncclGetVersion) get_version = nullptr;
  decltype(&ncclGetUniqueId) get_unique_id = nullptr;
  decltype(&ncclCommInitRank) comm_init_rank = nullptr;
  decltype(&ncclCommAbort) comm_abort = nullptr;
  decltype(&ncclGroupStart) group_start = nullptr;
  decltype(&ncclGroupEnd) group_end = nullptr;
  decltype(&ncclSend) send = nullptr;
  decltype(&ncclRecv) receive = nullptr;
  decltype(&ncclBroadcast) broadcast = nullptr;
  std::string problem;

  Library() {
    void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      problem = std::string(file) + " cannot be loaded (" + dlerror() + ")";
      return;
    }
    take(library, "ncclGetErrorString", error_string);
    take(library, "ncclGetVersion", get_version);
    take(library, "ncclGetUniqueId", get_unique_id);
    take(library, "ncclCommInitRank", comm_init_rank);
    take(library, "ncclCommAbort", comm_abort);
    take(library, "ncclGroupStart", group_start);
    take(library, "ncclGroupEnd", group_end);
    take(library, "ncclSend", send);
    take(library, "ncclRecv", receive);
    take(library, "ncclBroadcast", broadcast);
  }

 private:
  template <class Function>
  void take(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr) problem = std::string(file) + " has no " + name;
  }
};

const Library& library() {
  static const Library loaded;
  return loaded;
}

void check(ncclResult_t status, const char* call) {
  if (status == ncclSuccess) return;
  throw Error(ErrorKind::device, std::string("exchange between ranks: ") + call +
                                     " failed (" + library().error_string(status) +
                                     "). Set NCCL_DEBUG=WARN to see why, or use "
                                     "--device cpu.");
}

}  // namespace

struct NcclGroup::State {
  ncclComm_t comm = nullptr;
};

std::string NcclGroup::problem() {
  return library().problem;
}

bool NcclGroup::ranks_may_share_a_gpu() {
  const char* const set = std::getenv(sharing);
  if (set == nullptr || set != std::string_view("1") || !problem().empty()) return false;
  int version = 0;
  check(library().get_version(&version), "ncclGetVersion");
  return version >= first_version_of_sharing;
}

NcclGroup::Id NcclGroup::make_id() {
  ncclUniqueId made;
  check(library().get_unique_id(&made), "ncclGetUniqueId");
  Id id;
  static_assert(sizeof made == sizeof id);
  std::memcpy(&id, &made, sizeof id);
  return id;
}

NcclGroup::NcclGroup(const Id& id, int rank, int ranks)
    : state_(std::make_unique<State>()) {
  ncclUniqueId all;
  std::memcpy(&all, &id, sizeof all);
  check(library().comm_init_rank(&state_->comm, ranks, all, rank), "ncclCommInitRank");
}

// Without waiting for the others, who may have failed; all work has been waited for.
NcclGroup::~NcclGroup() {
  (void)library().comm_abort(state_->comm);
}

void NcclGroup::begin() const {
  check(library().group_start(), "ncclGroupStart");
}
void NcclGroup::end() const {
  check(library().group_end(), "ncclGroupEnd");
}

void NcclGroup::send(const void* from, std::size_t bytes, int to,
                     const DeviceStream& stream) const {
  check(library().send(from, bytes, ncclChar, to, state_->comm, stream.get()),
        "ncclSend");
}

void NcclGroup::receive(void* to, std::size_t bytes, int from,
                        const DeviceStream& stream) const {
  check(library().receive(to, bytes, ncclChar, from, state_->comm, stream.get()),
        "ncclRecv");
}

void NcclGroup::broadcast(const void* from, void* to, std::size_t bytes, int root,
                          const DeviceStream& stream) const {
  check(library().broadcast(from, to, bytes, ncclChar, root, state_->comm, stream.get()),
        "ncclBroadcast");
}

}  // namespace thinwire

#else  // built without NCCL's header

namespace thinwire {
namespace {

[[noreturn]] void refuse() {
  throw Error(ErrorKind::device,
              "exchange between ranks: this build has no NCCL. Use --device cpu.");
}

}  // namespace

struct NcclGroup::State {};
std::string NcclGroup::problem() {
  return "this build has no NCCL";
}
bool NcclGroup::ranks_may_share_a_gpu() {
  return false;
}
NcclGroup::Id NcclGroup::make_id() {
  refuse();
}
NcclGroup::NcclGroup(const Id&, int, int) {
  refuse();
}
NcclGroup::~NcclGroup() = default;
void NcclGroup::begin() const {}
void NcclGroup::end() const {}
void NcclGroup::send(const void*, std::size_t, int, const DeviceStream&) const {}
void NcclGroup::receive(void*, std::size_t, int, const DeviceStream&) const {}
void NcclGroup::broadcast(const void*, void*, std::size_t, int,
                          const DeviceStream&) const {}

}  // namespace thinwire

#endif
