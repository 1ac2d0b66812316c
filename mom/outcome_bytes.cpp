#include "mom/outcome_bytes.h"

#include <cstring>
#include <type_traits>
#include <utility>

#include "kernels/base/error.h"

namespace thinwire {
namespace {

// The members of what is neither plain, a text nor a list. The compiler sees that none is
// forgotten: each must have a name here.
void members(Warning& of, const auto& use) {
  auto& [text, about] = of;
  use(text, about);
}
void members(GainSlopes& of, const auto& use) {
  auto& [pattern, theta, phi, gain, front_to_back, gain_slope, front_to_back_slope] = of;
  use(pattern, theta, phi, gain, front_to_back, gain_slope, front_to_back_slope);
}
void members(PatternResult& of, const auto& use) {
  auto& [request, theta, phi, e_theta, e_phi, gain, reference, average, angle] = of;
  use(request, theta, phi, e_theta, e_phi, gain, reference, average, angle);
}
void members(NearFieldResult& of, const auto& use) {
  auto& [request, field] = of;
  use(request, field);
}
void members(SolverReport& of, const auto& use) {
  auto& [name, preconditioner, boxes, boxes_asked, operator_name, operator_error, why,
         iterations, residual, converged, history, model_error] = of;
  use(name, preconditioner, boxes, boxes_asked, operator_name, operator_error, why,
      iterations, residual, converged, history, model_error);
}
void members(FrequencyResult& of, const auto& use) {
  auto& [run, frequency_hz, wave, ports, network_ports, port_impedance, impedance_slope,
         gain_slopes, coefficients, currents, charges, patterns, near_fields, couplings,
         input_power, loss_power, network_loss, radiated_power, solver] = of;
  use(run, frequency_hz, wave, ports, network_ports, port_impedance, impedance_slope,
      gain_slopes, coefficients, currents, charges, patterns, near_fields, couplings,
      input_power, loss_power, network_loss, radiated_power, solver);
}
void members(FrequencyOutcome& of, const auto& use) {
  auto& [results, warnings, stored, timings] = of;
  use(results, warnings, timings);
}

class Writer {
 public:
  void copy(const void* from, std::size_t size) {
    bytes.append(static_cast<const char*>(from), size);
  }
  void expect(std::size_t) const {}

  std::string bytes;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}
  void copy(void* to, std::size_t size) {
    expect(size);
    std::memcpy(to, left_.data(), size);
    left_.remove_prefix(size);
  }
  /// At least so many bytes are to come.
  void expect(std::size_t size) const {
    if (size > left_.size())
      throw Error(ErrorKind::file,
                  "a frequency's results are cut short. Solve it again.");
  }

 private:
  std::string_view left_;
};

template <class T>
constexpr bool is_list = false;
template <class T>
constexpr bool is_list<std::vector<T>> = true;
template <>
constexpr bool is_list<std::string> = true;

/// Writes a value, or reads into it.
template <class Archive, class T>
void pass(Archive& archive, T& value) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    archive.copy(&value, sizeof value);
  } else if constexpr (is_list<T>) {
    std::size_t count = value.size();
    pass(archive, count);
    archive.expect(count);
    value.resize(count);
    for (auto& each : value) pass(archive, each);
  } else {
    members(value, [&archive](auto&... each) { (pass(archive, each), ...); });
  }
}

}  // namespace

std::string outcome_bytes(const FrequencyOutcome& outcome) {
  Writer writer;
  // A writer reads alone.
  pass(writer, const_cast<FrequencyOutcome&>(outcome));
  return std::move(writer.bytes);
}

FrequencyOutcome outcome_of(std::string_view bytes) {
  Reader reader(bytes);
  FrequencyOutcome outcome;
  pass(reader, outcome);
  return outcome;
}

}  // namespace thinwire
