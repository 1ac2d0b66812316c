#include "mom/systems/group_system.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "kernels/base/error.h"

namespace thinwire::group_system_test {
namespace {

constexpr std::size_t unknowns = 2;

/// Z = 2 I; notes who called.
class Owner final : public System {
 public:
  struct Log {
    std::vector<std::thread::id> thread = std::vector<std::thread::id>(3);
    std::atomic<int> calls = 0;
    int failing = -1;
    /// Has memory for one right-hand side at a time.
    int short_of_memory = -1;
  };
  Owner(const Comm& comm, Log& log)
      : comm_(comm), log_(log), thread_(std::this_thread::get_id()) {
    log_.thread[static_cast<std::size_t>(comm.rank())] = thread_;
  }
  ~Owner() override { called(); }
  void fill(const FillParameters&, const SolverPlan&, const Monitor& monitor) override {
    called();
    if (comm_.rank() == log_.failing) throw Error(ErrorKind::memory, "no memory");
    // Long work, which must end where another fails; the first's monitor is the caller's.
    while (log_.failing >= 0 && comm_.rank() > 0) monitor.check();
    double all = 1;
    comm_.sum(all);
    EXPECT_EQ(all, 3);
    monitor.report("fill", 1);
  }
  void prepare(Method, const Monitor&) override {
    called();
    notes_.push_back({"note", "why"});
  }
  bool direct_fits() const override { return true; }
  std::vector<SolveResult> solve(std::span<const Complex> v, std::span<Complex> current,
                                 const SolverControl& control) override {
    called();
    if (v.size() > unknowns && comm_.rank() == log_.short_of_memory)
      throw Error(ErrorKind::memory, "no memory for so many");
    for (std::size_t i = 0; i < v.size(); ++i) current[i] = 0.5 * v[i];
    comm_.sum(current);
    if (control.on_iteration) control.on_iteration(1, 0.5, 0.0);
    return std::vector<SolveResult>(1);
  }
  void gather_rows(const TakeRows& take) const override {
    called();
    // As ranks do that meet for each band.
    const std::vector<Complex> rows = {1, 2, 3, 4};
    for (std::size_t row = 0; row < unknowns; ++row) {
      double all = 1;
      comm_.sum(all);
      if (comm_.rank() == 0) take(unknowns, row, std::span(rows).subspan(2 * row, 2));
    }
  }

 private:
  void called() const {
    ++log_.calls;
    EXPECT_EQ(std::this_thread::get_id(), thread_);
  }
  const Comm& comm_;
  Log& log_;
  std::thread::id thread_;
};

struct Group {
  Owner::Log log;
  std::unique_ptr<GroupSystem> system = std::make_unique<GroupSystem>(
      3, unknowns, [this](const Comm& comm, const std::atomic<bool>&) {
        return std::make_unique<Owner>(comm, log);
      });
  void fill(const Monitor& monitor = {}) {
    Structure structure;
    structure.add_wire(1, 3, {0, 0, 0}, {0, 0, 1}, 1e-3);
    const Discretization antenna(structure, {});
    const LoadModel loads(antenna, {}, 1e6);
    system->fill({1, Ground::none, loads}, {}, monitor);
  }
};

TEST(GroupSystem, EveryOwnerIsCalledOnItsThreadAndTheFirstAnswers) {
  Group group;
  EXPECT_EQ(group.log.thread[0], std::this_thread::get_id());
  int told = 0;
  group.fill(Monitor([&](const Progress&) {
    ++told;
    EXPECT_EQ(std::this_thread::get_id(), group.log.thread[0]);
  }));
  EXPECT_EQ(told, 1);
  group.system->prepare({}, {});
  EXPECT_EQ(group.system->take_notes().size(), 1u);
  EXPECT_TRUE(group.system->take_notes().empty());
  const std::vector<Complex> v = {2.0, 4.0};
  std::vector<Complex> current(2);
  SolverControl control;
  int iterations = 0;
  control.on_iteration = [&](int, double, Complex) { ++iterations; };
  EXPECT_EQ(group.system->solve(v, current, control).size(), 1u);
  EXPECT_EQ(iterations, 1);
  EXPECT_EQ(current, (std::vector<Complex>{3.0, 6.0}));
  EXPECT_EQ(group.system->dense(), (std::vector<Complex>{1, 2, 3, 4}));
  EXPECT_TRUE(group.system->direct_fits());
  EXPECT_EQ(group.log.calls, 12);
  group.system.reset();
  EXPECT_EQ(group.log.calls, 15);
}

TEST(GroupSystem, OneThatFailsEndsAllWithItsLine) {
  Group group;
  for (group.log.failing = 0; group.log.failing < 3; ++group.log.failing) try {
      group.fill();
      FAIL() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::memory);
      EXPECT_STREQ(error.what(), "no memory");
    }
  group.log.failing = -1;
  group.fill();
}

TEST(GroupSystem, ATakerOfRowsThatFailsEndsAll) {
  Group group;
  group.fill();
  const std::thread::id here = std::this_thread::get_id();
  try {
    group.system->gather_rows([&](std::size_t, std::size_t, std::span<const Complex>) {
      EXPECT_EQ(std::this_thread::get_id(), here);
      throw Error(ErrorKind::file, "the disk is full");
    });
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the disk is full");
  }
  EXPECT_EQ(group.system->dense().size(), unknowns * unknowns);
}

TEST(GroupSystem, AllTakeOneSideAfterAnotherWhereOneHasNoMemoryForSeveral) {
  const std::vector<Complex> v = {2.0, 4.0, 6.0, 8.0};
  Group group;
  for (int& owner = group.log.short_of_memory; owner < 3; ++owner) {
    SCOPED_TRACE(owner);
    std::vector<Complex> current(4);
    EXPECT_EQ(group.system->solve(v, current, {}).size(), owner < 0 ? 1u : 2u);
    EXPECT_EQ(current, (std::vector<Complex>{3.0, 6.0, 9.0, 12.0}));
  }
}

TEST(GroupSystem, OwnersThatCannotBeMadeLeaveNone) {
  Owner::Log log;
  EXPECT_THROW(GroupSystem(3, unknowns,
                           [&](const Comm& comm, const std::atomic<bool>&) {
                             if (comm.rank() == 2) throw std::invalid_argument("none");
                             return std::make_unique<Owner>(comm, log);
                           }),
               std::invalid_argument);
  EXPECT_EQ(log.calls, 2);
}

}  // namespace
}  // namespace thinwire::group_system_test
