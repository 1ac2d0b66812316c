#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <vector>

#include "cg/rank_threads.h"
#include "mom/systems/field_sharing.h"

namespace thinwire {

/// Owners in one process that share the places of fields: several GPUs, a thread each for
/// as long as this lives. The calling thread is the first owner's.
class FieldGroup {
 public:
  /// rates: of the owners, each > 0. start(owner): called once on each owner's thread,
  /// which makes its GPU its own there. Throws what start() does on any of them.
  FieldGroup(std::vector<double> rates,
             const std::function<void(std::size_t owner)>& start);

  /// Calls at() for each owner's range on its thread, all at once, and returns when all
  /// have. Throws what the first that fails throws, once the others are done. Several
  /// threads may call, one after another.
  void share(std::size_t places, const std::function<void(PlaceRange)>& at) const;

 private:
  std::vector<double> rates_;
  mutable std::mutex one_at_a_time_;
  mutable RankThreads threads_;
};

}  // namespace thinwire
