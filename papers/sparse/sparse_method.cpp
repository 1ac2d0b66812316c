#include "papers/sparse/sparse_method.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/error.h"

namespace thinwire {
namespace {

std::vector<SparseMethod> make_methods() {
  std::vector<SparseMethod> methods;
  const auto add = [&](std::string name, SparseFormat format) -> SparseMethod& {
    SparseMethod method;
    method.name = std::move(name);
    method.format = format;
    return methods.emplace_back(std::move(method));
  };
  add("csr", SparseFormat::csr);
  add("crs-vector", SparseFormat::crs_vector);
  for (int threads = 1; threads <= 32; threads *= 2)
    add("crs-vector-" + std::to_string(threads), SparseFormat::crs_vector).threads =
        threads;
  for (int version = 0; version < 4; ++version)
    add("crs-vector-v" + std::to_string(version), SparseFormat::crs_vector).version =
        version;
  add("rows-blocks", SparseFormat::row_parallel).rows = Distribution::blocks;
  add("rows-cyclic", SparseFormat::row_parallel);
  for (const Distribution rows : {Distribution::blocks, Distribution::cyclic})
    for (const Distribution entries : {Distribution::blocks, Distribution::cyclic}) {
      const auto letter = [](Distribution dealing) {
        return dealing == Distribution::blocks ? "b" : "c";
      };
      SparseMethod& method = add(std::string("in-row-") + letter(rows) + letter(entries),
                                 SparseFormat::in_row);
      method.rows = rows;
      method.entries = entries;
    }
  add("segmented-scan", SparseFormat::segmented_scan);
  for (const int segment : {4, 32, 64, 256})
    add("segmented-scan-" + std::to_string(segment), SparseFormat::segmented_scan)
        .segment = segment;
  add("ell", SparseFormat::ell);
  add("ell-r", SparseFormat::ell_r);
  add("rbp-csr", SparseFormat::rbp_csr);
  add("rbp-ell", SparseFormat::rbp_ell);
  add("rbp-ell-r", SparseFormat::rbp_ell_r);
  add("rbp-csr-auto", SparseFormat::rbp_csr).packs_if_it_pays = true;
  add("rbp-ell-auto", SparseFormat::rbp_ell).packs_if_it_pays = true;
  add("runs", SparseFormat::runs);
  for (const int rows : {4, 16})
    add("runs-" + std::to_string(rows), SparseFormat::runs).piece_rows = rows;
  return methods;
}

}  // namespace

const std::vector<SparseMethod>& sparse_methods() {
  static const std::vector<SparseMethod> methods = make_methods();
  return methods;
}

const SparseMethod& sparse_method_named(std::string_view name) {
  std::string known;
  for (const SparseMethod& method : sparse_methods()) {
    if (method.name == name) return method;
    known += (known.empty() ? "" : ", ") + method.name;
  }
  throw Error(ErrorKind::usage, "unknown sparse format '" + std::string(name) +
                                    "'. There are: " + known + ".");
}

int threads_per_row(std::size_t entries, std::size_t rows) {
  if (entries <= rows) return 1;
  const float mean = static_cast<float>(entries) / static_cast<float>(rows);
  return std::clamp(static_cast<int>(std::pow(2.0, std::ceil(std::log2(mean)))), 1, 32);
}

}  // namespace thinwire
