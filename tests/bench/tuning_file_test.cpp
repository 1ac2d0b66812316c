#include "bench/tuning_file.h"

#include <gtest/gtest.h>

#include "io/result/checked_json.h"
#include "kernels/base/error.h"
#include "kernels/matrix/symv_shapes.h"

namespace thinwire::tuning_file_test {
namespace {

const std::string gpu = "NVIDIA H200";

std::string refusal(const std::string& text) {
  try {
    parse_tuning(text, gpu);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::file);
    return error.what();
  }
  return "";
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
  EXPECT_EQ(name.find('/'), std::string::npos);
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
  EXPECT_NE(refusal(replaced(good, "NVIDIA H200", "Another")).find("another GPU"),
            std::string::npos);
  EXPECT_NE(
      refusal(replaced(good, "\"version\": 2", "\"version\": 1")).find("not a tuning"),
      std::string::npos);
  EXPECT_NE(refusal(replaced(good, "\"program_version\": \"", "\"program_version\": \"9"))
                .find("another version"),
            std::string::npos);
  EXPECT_NE(refusal(replaced(good, ": 128", ": 4096")).find("0 .. 1024"),
            std::string::npos);
  EXPECT_NE(refusal(replaced(good, ": 128", ": -1")).find("0 .. 1024"),
            std::string::npos);
  EXPECT_NE(refusal(replaced(good, ": 3", ": 3.5")).find("whole number"),
            std::string::npos);
  EXPECT_NE(refusal(replaced(good, "\"symv_shape\": \"\"", "\"symv_shape\": \"9x9\""))
                .find("none of this program's"),
            std::string::npos);
  EXPECT_NE(refusal(replaced(good, "\"symv_shape\": \"\"", "\"symv_shape\": 0"))
                .find("not a text"),
            std::string::npos);
}

}  // namespace
}  // namespace thinwire::tuning_file_test
