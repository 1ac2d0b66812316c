#include "bench/tuning_file.h"

#include <gtest/gtest.h>

#include "io/result/checked_json.h"
#include "kernels/base/error.h"
#include "kernels/matrix/symv_shapes.h"
#include "tests/messages.h"

namespace thinwire::tuning_file_test {
namespace {

const std::string gpu = "NVIDIA H200";

std::string refusal(const std::string& text) {
  return test::error_message(ErrorKind::file, [&] { parse_tuning(text, gpu); });
}

/// `text` with the first `what` replaced, and the checksum that it has then.
std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  auto object = nlohmann::ordered_json::parse(text.replace(at, what.size(), by));
  object.erase("crc64");
  return checked_json(object);
}

TEST(TuningFile, IsReadBack) {
  const StoredTuning tuning{128, name_of(symv_shapes.back()), 3};
  EXPECT_EQ(parse_tuning(tuning_json(gpu, tuning), gpu), tuning);
}

TEST(TuningFile, IsNamedByGpuAndVersion) {
  const std::string name = tuning_file_name("NVIDIA H200 (SXM)/../x");
  EXPECT_TRUE(name.starts_with("tuning-nvidia-h200-sxm-x-")) << name;
  EXPECT_TRUE(name.ends_with(".json"));
  EXPECT_FALSE(contains(name, "/"));
}

TEST(TuningFile, NoDamageChangesWhatIsRead) {
  const StoredTuning tuning{128, name_of(symv_shapes.back()), 3};
  const std::string good = tuning_json(gpu, tuning);
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string text = good;
    text[at] = static_cast<char>(text[at] ^ (1 << (at % 8)));
    try {
      EXPECT_EQ(parse_tuning(text, gpu), tuning) << text;
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "damaged");
    }
  }
}

TEST(TuningFile, RefusesDamagedAndForeignFiles) {
  const std::string good = tuning_json(gpu, {128, "", 3});
  EXPECT_EQ(refusal(good), "");
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[]"), std::string("7"),
        good.substr(0, good.size() / 2), replaced(good, "\"row_threads\"", "\"other\"")})
    EXPECT_EQ(refusal(text), "damaged") << text;
  EXPECT_TRUE(contains(refusal(replaced(good, "NVIDIA H200", "Another")), "another GPU"));
  EXPECT_TRUE(contains(refusal(replaced(good, "\"version\": 2", "\"version\": 1")),
                       "not a tuning"));
  EXPECT_TRUE(contains(
      refusal(replaced(good, "\"program_version\": \"", "\"program_version\": \"9")),
      "another version"));
  EXPECT_TRUE(contains(refusal(replaced(good, ": 128", ": 4096")), "0 .. 1024"));
  EXPECT_TRUE(contains(refusal(replaced(good, ": 128", ": -1")), "0 .. 1024"));
  EXPECT_TRUE(contains(refusal(replaced(good, ": 3", ": 3.5")), "whole number"));
  EXPECT_TRUE(
      contains(refusal(replaced(good, "\"symv_shape\": \"\"", "\"symv_shape\": \"9x9\"")),
               "none of this program's"));
  EXPECT_TRUE(
      contains(refusal(replaced(good, "\"symv_shape\": \"\"", "\"symv_shape\": 0")),
               "not a text"));
}

}  // namespace
}  // namespace thinwire::tuning_file_test
