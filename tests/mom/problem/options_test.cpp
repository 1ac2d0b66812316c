#include "mom/problem/options.h"
#include "tests/messages.h"

#include <gtest/gtest.h>

#include <cmath>

namespace thinwire {
namespace {

std::string failure(void (*parse)()) {
  return test::error_message(ErrorKind::usage, [&] { parse(); });
}

TEST(Choices, WordsAndValuesAgree) {
  for (const char* word : {"auto", "direct", "cg", "cocg", "cocr", "gmres"})
    EXPECT_EQ(name_of(choice_named<SolverChoice>("--solver", word)), word);
  for (const char* word : {"auto", "none", "block", "two-level"})
    EXPECT_EQ(name_of(choice_named<PreconditionerChoice>("--precond", word)), word);
  for (const char* word : {"auto", "dense", "toeplitz"})
    EXPECT_EQ(name_of(choice_named<OperatorChoice>("--operator", word)), word);
  for (const char* word : {"product", "resident", "graph"})
    EXPECT_EQ(name_of(choice_named<PlacementChoice>("--placement", word)), word);
  for (const char* word : {"double", "mixed", "single"})
    EXPECT_EQ(name_of(choice_named<PrecisionChoice>("--precision", word)), word);
  EXPECT_EQ(name_of(MeshChoice::as_given), "as-given");
  EXPECT_EQ(name_of(GreensKernel::reduced), "reduced");
}

TEST(Choices, OtherWordsAreRefusedWithTheList) {
  EXPECT_EQ(failure([] { (void)choice_named<MeshChoice>("--mesh", "fine"); }),
            "--mesh must be one of graded, as-given (got 'fine').");
}

TEST(Devices, AreNamedByWordAndNumber) {
  using Kind = DeviceRequest::Kind;
  const auto named = [](const char* word) { return device_named("--device", word); };
  EXPECT_EQ(named("auto"), (DeviceRequest{Kind::automatic, 0}));
  EXPECT_EQ(named("cpu"), (DeviceRequest{Kind::cpu, 0}));
  EXPECT_EQ(named("cuda"), (DeviceRequest{Kind::cuda, 0}));
  EXPECT_EQ(named("cuda:3"), (DeviceRequest{Kind::cuda, 3}));
  EXPECT_EQ(named("cuda:2,0,11"), (DeviceRequest{Kind::cuda, 2, {0, 11}}));
  EXPECT_EQ(named("cuda:all"), (DeviceRequest{Kind::cuda, 0, {}, true}));
  for (const char* word : {"auto", "cpu", "cuda:12", "cuda:2,0,11", "cuda:all"})
    EXPECT_EQ(name_of(named(word)), word);
}

TEST(Devices, OtherWordsAreRefused) {
  EXPECT_EQ(failure([] { (void)device_named("--device", "gpu"); }),
            "--device must be auto, cpu, cuda, cuda:N, cuda:N,M or cuda:all (got "
            "'gpu').");
  EXPECT_EQ(failure([] { (void)device_named("--device", "cuda:1,2,1"); }),
            "--device names cuda:1 twice (got 'cuda:1,2,1').");
  for (const auto parse : {+[] { (void)device_named("d", "cuda:"); },
                           +[] { (void)device_named("d", "cuda:x"); },
                           +[] { (void)device_named("d", "cuda:-1"); },
                           +[] { (void)device_named("d", "cuda:1 "); },
                           +[] { (void)device_named("d", "cuda:1,"); },
                           +[] { (void)device_named("d", "cuda:,1"); },
                           +[] { (void)device_named("d", "cuda:1,all"); },
                           +[] { (void)device_named("d", "cuda:99999"); }})
    EXPECT_NE(failure(parse).find("must be auto"), std::string::npos);
}

TEST(Boxes, AreNamedByTheirCells) {
  EXPECT_EQ(boxes_named("--boxes", "auto"), std::nullopt);
  EXPECT_EQ(boxes_named("--boxes", "48,4"), (BoxSize{48, 4}));
  EXPECT_EQ(boxes_named("--boxes", "1.5,0"), (BoxSize{1.5, 0}));
  for (const char* word : {"auto", "48,4", "1.5,0"})
    EXPECT_EQ(name_of(boxes_named("--boxes", word)), word);
}

TEST(Boxes, AreCheckedBeforeAnythingIsSolved) {
  Options options;
  EXPECT_NO_THROW(check_overlap(options));
  options.boxes = {8, 2};
  EXPECT_THROW(check_overlap(options), Error) << "without overlapping blocks";
  options.preconditioner = PreconditionerChoice::overlap;
  EXPECT_NO_THROW(check_overlap(options));
  for (const BoxSize none :
       {BoxSize{0.5, 0}, BoxSize{8, 8}, BoxSize{8, -1}, BoxSize{std::nan(""), 1}}) {
    options.boxes = none;
    EXPECT_THROW(check_overlap(options), Error) << none.box << ", " << none.overlap;
  }
}

}  // namespace
}  // namespace thinwire
