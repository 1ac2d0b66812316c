#include "mom/options.h"

#include <gtest/gtest.h>

namespace thinwire {
namespace {

std::string failure(void (*parse)()) {
  try {
    parse();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "no error";
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
  EXPECT_EQ(name_of(KernelChoice::reduced), "reduced");
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
  for (const char* word : {"auto", "cpu", "cuda:12"})
    EXPECT_EQ(name_of(named(word)), word);
}

TEST(Devices, OtherWordsAreRefused) {
  EXPECT_EQ(failure([] { (void)device_named("--device", "gpu"); }),
            "--device must be auto, cpu, cuda or cuda:N (got 'gpu').");
  for (const auto parse : {+[] { (void)device_named("d", "cuda:"); },
                           +[] { (void)device_named("d", "cuda:x"); },
                           +[] { (void)device_named("d", "cuda:-1"); },
                           +[] { (void)device_named("d", "cuda:1 "); },
                           +[] { (void)device_named("d", "cuda:99999"); }})
    EXPECT_NE(failure(parse).find("must be auto"), std::string::npos);
}

}  // namespace
}  // namespace thinwire
