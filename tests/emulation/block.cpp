#include "tests/emulation/block.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>
#include <vector>

#include "tests/emulation/fiber.h"
#include "tests/emulation/stop.h"

namespace emulation {
namespace {

constexpr unsigned warp_lanes = 32, most_lanes = 1024;
constexpr std::size_t shared_alignment = 1024;
constexpr int poison = 0xCB;

enum class Wait { none, block, warp, returned };

struct LaneFiber {
  Fiber fiber;
  Lane lane;
  Wait wait = Wait::none;
};

/// An exchange between the lanes of `mask`. Two rounds are kept: who is early begins the
/// next one while others still read the last one.
struct Exchange {
  unsigned mask = 0, arrived = 0, round = 0;
  unsigned arrived_in[2] = {};
  std::uint64_t values[2][warp_lanes] = {};
};

/// What a thread of the CPU runs blocks with.
struct Engine {
  std::deque<LaneFiber> lanes;
  std::vector<std::deque<Exchange>> warps;
  std::vector<char> shared;
  unsigned lane_count = 0;
  LaneFiber* now = nullptr;
  const std::function<void()>* kernel = nullptr;
  bool moved = false;  // since the last turn of all lanes
  Votes votes{}, result{};
};
thread_local Engine engine;

constexpr Votes no_votes = {0, 1, 0};

void wait_for(Wait what) {
  engine.now->wait = what;
  engine.now->fiber.suspend();
}

/// Each lane's fiber: a kernel for each block.
void run_lane() {
  for (;;) {
    (*engine.kernel)();
    wait_for(Wait::returned);
  }
}

/// The lanes of a warp that have not returned.
unsigned running_lanes(unsigned warp) {
  unsigned running = 0;
  for (unsigned l = 0; l < warp_lanes && warp_lanes * warp + l < engine.lane_count; ++l)
    if (engine.lanes[warp_lanes * warp + l].wait != Wait::returned) running |= 1u << l;
  return running;
}

/// The next round begins if all lanes that are waited for have arrived.
void complete(Exchange& exchange, unsigned warp) {
  const unsigned wanted = exchange.mask & running_lanes(warp);
  if (exchange.arrived == 0 || (exchange.arrived & exchange.mask) != wanted) return;
  exchange.arrived_in[exchange.round % 2] = exchange.arrived;
  exchange.arrived = 0;
  ++exchange.round;
  engine.moved = true;
}

Exchange& exchange_of(unsigned warp, unsigned mask) {
  auto& exchanges = engine.warps[warp];
  const auto found = std::ranges::find(exchanges, mask, &Exchange::mask);
  if (found != exchanges.end()) return *found;
  exchanges.emplace_back().mask = mask;
  return exchanges.back();
}

void prepare_block(dim3 grid, uint3 block, dim3 block_dim, std::size_t shared_bytes) {
  const unsigned count = block_dim.x * block_dim.y * block_dim.z;
  while (engine.lanes.size() < count) engine.lanes.emplace_back();
  engine.lane_count = count;
  engine.warps.resize((count + warp_lanes - 1) / warp_lanes);
  for (auto& exchanges : engine.warps) exchanges.clear();
  engine.shared.assign(shared_bytes + shared_alignment, static_cast<char>(poison));
  engine.votes = no_votes;
  for (unsigned l = 0; l < count; ++l) {
    const uint3 thread = {l % block_dim.x, l / block_dim.x % block_dim.y,
                          l / block_dim.x / block_dim.y};
    engine.lanes[l].lane = {thread, block, block_dim, grid, l};
    engine.lanes[l].wait = Wait::none;
  }
}

/// Runs a lane to where it waits. Those of its warp do not wait for one that returns.
void take_turn(unsigned number) {
  LaneFiber& lane = engine.lanes[number];
  engine.now = &lane;
  lane.fiber.resume(run_lane);
  if (lane.wait != Wait::warp) engine.moved = true;
  if (lane.wait != Wait::returned) return;
  const unsigned warp = number / warp_lanes;
  for (Exchange& exchange : engine.warps[warp]) complete(exchange, warp);
}

std::size_t lanes_that(Wait what) {
  const auto last = engine.lanes.begin() + engine.lane_count;
  return std::count_if(engine.lanes.begin(), last,
                       [=](const LaneFiber& lane) { return lane.wait == what; });
}

void open_barrier() {
  for (unsigned l = 0; l < engine.lane_count; ++l)
    if (engine.lanes[l].wait == Wait::block) engine.lanes[l].wait = Wait::none;
  engine.result = engine.votes;
  engine.votes = no_votes;
}

void run_block() {
  for (;;) {
    engine.moved = false;
    for (unsigned l = 0; l < engine.lane_count; ++l) {
      const Wait wait = engine.lanes[l].wait;
      if (wait == Wait::none || wait == Wait::warp) take_turn(l);
    }
    const std::size_t returned = lanes_that(Wait::returned);
    if (returned == engine.lane_count) return;
    if (returned + lanes_that(Wait::block) == engine.lane_count)
      open_barrier();
    else if (!engine.moved)
      stop(
          "lanes of a block wait for each other for ever (a barrier or a shuffle that "
          "not "
          "all of its lanes reach)");
  }
}

}  // namespace

Lane& lane() {
  return engine.now->lane;
}

void* dynamic_shared() {
  const auto address = reinterpret_cast<std::uintptr_t>(engine.shared.data());
  const std::size_t skipped = -address % shared_alignment;
  return engine.shared.data() + skipped;
}

Votes sync_block(bool mine) {
  engine.votes.any |= mine;
  engine.votes.all &= mine;
  engine.votes.count += mine;
  wait_for(Wait::block);
  return engine.result;
}

WarpValues exchange(unsigned mask, std::uint64_t mine) {
  const unsigned number = engine.now->lane.number, warp = number / warp_lanes;
  Exchange& with = exchange_of(warp, mask);
  const unsigned round = with.round;
  with.values[round % 2][number % warp_lanes] = mine;
  with.arrived |= 1u << number % warp_lanes;
  complete(with, warp);
  while (with.round == round) wait_for(Wait::warp);
  engine.now->wait = Wait::none;
  engine.moved = true;
  return {with.values[round % 2], with.arrived_in[round % 2]};
}

void run_grid(dim3 grid, dim3 block, std::size_t shared_bytes,
              const std::function<void()>& kernel) {
  const unsigned lanes = block.x * block.y * block.z;
  if (lanes == 0 || lanes > most_lanes || grid.x * grid.y * grid.z == 0)
    stop("a launch of no blocks, no threads, or more than 1024 threads a block");
  engine.kernel = &kernel;
  for (unsigned z = 0; z < grid.z; ++z)
    for (unsigned y = 0; y < grid.y; ++y)
      for (unsigned x = 0; x < grid.x; ++x) {
        prepare_block(grid, {x, y, z}, block, shared_bytes);
        run_block();
      }
}

}  // namespace emulation
