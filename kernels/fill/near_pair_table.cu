#include "kernels/fill/near_pair_table.h"

#include <cub/device/device_scan.cuh>

#include <algorithm>

#include "kernels/device/check.cuh"
#include "kernels/device/cub_work.cuh"
#include "kernels/device/pass.cuh"
#include "kernels/device/tuning.h"
#include "kernels/element/near_pair.h"
#include "kernels/element/quadrature_order.h"

namespace thinwire {
namespace {

using namespace device;

constexpr int chunk = 64;    // elements
constexpr int cluster = 32;  // chunks: one for each lane of a warp
constexpr int find_threads = tuning::pass_threads;
constexpr int table_threads = tuning::pass_threads;
constexpr std::size_t numbers_a_pair = sizeof(ElementMatrix) / sizeof(double);

std::size_t parts_of(std::size_t count, std::size_t size) {
  return (count + size - 1) / size;
}

/// A box around the centres of consecutive elements, and the largest of them.
struct Box {
  Vec3 low, high;
  double longest_m, thickest_m;

  static __device__ Box around(const Element& e) {
    const Vec3 r = centre_of(e);
    return {r, r, e.length_m, e.radius_m};
  }
  static __device__ Box around(const Box& box) { return box; }
  __device__ void add(const Box& b) {
    low = {fmin(low.x, b.low.x), fmin(low.y, b.low.y), fmin(low.z, b.low.z)};
    high = {fmax(high.x, b.high.x), fmax(high.y, b.high.y), fmax(high.z, b.high.z)};
    longest_m = fmax(longest_m, b.longest_m);
    thickest_m = fmax(thickest_m, b.thickest_m);
  }
  /// How far a point is outside.
  __device__ double gap(Vec3 r) const {
    return norm(Vec3{fmax(fmax(low.x - r.x, r.x - high.x), 0.0),
                     fmax(fmax(low.y - r.y, r.y - high.y), 0.0),
                     fmax(fmax(low.z - r.z, r.z - high.z), 0.0)});
  }
};

/// Boxes around `size` elements or smaller boxes each.
template <class Part>
__global__ void make_boxes(const Part* parts, std::size_t count, int size, Box* boxes) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i * size >= count) return;
  Box all = Box::around(parts[i * size]);
  for (std::size_t n = i * size + 1; n < min((i + 1) * size, count); ++n)
    all.add(Box::around(parts[n]));
  boxes[i] = all;
}

struct Search {
  const Element* elements;
  const Box *chunks, *clusters;
  std::uint32_t count;
  PairLimit limit;
  bool exact;
  Medium medium;
  int source;
  OmittedPairs omitted;

  __device__ double radius(double r) const { return exact ? r : 0; }
  __device__ bool near(Vec3 centre, const Element& p, const Element& q) const {
    return far_order(norm(centre - centre_of(q)), fmax(p.length_m, q.length_m),
                     fmax(radius(p.radius_m), radius(q.radius_m)), limit) == 0;
  }
  /// Whether a box may hold an element near p: the limit of far_order grows with length
  /// and radius, and with the distance nothing gets nearer.
  __device__ bool may_be_near(Vec3 centre, const Element& p, const Box& box) const {
    const double gap = box.gap(centre) * (1 - 1e-9);
    return gap <= 0 ||
           far_order(gap, fmax(p.length_m, box.longest_m),
                     fmax(radius(p.radius_m), radius(box.thickest_m)), limit) == 0;
  }
};

/// Calls visit(number) for each lane of the warp with `member`, in ascending order.
template <class Visit>
__device__ void for_each_lane(bool member, const Visit& visit) {
  for (unsigned lanes = __ballot_sync(0xffffffffu, member); lanes != 0;
       lanes &= lanes - 1)
    visit(static_cast<std::uint32_t>(__ffs(lanes) - 1));
}

/// A warp for each p. Its lanes look at clusters of elements from its first partner's up
/// to its own, then at the chunks of those that may be near, then at the members of such
/// chunks. Calls found(q, number of pairs of p before it) in ascending order of q;
/// returns the number of pairs, the same in all lanes.
template <class Found>
__device__ std::uint32_t search(const Search& s, std::uint32_t p_index,
                                const Found& found) {
  if (s.omitted.needed && !s.omitted.needed[p_index]) return 0;
  const unsigned lane = threadIdx.x % 32;
  const Element p = s.medium.source(s.elements[p_index], s.source);
  const Vec3 centre = centre_of(p);
  std::uint32_t pairs = 0;
  const std::uint32_t partner =
                          s.omitted.first_partner ? s.omitted.first_partner[p_index] : 0,
                      first_chunk = partner / chunk, last_chunk = p_index / chunk,
                      last_cluster = last_chunk / cluster;
  const auto search_chunk = [&](std::uint32_t begin) {
    for (std::uint32_t part = 0; part < chunk; part += 32) {
      const std::uint32_t q = begin + part + lane;
      const bool near = q >= partner && q <= p_index && s.near(centre, p, s.elements[q]);
      const unsigned members = __ballot_sync(0xffffffffu, near);
      if (near) found(q, pairs + __popc(members & ((1u << lane) - 1)));
      pairs += __popc(members);
    }
  };
  const auto search_cluster = [&](std::uint32_t begin) {
    const std::uint32_t mine = begin + lane;
    for_each_lane(mine >= first_chunk && mine <= last_chunk &&
                      s.may_be_near(centre, p, s.chunks[mine]),
                  [&](std::uint32_t at) { search_chunk((begin + at) * chunk); });
  };
  for (std::uint32_t first = first_chunk / cluster; first <= last_cluster; first += 32) {
    const std::uint32_t mine = first + lane;
    for_each_lane(mine <= last_cluster && s.may_be_near(centre, p, s.clusters[mine]),
                  [&](std::uint32_t at) { search_cluster((first + at) * cluster); });
  }
  return pairs;
}

/// counts[p]: pairs of p; longest_reach: the longest near_pair_reach among all, if that
/// is longer than what is there. Lengths that are not negative are in the order of their
/// bits.
__global__ void __launch_bounds__(find_threads)
    count_near_pairs(Search s, std::uint64_t* counts, unsigned long long* longest_reach) {
  const std::uint32_t p_index = (blockIdx.x * find_threads + threadIdx.x) / 32;
  if (p_index >= s.count) return;
  const Element p = s.medium.source(s.elements[p_index], s.source);
  double reach = 0;
  const std::uint32_t pairs =
      search(s, p_index, [&](std::uint32_t q_index, std::uint32_t) {
        const Element& q = s.elements[q_index];
        reach = fmax(reach, near_pair_reach(norm(centre_of(p) - centre_of(q)), p.length_m,
                                            q.length_m));
      });
  for (int bit = 16; bit > 0; bit /= 2)
    reach = fmax(reach, __shfl_xor_sync(0xffffffffu, reach, bit));
  if (threadIdx.x % 32 != 0) return;
  counts[p_index] = pairs;
  atomicMax(longest_reach, static_cast<unsigned long long>(__double_as_longlong(reach)));
}

__global__ void __launch_bounds__(find_threads)
    write_near_pairs(Search s, const std::uint64_t* row, std::uint32_t* first,
                     std::uint32_t* second) {
  const std::uint32_t p = (blockIdx.x * find_threads + threadIdx.x) / 32;
  if (p >= s.count) return;
  search(s, p, [&](std::uint32_t q, std::uint32_t before) {
    first[row[p] + before] = p;
    second[row[p] + before] = q;
  });
}

/// Classes of pairs.
struct PairList {
  const Element* elements;
  const std::uint32_t *first, *second;
  std::size_t count;
  double k;
  GreensKernel kernel;
  Medium medium;
  int source;
  double nats;

  /// The turned pair of a class.
  __device__ void turned(std::size_t i, Element& p, Element& q) const {
    p = medium.source(elements[first[i]], source);
    q = elements[second[i]];
    shaped_pair(p, q).symmetry.apply(p, q);
  }
  __device__ double smoothing(std::size_t i) const {
    return near_pair_smoothing(elements[first[i]].length_m, elements[second[i]].length_m,
                               k);
  }
};

/// Elements that meet, and others, of pairs that are not parallel: places in a PairList,
/// the former from the front, the latter from the back, in no certain order.
struct BentList {
  std::uint32_t* place;
  std::size_t capacity;
  unsigned *corners, *others;

  __device__ void add(std::size_t i, bool corner) const {
    const std::size_t at =
        corner ? atomicAdd(corners, 1u) : capacity - 1 - atomicAdd(others, 1u);
    place[at] = static_cast<std::uint32_t>(i);
  }
};

/// One thread for each class. Parallel elements (depend_on_offset), most by far on a
/// wire, are integrated here, the others listed.
__global__ void __launch_bounds__(tuning::near_pair_threads)
    integrate_parallel(PairList list, std::size_t begin, std::size_t end,
                       ElementMatrix* matrix, BentList bent) {
  const std::size_t i =
      begin + std::size_t{blockIdx.x} * tuning::near_pair_threads + threadIdx.x;
  if (i >= end) return;
  Element p, q;
  list.turned(i, p, q);
  if (depend_on_offset(p, q, list.kernel))
    matrix[i] = near_parallel(p, q, list.k, list.kernel);
  else
    bent.add(i, common_end(p, q) >= 0);
}

/// `size` threads of a warp.
template <int size>
struct Lanes {
  static constexpr int threads = size;
  __device__ int part() const { return static_cast<int>(threadIdx.x % size); }
  __device__ int parts() const { return size; }
  __device__ void add_up(TrigMoments<double>& m) const {
    const unsigned all = 0xffffffffu >> (32 - size),
                   own = all << (threadIdx.x % 32 / size * size);
    for (HdComplex* sum : {&m.cc, &m.cs, &m.sc, &m.ss})
      for (int bit = size / 2; bit > 0; bit /= 2) {
        sum->re += __shfl_xor_sync(own, sum->re, bit);
        sum->im += __shfl_xor_sync(own, sum->im, bit);
      }
  }
};

/// Threads for a pair of elements that meet, with hundreds of points, and for others.
using CornerTeam = Lanes<32>;
using ApartTeam = Lanes<8>;

/// A team for each pair. Elements that meet and others have a kernel each, because the
/// code of both is larger than the instruction cache.
template <class Team>
__global__ void __launch_bounds__(tuning::near_pair_threads)
    integrate_bent(PairList list, const std::uint32_t* place, std::size_t count,
                   ElementMatrix* matrix) {
  const Team team;
  const std::size_t at =
      (std::size_t{blockIdx.x} * tuning::near_pair_threads + threadIdx.x) / team.parts();
  if (at >= count) return;
  const std::uint32_t i = place[at];
  Element p, q;
  list.turned(i, p, q);
  const BentPair<double> pair(p, q, list.k, list.kernel, list.nats);
  ElementMatrix m;
  if constexpr (std::is_same_v<Team, CornerTeam>)
    m = near_corner(pair, common_end(p, q), team);
  else
    m = near_apart(pair, team);
  if (team.part() == 0) matrix[i] = m;
}

/// Pairs that are integrated before a stop is looked for: half a second of bent ones.
constexpr std::size_t pairs_at_once = std::size_t{1} << 20;

/// The matrices of all pairs, by near_pair. Waits.
void integrate(const PairList& list, ElementMatrix* matrix, const DeviceStream& stream,
               const Monitor& monitor) {
  constexpr std::size_t threads = tuning::near_pair_threads;
  const auto in_parts = [&](std::size_t count, const auto& launch) {
    for (std::size_t first = 0; first < count; first += pairs_at_once) {
      launch(first, std::min(pairs_at_once, count - first));
      if (count <= pairs_at_once) break;
      stream.synchronize();
      monitor.check();
    }
  };
  DeviceBuffer<std::uint32_t> place(list.count, "near pairs");
  DeviceBuffer<unsigned> counts(2, "near pairs");
  counts.clear(stream);
  const BentList bent = {place.data(), list.count, counts.data(), counts.data() + 1};
  in_parts(list.count, [&](std::size_t first, std::size_t count) {
    integrate_parallel<<<static_cast<unsigned>((count + threads - 1) / threads), threads,
                         0, stream.get()>>>(list, first, first + count, matrix, bent);
    check_launch("near pairs, parallel");
  });
  unsigned bent_pairs[2];
  copy_bytes(bent_pairs, counts.data(), sizeof bent_pairs, stream);
  stream.synchronize();
  const auto [corners, others] = bent_pairs;
  const auto integrate_all = [&](auto kernel, int team, const std::uint32_t* places,
                                 std::size_t pairs) {
    in_parts(pairs, [&](std::size_t first, std::size_t count) {
      const std::size_t blocks = (count * team + threads - 1) / threads;
      kernel<<<static_cast<unsigned>(blocks), threads, 0, stream.get()>>>(
          list, places + first, count, matrix);
      check_launch("near pairs, bent");
    });
  };
  integrate_all(integrate_bent<CornerTeam>, CornerTeam::threads, place.data(), corners);
  integrate_all(integrate_bent<ApartTeam>, ApartTeam::threads,
                place.data() + list.count - others, others);
  stream.synchronize();
}

/// Makes the matrices of one node, [pairs][8] numbers, smooth for interpolation.
__global__ void smooth(PairList list, const double* matrix, double* node) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < list.count * numbers_a_pair)
    node[i] = list.smoothing(i / numbers_a_pair) * matrix[i];
}

/// The matrices from those of the nodes, [nodes][pairs][8].
__global__ void interpolate(PairList list, const double* table, const double* weight,
                            std::size_t nodes, double* matrix) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x,
                    values = list.count * numbers_a_pair;
  if (i >= values) return;
  double sum = 0;
  for (std::size_t n = 0; n < nodes; ++n) sum += weight[n] * table[n * values + i];
  matrix[i] = sum / list.smoothing(i / numbers_a_pair);
}

}  // namespace

DeviceNearPairs::DeviceNearPairs(const Element* elements, std::size_t n,
                                 GreensKernel kernel, Medium medium, int source,
                                 PairLimit limit, const DeviceStream& stream,
                                 OmittedPairs omitted)
    : elements_(elements),
      kernel_(kernel),
      medium_(medium),
      source_(source),
      nats_(limit.nats) {
  const char* what = "near pairs";
  const std::size_t chunks = parts_of(n, chunk), clusters = parts_of(chunks, cluster);
  DeviceBuffer<Box> boxes(chunks + clusters, what);
  Box* const of_clusters = boxes.data() + chunks;
  make_boxes<<<pass_blocks(chunks), pass_threads, 0, stream.get()>>>(elements, n, chunk,
                                                                     boxes.data());
  check_launch("near pairs, chunks");
  make_boxes<<<pass_blocks(clusters), pass_threads, 0, stream.get()>>>(
      boxes.data(), chunks, cluster, of_clusters);
  check_launch("near pairs, clusters");
  const Search search = {elements,    boxes.data(),
                         of_clusters, static_cast<std::uint32_t>(n),
                         limit,       kernel == GreensKernel::exact,
                         medium,      source,
                         omitted};
  const auto blocks = static_cast<unsigned>((n * 32 + find_threads - 1) / find_threads);
  row_ = {n + 1, what};
  DeviceBuffer<unsigned long long> reach(1, what);
  row_.clear(stream);
  reach.clear(stream);
  count_near_pairs<<<blocks, find_threads, 0, stream.get()>>>(search, row_.data() + 1,
                                                              reach.data());
  check_launch("near pairs, count");
  with_work(
      [&](void* work, std::size_t& bytes) {
        return cub::DeviceScan::InclusiveSum(work, bytes, row_.data() + 1,
                                             row_.data() + 1,
                                             static_cast<std::int64_t>(n), stream.get());
      },
      what);
  std::uint64_t pairs = 0;
  copy_bytes(&pairs, row_.data() + n, sizeof pairs, stream);
  copy_bytes(&reach_m_, reach.data(), sizeof reach_m_, stream);
  stream.synchronize();
  require_device_memory(
      pairs * (3 * sizeof(std::uint32_t) + DevicePairClasses::work_bytes_a_pair),
      "near pairs of elements", n, "Use --mesh as-given or --device cpu.");
  if (pairs >= std::size_t{1} << 32)
    throw Error(ErrorKind::geometry,
                "near pairs: " + std::to_string(pairs) +
                    " pairs of elements are near (limit 4e9). Use fewer segments.");
  if (pairs == 0) return;
  DeviceBuffer<std::uint32_t> first(pairs, what);
  second_ = {pairs, what};
  write_near_pairs<<<blocks, find_threads, 0, stream.get()>>>(
      search, row_.data(), first.data(), second_.data());
  check_launch("near pairs, write");
  classes_ = classify_pairs(elements, medium, source, first, second_, stream);
  matrix_ = {classes_.size(), what};
}

void DeviceNearPairs::tabulate(const WavenumberNodes& nodes, const DeviceStream& stream) {
  nodes_ = nodes;
  if (nodes.empty() || pairs() == 0) return;
  table_ = {table_bytes(nodes) / sizeof(double), "table of near pairs"};
  const std::size_t values = classes() * numbers_a_pair;
  PairList list = {elements_, classes_.p.data(), classes_.q.data(), classes(), 0,
                   kernel_,   medium_,           source_,           nats_};
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    list.k = nodes.k_rad_per_m()[n];
    integrate(list, matrix_.data(), stream, {});
    smooth<<<static_cast<unsigned>((values + table_threads - 1) / table_threads),
             table_threads, 0, stream.get()>>>(
        list, reinterpret_cast<const double*>(matrix_.data()),
        table_.data() + n * values);
    check_launch("near pairs, table");
  }
  stream.synchronize();
}

void DeviceNearPairs::set_wavenumber(double k, const DeviceStream& stream,
                                     const Monitor& monitor) {
  if (pairs() == 0) return;
  const PairList list = {elements_, classes_.p.data(), classes_.q.data(), classes(), k,
                         kernel_,   medium_,           source_,           nats_};
  if (nodes_.empty()) return integrate(list, matrix_.data(), stream, monitor);
  DeviceBuffer<double> weight(nodes_.size(), "near pairs");
  weight.upload(nodes_.weights(k), stream);
  const std::size_t values = classes() * numbers_a_pair;
  interpolate<<<static_cast<unsigned>((values + table_threads - 1) / table_threads),
                table_threads, 0, stream.get()>>>(
      list, table_.data(), weight.data(), nodes_.size(),
      reinterpret_cast<double*>(matrix_.data()));
  check_launch("near pairs, interpolation");
  stream.synchronize();
}

std::size_t DeviceNearPairs::table_bytes(const WavenumberNodes& nodes) const {
  return nodes.size() * classes() * sizeof(ElementMatrix);
}

}  // namespace thinwire
