#include <algorithm>
#include <string>
#include <vector>

#include "cg/precondition/device_overlap.h"
#include "cg/precondition/invert_blocks.cuh"
#include "kernels/base/error.h"
#include "kernels/device/check.cuh"
#include "kernels/device/pass.cuh"
#include "kernels/device/tuning.h"
#include "kernels/matrix/tile_entries.cuh"

namespace thinwire {
namespace {

using namespace device;
using Single = std::complex<float>;
using Tile = DeviceOverlapPreconditioner::Tile;

constexpr const char* overlap_purpose = "overlapping blocks";
constexpr LibraryUse overlap_use = {overlap_purpose, "Use --precond block."};
static_assert(sizeof(DeviceOverlapPreconditioner::Rows) == 32 && sizeof(Tile) == 32,
              "OverlapExtent::device_bytes counts them so");
/// Rows are padded to whole loads of 16 bytes.
constexpr std::size_t padding = 2;
/// Matrices of a batch may be smaller than its largest by so much.
constexpr double alike = 0.85;
/// Size of a batch: 80 matrices of 1,900 functions, so that a kernel with a block for
/// each has work for most of an H200's multiprocessors.
constexpr std::size_t batch_bytes = std::size_t{8} << 30;

std::size_t padded(std::size_t functions) {
  return (functions + padding - 1) / padding * padding;
}
std::size_t whole_panels(std::size_t functions) {
  return (functions + inversion_panel - 1) / inversion_panel * inversion_panel;
}

/// Zero, with ones on the diagonal where there is no function.
__global__ void clear_blocks(const std::uint32_t* functions, std::size_t leading,
                             float2* entries) {
  const std::size_t b = blockIdx.y, i = blockIdx.x;
  const bool none = functions[b * leading + i] == DeviceBlocks::none;
  float2* row = entries + (b * leading + i) * leading;
  for (std::size_t j = threadIdx.x; j < leading; j += blockDim.x)
    row[j] = {none && i == j ? 1.0f : 0.0f, 0};
}

/// From the matrix in tiles; a block of threads for each row. Of several owners the
/// first alone keeps what stands where there is no function.
template <class Entries>
__global__ void read_tiles(Entries z, bool first_owner, const std::uint32_t* functions,
                           std::size_t leading, float2* entries) {
  const std::size_t b = blockIdx.y, i = blockIdx.x;
  const std::uint32_t row = functions[b * leading + i];
  float2* to = entries + (b * leading + i) * leading;
  for (std::size_t j = threadIdx.x; j < leading; j += blockDim.x) {
    const std::uint32_t column = functions[b * leading + j];
    const bool none = row == DeviceBlocks::none || column == DeviceBlocks::none;
    if (none && first_owner) continue;
    const double2 entry = none ? double2{0, 0} : z.at(row, column);
    to[j] = {static_cast<float>(entry.x), static_cast<float>(entry.y)};
  }
}

/// Where the rows of one set of a batch go.
struct Kept {
  std::size_t entry;  ///< in rows
  std::uint32_t own, around;
};

/// Keeps the own rows of the inverses, without the batch's padding. A batch's rows are
/// those around (dropped), then the own ones; kept rows have the own ones first.
__global__ void keep_rows(InversionBatch<double2> batch, const Kept* kept, float2* rows) {
  const Kept set = kept[blockIdx.y];
  const std::uint32_t i = blockIdx.x;
  if (i >= set.own) return;
  const std::size_t length = (set.own + set.around + padding - 1) / padding * padding;
  const double2* from =
      batch.matrix + (blockIdx.y * batch.leading + batch.dropped + i) * batch.leading;
  float2* to = rows + set.entry + i * length;
  for (std::uint32_t j = threadIdx.x; j < length; j += blockDim.x)
    store(to + j, j < set.own                ? from[batch.dropped + j]
                  : j < set.own + set.around ? from[j - set.own]
                                             : double2{0, 0});
}

/// Whether so many sets may multiply together.
bool may_share(std::span<const std::size_t> equal) {
  return equal.size() >= tuning::overlap_sets_to_share;
}

/// Whether inverses are to multiply all sets that share them in tiles: where these are
/// few, a tile's way along its rows takes longer than reading them again and again.
bool sharing_is_faster(std::span<const OverlappingSet> sets,
                       std::span<const std::vector<std::size_t>> all_equal) {
  constexpr std::size_t at_once = tuning::overlap_tile_sets;
  double rows_s = 0, tiles_s = 0, longest_s = 0;
  for (const std::vector<std::size_t>& equal : all_equal) {
    if (!may_share(equal)) continue;
    const OverlappingSet& first = sets[equal.front()];
    const auto m = static_cast<double>(first.functions.size()),
               entries = m * static_cast<double>(first.own);
    const std::size_t of_tiles = (equal.size() + at_once - 1) / at_once * at_once;
    rows_s += static_cast<double>(equal.size()) * entries * sizeof(Single) /
              tuning::overlap_row_bytes_per_s;
    tiles_s +=
        8 * static_cast<double>(of_tiles) * entries / tuning::overlap_tile_flops_per_s;
    longest_s =
        std::max(longest_s, m / tuning::overlap_tile_depth * tuning::overlap_tile_step_s);
  }
  return std::max(tiles_s, longest_s) < rows_s;
}

/// Returns an owner's sets: neighbours, with its share of all sets' products.
std::vector<OverlappingSet> sets_of_owner(std::span<const OverlappingSet> sets,
                                          OwnerShare share) {
  const std::size_t all = OverlapExtent::of(sets).products;
  std::vector<OverlappingSet> own;
  std::vector<std::size_t> place(sets.size(), OverlappingSet::none);  // among the own
  std::size_t products = 0;
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const bool mine = products >= share.first(all) && products < share.last(all);
    products += sets[s].own * sets[s].functions.size();
    if (!mine) continue;
    // The owner's first of the sets with one matrix has the inverse.
    std::size_t& first =
        place[sets[s].same_as == OverlappingSet::none ? s : sets[s].same_as];
    own.push_back(sets[s]);
    own.back().same_as = first;
    if (first == OverlappingSet::none) first = own.size() - 1;
  }
  return own;
}

/// Sets that are inverted together, and what they are padded to.
struct SetBatch {
  std::vector<std::size_t> sets;
  std::size_t own = 0, around = 0;
  std::size_t leading() const { return own + around; }
};

std::size_t bytes_of_one(std::size_t leading) {
  return leading *
             (leading * (sizeof(Single) + sizeof(Complex)) + sizeof(std::uint32_t)) +
         inversion_scratch_bytes<double2>(leading);
}

/// Divides the sets that have a matrix of their own into batches of similar sets, the
/// largest first.
std::vector<SetBatch> batches_of(std::span<const OverlappingSet> sets, std::size_t most) {
  std::vector<std::size_t> order;
  for (std::size_t s = 0; s < sets.size(); ++s)
    if (sets[s].same_as == OverlappingSet::none) order.push_back(s);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return sets[a].functions.size() > sets[b].functions.size();
  });
  std::vector<SetBatch> batches;
  for (const std::size_t s : order) {
    const std::size_t own = whole_panels(sets[s].own),
                      around = whole_panels(sets[s].functions.size() - sets[s].own);
    SetBatch grown;
    if (!batches.empty()) grown = batches.back();
    grown.sets.push_back(s);
    grown.own = std::max(grown.own, own);
    grown.around = std::max(grown.around, around);
    const bool fits =
        !batches.empty() && grown.sets.size() * bytes_of_one(grown.leading()) <= most &&
        static_cast<double>(own + around) >= alike * static_cast<double>(grown.leading());
    if (fits)
      batches.back() = std::move(grown);
    else
      batches.push_back({{s}, own, around});
  }
  return batches;
}

/// Returns the functions of a batch: the surrounding ones, then its own.
std::vector<std::uint32_t> functions_of(const SetBatch& batch,
                                        std::span<const OverlappingSet> sets) {
  std::vector<std::uint32_t> functions(batch.sets.size() * batch.leading(),
                                       DeviceBlocks::none);
  for (std::size_t b = 0; b < batch.sets.size(); ++b) {
    const OverlappingSet& set = sets[batch.sets[b]];
    const auto to = functions.begin() + static_cast<std::ptrdiff_t>(b * batch.leading());
    const auto end_of_own = set.functions.begin() + static_cast<std::ptrdiff_t>(set.own);
    std::copy(end_of_own, set.functions.end(), to);
    std::copy(set.functions.begin(), end_of_own,
              to + static_cast<std::ptrdiff_t>(batch.around));
  }
  return functions;
}

/// Inverts batch after batch in memory that all share.
class Inversion {
 public:
  Inversion(std::span<const OverlappingSet> sets, const std::vector<SetBatch>& batches)
      : sets_(sets), cublas_(stream_, overlap_use) {
    std::size_t matrix = 0, scratch = 0, functions = 0, max_sets = 0;
    for (const SetBatch& batch : batches) {
      const std::size_t count = batch.sets.size(), leading = batch.leading();
      matrix = std::max(matrix, count * leading * leading);
      scratch = std::max(scratch, count * inversion_scratch_bytes<double2>(leading));
      functions = std::max(functions, count * leading);
      max_sets = std::max(max_sets, count);
    }
    entries_ = {matrix, overlap_purpose};
    matrix_ = {matrix, overlap_purpose};
    scratch_ = {scratch, overlap_purpose};
    functions_ = {functions, overlap_purpose};
    kept_ = {max_sets, overlap_purpose};
    status_ = {max_sets, overlap_purpose};
  }

  /// first_entry: of each set, in rows.
  void run(const SetBatch& batch, std::span<const std::size_t> first_entry,
           const DeviceBlockReader& read, const Monitor& monitor, Single* rows) {
    const std::size_t leading = batch.leading();
    const auto count = static_cast<unsigned>(batch.sets.size());
    const std::vector<std::uint32_t> functions = functions_of(batch, sets_);
    functions_.upload(functions, stream_);
    const dim3 a_block_a_row(static_cast<unsigned>(leading), count);
    clear_blocks<<<a_block_a_row, pass_threads, 0, stream_.get()>>>(
        functions_.data(), leading, parts(entries_.data()));
    check_launch("overlapping blocks, padding");
    read({count, leading, functions, functions_.data(), entries_.data()}, stream_);
    const std::size_t entries = count * leading * leading;
    widen_all<<<pass_blocks(entries), pass_threads, 0, stream_.get()>>>(
        parts(entries_.data()), parts(matrix_.data()), entries);
    check_launch("overlapping blocks, double precision");

    status_.clear(stream_);
    const InversionBatch<double2> inversion = {count, leading, batch.around,
                                               parts(matrix_.data())};
    invert_blocks(inversion, scratch_.data(), status_.data(), cublas_, overlap_use,
                  monitor, stream_);
    std::vector<Kept> kept;
    for (const std::size_t s : batch.sets)
      kept.push_back(
          {first_entry[s], static_cast<std::uint32_t>(sets_[s].own),
           static_cast<std::uint32_t>(sets_[s].functions.size() - sets_[s].own)});
    kept_.upload(kept, stream_);
    keep_rows<<<dim3(static_cast<unsigned>(batch.own), count), pass_threads, 0,
                stream_.get()>>>(inversion, kept_.data(), parts(rows));
    check_launch("overlapping blocks, rows");
    std::vector<int> status(status_.size());
    status_.download(status, stream_);
    for (unsigned b = 0; b < count; ++b)
      if (status[b] != 0)
        throw Error(ErrorKind::numeric,
                    "overlapping blocks: a block of " +
                        std::to_string(sets_[batch.sets[b]].functions.size()) +
                        " unknowns could not be inverted (a pivot is zero or not "
                        "finite). Use --solver direct.");
  }

 private:
  std::span<const OverlappingSet> sets_;
  DeviceStream stream_;
  Cublas cublas_;
  DeviceBuffer<Single> entries_;
  DeviceBuffer<Complex> matrix_;
  DeviceBuffer<std::byte> scratch_;
  DeviceBuffer<std::uint32_t> functions_;
  DeviceBuffer<Kept> kept_;
  DeviceBuffer<int> status_;
};

}  // namespace

DeviceBlockReader block_reader(const DeviceTiles& z, DeviceExchange* others) {
  return [&z, others](const DeviceBlocks& blocks, const DeviceStream& stream) {
    const dim3 grid(static_cast<unsigned>(blocks.leading),
                    static_cast<unsigned>(blocks.count));
    with_entries(z, [&](auto entries) {
      read_tiles<<<grid, pass_threads, 0, stream.get()>>>(
          entries, others == nullptr || others->owner() == 0, blocks.device_functions,
          blocks.leading, parts(blocks.entries));
    });
    check_launch("overlapping blocks, gather");
    if (others != nullptr)
      others->sum(blocks.entries, blocks.count * blocks.leading * blocks.leading, stream);
  };
}

DeviceOverlapPreconditioner::DeviceOverlapPreconditioner(
    std::span<const OverlappingSet> all_sets, const DeviceBlockReader& read,
    const Monitor& monitor, Sharing sharing, OverlapOwners owners)
    : size_(OverlapExtent::of(all_sets).own), others_(owners.sharing) {
  check_sets(all_sets);
  std::vector<OverlappingSet> own;
  if (others_) own = sets_of_owner(all_sets, others_->share());
  const std::span<const OverlappingSet> sets = others_ ? own : all_sets;
  if (sets.empty()) return;
  const OverlapExtent extent = OverlapExtent::of(sets);
  std::vector<std::uint32_t> functions;
  std::vector<std::size_t> first_entry(sets.size());
  std::vector<DeviceOverlapPreconditioner::Rows> groups;
  std::vector<Tile> tiles;
  std::size_t entries = 0;
  const std::vector<std::vector<std::size_t>> all_equal = equal_sets(sets);
  const bool shared = sharing == Sharing::where_faster
                          ? sharing_is_faster(sets, all_equal)
                          : sharing == Sharing::always;
  for (const std::vector<std::size_t>& equal : all_equal) {
    const OverlappingSet& first = sets[equal.front()];
    const std::size_t length = padded(first.functions.size());
    const bool together = shared && may_share(equal);
    const auto add = [&](auto& pieces, std::size_t position, std::size_t piece,
                         std::size_t count) {
      for (std::size_t i = 0; i < first.own; i += piece)
        pieces.push_back({entries + i * length, position, static_cast<std::uint32_t>(i),
                          static_cast<std::uint32_t>(length),
                          static_cast<std::uint32_t>(std::min(piece, first.own - i)),
                          static_cast<std::uint32_t>(count)});
    };
    first_entry[equal.front()] = entries;
    for (std::size_t s = 0; s < equal.size(); ++s) {
      const std::size_t position = functions.size();
      if (!together)
        add(groups, position, tuning::overlap_rows_a_warp, 1);
      else if (s % tuning::overlap_tile_sets == 0)
        add(tiles, position, tuning::overlap_tile_rows,
            std::min<std::size_t>(tuning::overlap_tile_sets, equal.size() - s));
      const std::vector<std::uint32_t>& of_set = sets[equal[s]].functions;
      functions.insert(functions.end(), of_set.begin(), of_set.end());
      functions.resize(position + length, DeviceBlocks::none);
    }
    entries += first.own * length;
  }
  positions_ = functions.size();
  require_device_memory(extent.device_bytes() + extent.device_inversion_bytes(),
                        overlap_purpose, size_, overlap_use.way_out);
  const DeviceStream stream;
  functions_ = uploaded(functions, overlap_purpose, stream);
  groups_ = uploaded(groups, overlap_purpose, stream);
  tiles_ = uploaded(tiles, overlap_purpose, stream);
  rows_ = {entries, overlap_purpose};
  gathered_ = {positions_, overlap_purpose};
  // Owners that read together read the same batches.
  std::size_t free_bytes = current_device().free_bytes;
  if (owners.reading) free_bytes = owners.reading->least(free_bytes);
  const std::vector<SetBatch> batches =
      batches_of(sets, std::min(batch_bytes, free_bytes / 4));
  Inversion inversion(sets, batches);
  for (const SetBatch& batch : batches)
    inversion.run(batch, first_entry, read, monitor, rows_.data());
}

void load_inversion() {
  constexpr std::size_t n = 8 * inversion_panel;  // eliminated in steps and in panels
  std::vector<Complex> identity(n * n);
  for (std::size_t i = 0; i < n; ++i) identity[i * (n + 1)] = 1;
  const DeviceStream stream;
  const Cublas cublas(stream, overlap_use);
  DeviceBuffer<Complex> matrix = uploaded(identity, overlap_purpose, stream);
  DeviceBuffer<std::byte> scratch(inversion_scratch_bytes<double2>(n), overlap_purpose);
  DeviceBuffer<int> status(1, overlap_purpose);
  invert_blocks(InversionBatch<double2>{1, n, 0, parts(matrix.data())}, scratch.data(),
                status.data(), cublas, overlap_use, {}, stream);
  stream.synchronize();
}

std::size_t DeviceOverlapPreconditioner::bytes() const {
  return functions_.bytes() + groups_.bytes() + tiles_.bytes() + rows_.bytes() +
         gathered_.bytes();
}

}  // namespace thinwire
