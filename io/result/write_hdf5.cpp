#include "io/result/write_hdf5.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "io/result/hdf5_file.h"
#include "io/result/hdf5_origin.h"
#include "io/result/options_json.h"
#include "io/result/output_file.h"
#include "io/result/result_arrays.h"
#include "io/result/saved_matrix.h"
#include "io/result/sha256.h"
#include "kernels/base/stopwatch.h"
#include "mom/problem/stages.h"

namespace thinwire {
namespace {

using Clock = std::chrono::steady_clock;

void write_input(Hdf5Writer& out, const Problem& problem, const Options& options) {
  write_deck(out, problem.deck_text, problem.name, problem.deck_dialect,
             problem.deck_patches);
  if (const auto sha256 = sha256_hex(problem.deck_text))
    out.attribute("/input/deck", "sha256", *sha256);
  out.text("/input/options",
           options_json(options).dump(-1, ' ', false,
                                      nlohmann::json::error_handler_t::replace),
           "solver options as JSON");
}

/// Writes the arrays of a solution.
class ArrayWriter : public ArrayVisitor {
 public:
  explicit ArrayWriter(Hdf5Writer& out) : out_(out) {}

  bool wants(const std::string&) override { return true; }
  void array(ResultArray&& array) override {
    const Quantity quantity{array.units, array.long_name};
    std::visit(
        [&](const auto& values) {
          using T = typename std::decay_t<decltype(values)>::value_type;
          if constexpr (std::is_same_v<T, std::string>) {
            if (array.is_axis())
              out_.axis(array.path, values, array.long_name);
            else
              out_.dataset(array.path, values, array.axes, array.long_name);
          } else {
            const std::span<const T> numbers(values);
            if constexpr (!std::is_same_v<T, Complex>)
              if (array.is_axis()) return out_.axis(array.path, numbers, quantity);
            out_.dataset(array.path, numbers, array.axes, quantity);
          }
        },
        array.values);
  }
  void attribute(const std::string& group, const char* name,
                 const AttributeValue& value) override {
    std::visit([&](const auto& of) { out_.attribute(group, name, of); }, value);
  }

 private:
  Hdf5Writer& out_;
};

/// The write itself is timed up to here; flushing comes after.
void write_timings(Hdf5Writer& out, Timings t, Clock::time_point start) {
  const double write = seconds_since(start);
  t.write += write;
  t.total += write;
  for (const Stage& stage : stages_of(t))
    out.scalar(fmt::format("/timing/{}", stage.name), stage.seconds,
               {"s", fmt::format("wall-clock time: {}", stage.name)});
}

/// All but the matrix.
void write_results(Hdf5Writer& out, const Problem& problem, const Options& options,
                   const Solution& solution, const std::string& command_line) {
  write_origin(out, command_line);
  out.attribute("/", "device", solution.device);
  out.attribute("/", "unknowns", static_cast<std::int64_t>(solution.unknowns));
  write_input(out, problem, options);
  write_warnings(out, solution.warnings);
  ArrayWriter arrays(out);
  visit_arrays(problem, solution, options.reference_ohm, arrays);
}

}  // namespace

void write_hdf5(const std::filesystem::path& path, const Problem& problem,
                const Options& options, const Solution& solution,
                const std::string& command_line, const std::atomic<bool>* stop,
                SavedMatrix* saved) {
  const Clock::time_point start = Clock::now();
  const std::vector<Complex>& z = solution.impedance_matrix_ohm;
  const bool in_file = saved != nullptr && saved->writer() != nullptr;
  std::optional<Hdf5Writer> in_memory;
  Hdf5Writer& out = in_file ? *saved->writer() : in_memory.emplace(path);
  // The matrix belongs to its own run's mesh, which need not be the largest.
  if (!in_file && !z.empty())
    begin_matrix(out, static_cast<std::size_t>(
                          std::lround(std::sqrt(static_cast<double>(z.size())))));
  write_results(out, problem, options, solution, command_line);
  if (in_file || !z.empty())
    out.attribute("/matrix/impedance_ohm", "frequency_hz",
                  solution.frequencies.back().frequency_hz);
  write_timings(out, solution.timings_s, start);
  if (in_file)
    saved->finish(stop);
  else
    write_result_file(path, out, z, stop);
}

}  // namespace thinwire
