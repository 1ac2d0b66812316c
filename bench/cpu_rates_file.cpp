#include "bench/cpu_rates_file.h"

#include <fmt/format.h>

#include <thinwire_version.h>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench/file_slug.h"
#include "io/result/checked_json.h"
#include "io/result/output_file.h"
#include "kernels/base/error.h"

namespace thinwire {
namespace {

constexpr const char* rates_format_name = "thinwire-cpu-rates";
constexpr int rates_format_version = 2;

constexpr std::array<std::pair<const char*, double CpuRates::*>, 6> rate_members = {
    {{"fill_entries_per_s", &CpuRates::fill_entries_per_s},
     {"product_bytes_per_s", &CpuRates::product_bytes_per_s},
     {"factor_flops_per_s", &CpuRates::factor_flops_per_s},
     {"field_terms_per_s", &CpuRates::field_terms_per_s},
     {"computing_threads", &CpuRates::computing_threads},
     {"reading_threads", &CpuRates::reading_threads}}};

}  // namespace

std::string cpu_rates_file_name(const CpuIdentity& identity) {
  return fmt::format("cpu-{}-{}-threads-{}.json", file_slug(identity.cpu, "unknown"),
                     identity.threads, THINWIRE_VERSION);
}

std::string cpu_rates_json(const CpuIdentity& identity, const CpuRates& rates) {
  nlohmann::ordered_json file = {
      {"format", rates_format_name},
      {"version", rates_format_version},
      {"comment", std::string(text_signature) + ", measured before a long solve"},
      {"program_version", THINWIRE_VERSION},
      {"cpu", identity.cpu},
      {"blas", identity.blas},
      {"threads", identity.threads}};
  for (const auto& [name, member] : rate_members) file[name] = rates.*member;
  return checked_json(file);
}

CpuRates parse_cpu_rates(const std::string& text, const CpuIdentity& identity) {
  // No CPU is so much slower or faster than the defaults.
  constexpr double widest = 1000;
  try {
    const nlohmann::ordered_json file = parse_checked_json(text);
    if (file.at("format") != rates_format_name ||
        file.at("version") != rates_format_version)
      refuse_file("not a file of rates of this program");
    if (file.at("program_version") != THINWIRE_VERSION)
      refuse_file(
          fmt::format("made by another version, {}", file["program_version"].dump()));
    if (file.at("cpu") != identity.cpu || file.at("blas") != identity.blas ||
        file.at("threads") != identity.threads)
      refuse_file("made for another processor, BLAS or number of threads");
    CpuRates rates;
    for (const auto& [name, member] : rate_members) {
      const auto value = file.at(name).get<double>();
      const double standard = CpuRates().*member;
      if (!(value > standard / (10 * widest) && value < widest * standard))
        refuse_file(fmt::format("{} is out of range (got {:g})", name, value));
      rates.*member = value;
    }
    return rates;
  } catch (const nlohmann::json::exception&) {
    refuse_file("damaged");
  }
}

}  // namespace thinwire
