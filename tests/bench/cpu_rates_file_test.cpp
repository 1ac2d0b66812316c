#include "bench/cpu_rates_file.h"

#include <gtest/gtest.h>

#include "io/result/checked_json.h"
#include "kernels/base/error.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

const CpuIdentity here = {"Intel(R) Xeon(R) @ 2.10GHz", "OpenBLAS 0.3.21", 8};
constexpr CpuRates rates = {2.25e7, 7.5e9, 3.25e10, 1.5e8, 7.5, 5.25};

std::string refusal(const std::string& text, const CpuIdentity& identity = here) {
  return test::error_message(ErrorKind::file, [&] { parse_cpu_rates(text, identity); });
}

/// `text` with the first `what` replaced, and the checksum that it has then.
std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  auto object = nlohmann::ordered_json::parse(text.replace(at, what.size(), by));
  object.erase("crc64");
  return checked_json(object);
}

TEST(CpuRatesFile, IsReadBack) {
  EXPECT_EQ(parse_cpu_rates(cpu_rates_json(here, rates), here), rates);
  EXPECT_EQ(parse_cpu_rates(cpu_rates_json(here, {}), here), CpuRates());
}

TEST(CpuRatesFile, IsNamedByProcessorThreadsAndVersion) {
  const std::string name = cpu_rates_file_name(here);
  EXPECT_TRUE(name.starts_with("cpu-intel-r-xeon-r-2-10ghz-8-threads-")) << name;
  EXPECT_TRUE(name.ends_with(".json")) << name;
  EXPECT_TRUE(cpu_rates_file_name({"", "", 1}).starts_with("cpu-unknown-1-threads-"));
}

TEST(CpuRatesFile, NoDamageChangesWhatIsRead) {
  const std::string good = cpu_rates_json(here, rates);
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string text = good;
    text[at] = static_cast<char>(text[at] ^ (1 << (at % 8)));
    try {
      EXPECT_EQ(parse_cpu_rates(text, here), rates) << text;
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "damaged");
    }
  }
}

TEST(CpuRatesFile, RefusesDamagedAndForeignFiles) {
  const std::string good = cpu_rates_json(here, rates);
  EXPECT_EQ(refusal(good), "");
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("7"),
        good.substr(0, good.size() / 2), replaced(good, "reading_threads", "other"),
        replaced(good, "5.25", "\"5.25\"")})
    EXPECT_EQ(refusal(text), "damaged") << text;
  for (const CpuIdentity& other : {CpuIdentity{"other", here.blas, here.threads},
                                   CpuIdentity{here.cpu, "other", here.threads},
                                   CpuIdentity{here.cpu, here.blas, 4}})
    EXPECT_TRUE(contains(refusal(good, other), "another processor"));
  EXPECT_TRUE(contains(
      refusal(replaced(good, "\"program_version\": \"", "\"program_version\": \"9")),
      "another version"));
  for (const char* value : {"0", "-5.25", "1e30"})
    EXPECT_TRUE(contains(refusal(replaced(good, "5.25", value)), "reading_threads"))
        << value;
}

}  // namespace
}  // namespace thinwire
