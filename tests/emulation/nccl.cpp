#include <fcntl.h>
#include <nccl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "tests/emulation/stop.h"
#include "tests/emulation/stream.h"

/// NCCL between threads and processes of one host. A file in /dev/shm has a letterbox for
/// each pair of ranks:
///
///     letterbox (from, to):  from waits until it is empty, puts in up to 64 KiB, says
///     full;
///                            to waits until it is full, takes these out, says empty
namespace {

constexpr std::size_t letter_bytes = 64 << 10;

struct Letterbox {
  std::atomic<bool> full;
  std::size_t bytes;
  char letter[letter_bytes];
};

/// The beginning of the file; the letterboxes follow.
struct alignas(64) Arrivals {
  std::atomic<int> ranks;
};

struct Message {
  bool sent;  // else received
  int peer;
  char* at;
  std::size_t bytes_left;
};

void wait_a_little() {
  std::this_thread::sleep_for(std::chrono::microseconds(5));
}

}  // namespace

struct ncclComm {
  int rank, ranks;
  Arrivals* arrivals;

  Letterbox& from_to(int from, int to) const {
    return reinterpret_cast<Letterbox*>(arrivals + 1)[from * ranks + to];
  }
};

namespace {

/// Calls of a thread in the group that it has opened.
struct Group {
  int depth = 0;
  ncclComm* comm = nullptr;
  cudaStream_t stream = nullptr;
  std::vector<Message> messages;
};
thread_local Group group;

/// Returns whether anything could be put into the letterbox.
bool send_some(Letterbox& box, Message& message) {
  if (box.full) return false;
  box.bytes = std::min(message.bytes_left, letter_bytes);
  std::memcpy(box.letter, message.at, box.bytes);
  message.at += box.bytes;
  message.bytes_left -= box.bytes;
  box.full = true;
  return true;
}

bool receive_some(Letterbox& box, Message& message) {
  if (!box.full) return false;
  if (box.bytes > message.bytes_left)
    emulation::stop("a rank sends more by NCCL than the other receives");
  std::memcpy(message.at, box.letter, box.bytes);
  message.at += box.bytes;
  message.bytes_left -= box.bytes;
  box.full = false;
  return true;
}

/// One turn of all messages. Those between the same two ranks, one way, keep their order.
bool exchange_some(const ncclComm& comm, std::vector<Message>& messages) {
  bool moved = false;
  std::vector<bool> taken(2 * comm.ranks);
  for (Message& message : messages) {
    const int way = 2 * message.peer + message.sent;
    if (message.bytes_left == 0 || taken[way]) continue;
    taken[way] = true;
    moved |= message.sent ? send_some(comm.from_to(comm.rank, message.peer), message)
                          : receive_some(comm.from_to(message.peer, comm.rank), message);
  }
  return moved;
}

void exchange_all(const ncclComm& comm, std::vector<Message> messages) {
  const auto is_open = [](const Message& message) { return message.bytes_left > 0; };
  while (std::ranges::any_of(messages, is_open))
    if (!exchange_some(comm, messages)) wait_a_little();
}

void end_group() {
  if (group.messages.empty()) return;
  emulation::submit(group.stream,
                    [comm = group.comm, messages = std::move(group.messages)] {
                      exchange_all(*comm, messages);
                    });
  group.messages.clear();
}

ncclResult_t add(ncclComm* comm, cudaStream_t stream, const Message& message) {
  if (!group.messages.empty() && (group.stream != stream || group.comm != comm))
    emulation::stop(
        "a group of NCCL on several streams or communicators is not emulated");
  group.comm = comm;
  group.stream = stream;
  group.messages.push_back(message);
  if (group.depth == 0) end_group();
  return ncclSuccess;
}

/// thinwire gives all types as bytes.
void want_bytes(ncclDataType_t type) {
  if (type != ncclChar) emulation::stop("NCCL of other than bytes is not emulated");
}

}  // namespace

const char* ncclGetErrorString(ncclResult_t) {
  return "an error of the emulated NCCL";
}
ncclResult_t ncclGetVersion(int* version) {
  *version = NCCL_VERSION(2, 31, 0);
  return ncclSuccess;
}
/// The name of the file.
ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  static std::atomic<int> made{0};
  *id = {};
  std::snprintf(id->internal, sizeof id->internal, "/thinwire-nccl-%d-%d",
                static_cast<int>(getpid()), made++);
  return ncclSuccess;
}
/// Waits for all ranks.
ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank) {
  const int file = shm_open(id.internal, O_CREAT | O_RDWR, 0600);
  const std::size_t bytes = sizeof(Arrivals) + sizeof(Letterbox) * ranks * ranks;
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) return ncclSystemError;
  void* const begin = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (begin == MAP_FAILED) return ncclSystemError;
  *comm = new ncclComm{rank, ranks, static_cast<Arrivals*>(begin)};
  ++(*comm)->arrivals->ranks;
  while ((*comm)->arrivals->ranks < ranks) wait_a_little();
  shm_unlink(id.internal);
  return ncclSuccess;
}
/// Work already enqueued on streams may continue.
ncclResult_t ncclCommAbort(ncclComm_t) {
  return ncclSuccess;
}

ncclResult_t ncclGroupStart() {
  ++group.depth;
  return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
  if (--group.depth == 0) end_group();
  return ncclSuccess;
}
ncclResult_t ncclSend(const void* from, size_t bytes, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  want_bytes(type);
  auto* const begin = static_cast<char*>(const_cast<void*>(from));
  return add(comm, stream, {true, peer, begin, bytes});
}
ncclResult_t ncclRecv(void* to, size_t bytes, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  want_bytes(type);
  return add(comm, stream, {false, peer, static_cast<char*>(to), bytes});
}
ncclResult_t ncclBroadcast(const void* from, void* to, size_t bytes, ncclDataType_t type,
                           int root, ncclComm_t comm, cudaStream_t stream) {
  if (comm->rank != root) return ncclRecv(to, bytes, type, root, comm, stream);
  ncclGroupStart();
  for (int rank = 0; rank < comm->ranks; ++rank)
    if (rank != root) ncclSend(from, bytes, type, rank, comm, stream);
  if (from != to) emulation::submit(stream, [=] { std::memcpy(to, from, bytes); });
  return ncclGroupEnd();
}
