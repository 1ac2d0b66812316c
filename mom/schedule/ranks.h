#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cg/comm.h"

namespace thinwire {

/// The processes that mpirun or srun started together, on one host or several. One that
/// ends on its own ends them all.
class Ranks : public Comm {
 public:
  using Comm::broadcast;
  using Comm::gather;
  using Comm::sum;

  /// The lowest rank on this one's host: the same on all ranks of a host, and on no
  /// other.
  virtual int host() const = 0;

  /// Copies `bytes` of rank `root`, of any length, to every rank.
  virtual void broadcast(std::string& bytes, int root) const = 0;

  /// A message to one rank. Those between two ranks arrive in the order in which they
  /// were sent; a long one returns only when it is being received.
  virtual void send(std::string_view bytes, int to) const = 0;
  /// Waits for the next message of one rank.
  virtual std::string receive(int from) const = 0;
  /// A rank of which a message waits; none where none does.
  virtual std::optional<int> sender() const = 0;

  /// Returns the group of ranks that pass the same number, in the same order. All ranks
  /// must call it.
  virtual std::unique_ptr<Ranks> group(int number) const = 0;

  /// Announces to all other ranks that this one is about to end them with a message of
  /// its own.
  virtual void announce_end() const = 0;
  /// True if another rank has announced that.
  virtual bool end_announced() const = 0;
  /// True if this host's processes, this one included, received a signal to end. Safe in
  /// signal handlers.
  virtual bool end_told_on_host() const { return false; }
  /// Ends all processes now, this one with the exit status `code`.
  [[noreturn]] virtual void end_all(int code) const = 0;
};

}  // namespace thinwire
