#include "tests/emulation/block.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "tests/emulation/fiber.h"
#include "tests/emulation/stop.h"

namespace emulation {
namespace {

constexpr unsigned warp_lanes = 32, max_lanes = 1024;
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

struct Warp {
  unsigned running;  // a bit for each lane that has not returned
  std::deque<Exchange> exchanges;
};

/// Runs blocks on a thread of the CPU.
struct Engine {
  std::vector<std::unique_ptr<LaneFiber>> lanes;  // of the largest block so far
  std::vector<Warp> warps;
  std::vector<char> shared;
  unsigned lane_count = 0, returned = 0, at_barrier = 0;
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

/// The next round begins if all lanes that are waited for have arrived.
void complete(Exchange& exchange, const Warp& warp) {
  const unsigned wanted = exchange.mask & warp.running;
  if (exchange.arrived == 0 || (exchange.arrived & exchange.mask) != wanted) return;
  exchange.arrived_in[exchange.round % 2] = exchange.arrived;
  exchange.arrived = 0;
  ++exchange.round;
  engine.moved = true;
}

Exchange& exchange_of(Warp& warp, unsigned mask) {
  const auto found = std::ranges::find(warp.exchanges, mask, &Exchange::mask);
  if (found != warp.exchanges.end()) return *found;
  warp.exchanges.emplace_back().mask = mask;
  return warp.exchanges.back();
}

void prepare_warps(unsigned lane_count) {
  engine.warps.resize((lane_count + warp_lanes - 1) / warp_lanes);
  for (unsigned w = 0; w < engine.warps.size(); ++w) {
    const unsigned lanes = std::min(warp_lanes, lane_count - w * warp_lanes);
    engine.warps[w].running = ~0u >> (warp_lanes - lanes);
    for (Exchange& exchange : engine.warps[w].exchanges) exchange.arrived = 0;
  }
}

void prepare_block(dim3 grid, uint3 block, dim3 block_dim, std::size_t shared_bytes) {
  const unsigned count = block_dim.x * block_dim.y * block_dim.z;
  while (engine.lanes.size() < count)
    engine.lanes.push_back(std::make_unique<LaneFiber>());
  engine.lane_count = count;
  engine.returned = engine.at_barrier = 0;
  prepare_warps(count);
  engine.shared.assign(shared_bytes + shared_alignment, static_cast<char>(poison));
  engine.votes = no_votes;
  for (unsigned l = 0; l < count; ++l) {
    const uint3 thread = {l % block_dim.x, l / block_dim.x % block_dim.y,
                          l / block_dim.x / block_dim.y};
    engine.lanes[l]->lane = {thread, block, block_dim, grid, l};
    engine.lanes[l]->wait = Wait::none;
  }
}

/// The others of its warp do not wait for a lane that has returned.
void leave(unsigned number) {
  ++engine.returned;
  Warp& warp = engine.warps[number / warp_lanes];
  warp.running &= ~(1u << number % warp_lanes);
  for (Exchange& exchange : warp.exchanges) complete(exchange, warp);
}

/// Runs a lane to where it waits.
void take_turn(unsigned number) {
  LaneFiber& lane = *engine.lanes[number];
  engine.now = &lane;
  lane.fiber.resume(run_lane);
  if (lane.wait != Wait::warp) engine.moved = true;
  if (lane.wait == Wait::block) ++engine.at_barrier;
  if (lane.wait == Wait::returned) leave(number);
}

void open_barrier() {
  for (unsigned l = 0; l < engine.lane_count; ++l)
    if (engine.lanes[l]->wait == Wait::block) engine.lanes[l]->wait = Wait::none;
  engine.at_barrier = 0;
  engine.result = engine.votes;
  engine.votes = no_votes;
}

void run_block() {
  for (;;) {
    engine.moved = false;
    for (unsigned l = 0; l < engine.lane_count; ++l) {
      const Wait wait = engine.lanes[l]->wait;
      if (wait == Wait::none || wait == Wait::warp) take_turn(l);
    }
    if (engine.returned == engine.lane_count) return;
    if (engine.returned + engine.at_barrier == engine.lane_count)
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
  const unsigned number = engine.now->lane.number;
  Warp& warp = engine.warps[number / warp_lanes];
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
  if (lanes == 0 || lanes > max_lanes || grid.x * grid.y * grid.z == 0)
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
