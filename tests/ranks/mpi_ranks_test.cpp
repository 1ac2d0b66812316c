// Runs under mpirun -n N as `ranks_tests N`.
#include "mom/schedule/mpi_ranks.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "kernels/base/error.h"
#include "mom/schedule/load_ranks.h"
#include "tests/cg/comm_contract.h"

namespace thinwire {
namespace {

const Ranks* world = nullptr;

std::string long_text(int rank) {
  std::string text(100'001, static_cast<char>('a' + rank));
  text.back() = '\0';
  return text;
}

TEST(MpiRanks, KeepThePromiseOfComm) {
  testing::expect_comm(*world);
  // In pieces, as what is longer than MPI's counts.
  for (const std::size_t most : {100, 700})
    testing::expect_comm(MpiRanks(MPI_COMM_WORLD, most));
}

TEST(MpiRanks, BroadcastBytesOfUnknownLength) {
  const MpiRanks in_pieces(MPI_COMM_WORLD, 30'000);
  for (const Ranks* ranks : {world, static_cast<const Ranks*>(&in_pieces)})
    for (int root = 0; root < ranks->ranks(); ++root) {
      std::string text = ranks->rank() == root ? long_text(root) : "something else";
      ranks->broadcast(text, root);
      EXPECT_TRUE(text == long_text(root));
      text = ranks->rank() == root ? "" : "something else";
      ranks->broadcast(text, root);
      EXPECT_EQ(text, "");
    }
}

TEST(MpiRanks, SendMessagesInTheirOrder) {
  if (world->rank() != 0) {
    world->send("first", 0);
    world->send("", 0);
    world->send(long_text(world->rank()), 0);
    EXPECT_EQ(world->receive(0), "thanks");
    return;
  }
  std::vector<int> heard(world->ranks());
  for (int messages = 3 * (world->ranks() - 1); messages > 0; --messages) {
    std::optional<int> from;
    while (!from) from = world->sender();
    const std::string text = world->receive(*from);
    const std::string right[] = {"first", "", long_text(*from)};
    EXPECT_TRUE(text == right[heard[*from]++]);
  }
  EXPECT_EQ(world->sender(), std::nullopt);
  for (int r = 1; r < world->ranks(); ++r) world->send("thanks", r);
}

TEST(MpiRanks, DivideIntoGroups) {
  const int rank = world->rank();
  const std::unique_ptr<Ranks> group = world->group(rank % 2);
  EXPECT_EQ(group->rank(), rank / 2);
  EXPECT_EQ(group->ranks(), (world->ranks() + 1 - rank % 2) / 2);
  testing::expect_comm(*group);
}

TEST(MpiRanks, SeeThatAnotherIsAboutToEndThem) {
  // A group of its own: its announcements remain.
  const std::unique_ptr<Ranks> all = world->group(0);
  double done = 0;
  EXPECT_FALSE(all->end_announced());
  all->sum(done);
  if (all->rank() == 0) all->announce_end();
  EXPECT_FALSE(all->rank() == 0 && all->end_announced());
  while (all->rank() > 0 && !all->end_announced()) {
  }
  all->sum(done);
}

TEST(MpiRanks, KnowTheirHost) {
  EXPECT_EQ(world->host(), 0);  // all are on this one
}

}  // namespace
}  // namespace thinwire

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc != 2) return 2;
  try {
    const auto ranks = thinwire::start_ranks({THINWIRE_MODULES}, std::atoi(argv[1]));
    thinwire::world = ranks.get();
    return RUN_ALL_TESTS();
  } catch (const thinwire::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
