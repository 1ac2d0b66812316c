#include "mom/problem/options.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace thinwire {
std::string name_of(DeviceRequest device) {
  switch (device.kind) {
    case DeviceRequest::Kind::automatic:
      return "auto";
    case DeviceRequest::Kind::cpu:
      return "cpu";
    case DeviceRequest::Kind::cuda:
      break;
  }
  if (device.all) return "cuda:all";
  std::string name = fmt::format("cuda:{}", device.index);
  for (const int other : device.beside) name += fmt::format(",{}", other);
  return name;
}

DeviceRequest device_named(std::string_view option, std::string_view word) {
  using Kind = DeviceRequest::Kind;
  if (word == "auto") return {Kind::automatic, 0};
  if (word == "cpu") return {Kind::cpu, 0};
  if (word == "cuda") return {Kind::cuda, 0};
  constexpr std::string_view prefix = "cuda:";
  constexpr int most = 9999;
  if (word == "cuda:all") return {Kind::cuda, 0, {}, true};
  std::vector<int> indices;
  bool good = word.starts_with(prefix);
  const char* end = word.data() + word.size();
  for (const char* at = word.data() + prefix.size(); good;) {
    int index = -1;
    const auto [stop, failed] = std::from_chars(at, end, index);
    good = failed == std::errc() && 0 <= index && index <= most;
    if (good && std::find(indices.begin(), indices.end(), index) != indices.end())
      throw Error(ErrorKind::usage,
                  fmt::format("{} names cuda:{} twice (got '{}').", option, index, word));
    indices.push_back(index);
    if (stop == end) break;
    good = good && *stop == ',';
    at = stop + 1;
  }
  if (good) return {Kind::cuda, indices.front(), {indices.begin() + 1, indices.end()}};
  throw Error(ErrorKind::usage,
              fmt::format("{} must be auto, cpu, cuda, cuda:N, cuda:N,M or cuda:all (got "
                          "'{}').",
                          option, word));
}

namespace {

/// A number that is all of `word`; NaN where it is none.
double number_of(std::string_view word) {
  double number = 0;
  const char* end = word.data() + word.size();
  const auto [stop, failed] = std::from_chars(word.data(), end, number);
  return failed == std::errc() && stop == end ? number : std::nan("");
}

}  // namespace

std::string name_of(const std::optional<BoxSize>& boxes) {
  return boxes ? fmt::format("{:g},{:g}", boxes->box, boxes->overlap) : "auto";
}

std::optional<BoxSize> boxes_named(std::string_view option, std::string_view word) {
  if (word == "auto") return std::nullopt;
  const std::size_t comma = word.find(',');
  if (comma != word.npos) {
    const BoxSize boxes = {number_of(word.substr(0, comma)),
                           number_of(word.substr(comma + 1))};
    if (std::isfinite(boxes.box) && std::isfinite(boxes.overlap)) return boxes;
  }
  throw Error(
      ErrorKind::usage,
      fmt::format("{} must be auto or SIDE,OVERLAP in cells, like 32,4 (got '{}').",
                  option, word));
}

void check_overlap(const Options& options) {
  if (options.coarse != SwitchChoice::automatic &&
      options.preconditioner != PreconditionerChoice::overlap)
    throw Error(
        ErrorKind::usage,
        fmt::format("--coarse: only --precond overlap has a coarse level (got --precond "
                    "{}). Add --precond overlap, or leave --coarse out.",
                    name_of(options.preconditioner)));
  if (!options.boxes) return;
  if (options.preconditioner != PreconditionerChoice::overlap)
    throw Error(
        ErrorKind::usage,
        fmt::format("--boxes: only --precond overlap has boxes (got --precond {}). "
                    "Add --precond overlap, or leave --boxes out.",
                    name_of(options.preconditioner)));
  const auto [side, overlap] = *options.boxes;
  // Written so that NaN is refused, too.
  if (!(side >= 1 && overlap >= 0 && overlap < side))
    throw Error(
        ErrorKind::usage,
        fmt::format("--boxes must be at least one cell wide, with an overlap of 0 "
                    "or more and less than that (got {}). Try --boxes 32,4.",
                    name_of(options.boxes)));
}

void check_options(const Options& options) {
  if (!(options.tolerance > 0 && options.tolerance < 1))
    throw Error(ErrorKind::usage,
                fmt::format("tolerance must lie between 0 and 1 (got {:g}). "
                            "Try --tolerance 1e-6.",
                            options.tolerance));
  if (options.refinement < 1 || options.refinement > 64 ||
      (options.refinement & (options.refinement - 1)) != 0)
    throw Error(ErrorKind::usage,
                fmt::format("refinement must be 1, 2, 4, 8, 16, 32 or 64 (got {}). Try "
                            "--refine 2.",
                            options.refinement));
  if (!(options.operator_tolerance >= 1e-9 && options.operator_tolerance < 1))
    throw Error(
        ErrorKind::usage,
        fmt::format("operator tolerance must lie between 1e-9 and 1 (got {:g}). Try "
                    "--operator-tolerance 1e-5.",
                    options.operator_tolerance));
  check_overlap(options);
}

int thread_count(const Options& options) {
  return options.threads > 0 ? options.threads : omp_get_max_threads();
}

}  // namespace thinwire
