#include "cli/open_journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <any>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/tell.h"
#include "io/result/checksum.h"
#include "io/result/output_file.h"
#include "kernels/base/error.h"
#include "kernels/base/printable.h"
#include "mom/problem/stored_matrix.h"

namespace thinwire::cli {
namespace fs = std::filesystem;
namespace po = boost::program_options;
using Json = nlohmann::json;

namespace {

/// An option that may change between the begin of work and its resumption: what a journal
/// keeps does not depend on it. All others are in the header.
struct WithoutEffect {
  const char* option;
  std::string_view command = "";  ///< the only one that it holds for; empty: all
};
constexpr WithoutEffect without_effect[] = {
    // The deck's text is in the header.
    {"deck"},
    // Where results go, and in what form.
    {"output"},
    {"csv"},
    {"listing"},
    {"plot"},
    {"output-deck"},
    {"json"},
    {"force"},
    {"progress"},
    {"quiet"},
    // Reflections in outputs refer to it. Goals of optimize depend on it.
    {"z0", "solve"},
    {"z0", "sweep"},
    // Threads and processes: results have the same bits with any number of them.
    {"threads"},
    {"split"},
    // These keep nothing.
    {"dry-run"},
    {"ranks"},
    {"resume"},
    // How to search: what a variant comes to does not depend on it.
    {"method", "optimize"},
    {"starts", "optimize"},
    {"evaluations", "optimize"},
    {"time", "optimize"},
    {"resolution", "optimize"},
};

bool has_effect(std::string_view option, std::string_view command) {
  return std::ranges::none_of(without_effect, [&](const WithoutEffect& of) {
    return of.option == option && (of.command.empty() || of.command == command);
  });
}

template <class... Types>
Json json_of(const boost::any& value) {
  Json json;
  const auto take = [&](const auto* held) {
    if (held) json = *held;
  };
  (take(boost::any_cast<Types>(&value)), ...);
  if (json.is_null())
    throw Error(
        ErrorKind::usage,
        "an option's value cannot be written into a journal. Please report this.");
  return json;
}

}  // namespace

Json journal_header(const char* command, const Problem& problem,
                    const po::variables_map& values) {
  Json options = Json::object();
  for (const auto& [name, value] : values)
    if (has_effect(name, command))
      options[name] =
          json_of<bool, int, std::int64_t, double, std::string, std::vector<std::string>>(
              value.value());
  // Wherever S-parameters go, they take the same currents.
  if (options.contains("touchstone")) options["touchstone"] = true;
  Json header = {{"command", command}, {"deck", problem.deck_text}, {"options", options}};
  if (problem.stored) {
    const std::vector<Complex>& matrix = problem.stored->matrix_ohm;
    header["matrix (GF)"] = checksum_digits(
        {reinterpret_cast<const char*>(matrix.data()), matrix.size() * sizeof(Complex)});
  }
  return header;
}

fs::path journal_path(const char* command, std::span<const fs::path> outputs,
                      const po::variables_map& values) {
  for (const fs::path& output : outputs)
    if (!output.empty() && !is_written_directly(output)) return Journal::beside(output);
  if (values["resume"].as<bool>())
    throw Error(ErrorKind::usage,
                fmt::format("{}: results are kept in a journal beside the first output, "
                            "which must be a file. Name one, or leave --resume out.",
                            command));
  return {};
}

std::unique_ptr<Journal> open_journal(const fs::path& path, const Json& header,
                                      bool resume, const po::variables_map& values,
                                      const Journal::Take& take) {
  Journal::refuse_left(path, resume, values["force"].as<bool>());
  auto journal = std::make_unique<Journal>(path, header);
  if (resume) {
    const std::size_t damaged = journal->resume(take);
    if (damaged > 0 && !values["quiet"].as<bool>())
      tell(
          "warning: {}: {} line{} damaged or cut short: the missing results are "
          "solved again.\n",
          shown(path), damaged, damaged == 1 ? " was" : "s were");
  } else if (Journal::is_left(path)) {
    journal->begin();
  } else {
    journal->claim();
  }
  return journal;
}

}  // namespace thinwire::cli
