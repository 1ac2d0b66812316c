#include "papers/study/compare_sparse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "kernels/base/constants.h"
#include "kernels/base/error.h"
#include "mom/gpu/gpu.h"
#include "papers/sparse/packed_rows.h"
#include "papers/sparse/sparse_gmres.h"
#include "papers/sparse/sparse_method.h"
#include "papers/study/gpu.h"
#include "papers/study/matrix_market.h"
#include "papers/study/sparse_matrices.h"
#include "papers/study/sparse_reference.h"

namespace thinwire {
namespace {

/// Padded formats that would take this many times CSR's bytes are left out.
constexpr double max_padding = 20;

bool is_library(const std::string& format) {
  return format.starts_with("cusparse-");
}
bool is_complex(SparseType type) {
  return with_sparse_type(type, []<class V>() { return NumberOf<V>::parts == 2; });
}
std::size_t value_bytes(SparseType type) {
  return with_sparse_type(type, []<class V>() { return sizeof(V); });
}

void check_format(const std::string& format, const SparseBenchOptions& options) {
  if (format == "runs-real") {
    if (is_complex(options.type)) return;
    throw Error(ErrorKind::usage,
                "bench sparse: --format runs-real multiplies complex vectors. Use --type "
                "z or c, or --format runs.");
  }
  if (format == "cusparse-csr" || format == "cusparse-bsr" || format == "cusparse-sell") {
    if (options.gpu) return;
    throw Error(ErrorKind::usage, fmt::format("bench sparse: --format {} needs a GPU. "
                                              "Leave it out.",
                                              format));
  }
  try {
    sparse_method_named(format);
  } catch (const Error& error) {
    std::string text = error.what();
    text.pop_back();
    throw Error(ErrorKind::usage,
                text + ", runs-real, cusparse-csr, cusparse-bsr, cusparse-sell.");
  }
}

bool is_file(const std::string& matrix) {
  return matrix.ends_with(".mtx");
}

/// Says what a file's first line forbids before anything is measured.
void check_file(const std::string& name, const SparseBenchOptions& options) {
  if (!std::filesystem::exists(name))
    throw Error(ErrorKind::file, fmt::format("{}: no such file. Check the name.", name));
  if (!matrix_market_is_complex(name)) return;
  if (!is_complex(options.type))
    throw Error(ErrorKind::usage,
                fmt::format("bench sparse: {} holds complex values, which real numbers "
                            "cannot. Use --type z or c.",
                            name));
  if (options.gmres > 0)
    throw Error(ErrorKind::usage,
                fmt::format("bench sparse: --gmres solves with real matrices, and {} "
                            "holds complex values. Leave one of them out.",
                            name));
}

void check_matrix(const std::string& name, const SparseBenchOptions& options) {
  if (is_file(name)) return check_file(name, options);
  const auto& samples = sparse_samples();
  if (std::none_of(samples.begin(), samples.end(),
                   [&](const SparseSample& s) { return s.name == name; }))
    (void)sparse_matrix_named(name, 1);  // says what there is
}

/// A matrix, with its values apart where they are complex.
struct Input {
  Csr<double> matrix;
  std::vector<Complex> values;
};

/// Files may hold what single precision does not.
template <class A>
void check_range(const std::string& name, SparseType type, const Csr<A>& matrix) {
  if (type != SparseType::real_single && type != SparseType::complex_single) return;
  for (const A& value : matrix.value)
    if (std::abs(value) > std::numeric_limits<float>::max())
      throw Error(
          ErrorKind::file,
          fmt::format("{}: holds a value of size {:.4g}, beyond single precision. "
                      "Use --type d or z.",
                      name, std::abs(value)));
}

Input read_input(const std::string& name, const SparseBenchOptions& options) {
  if (!is_file(name) || !matrix_market_is_complex(name)) {
    Input input{sparse_matrix_named(name, options.scale, options.monitor), {}};
    check_range(name, options.type, input.matrix);
    return input;
  }
  auto read = read_matrix_market<Complex>(name);
  check_range(name, options.type, read);
  std::vector<double> places(read.entries(), 1.0);
  return {Csr<double>{read.rows, read.columns, std::move(read.row_ptr),
                      std::move(read.column), std::move(places)},
          std::move(read.value)};
}

/// Sizes of what is allocated, with pointers of 64 bits.
EntrySizes allocated_sizes(SparseType type) {
  return {value_bytes(type), 4, 8};
}

/// Bytes by the equations (1) to (6) of Kawamura et al. 2020, with their pointers of 4
/// bytes, in the layout that is allocated; NaN for other formats.
double bytes_by_formula(const std::string& format, const PatternCounts& counts,
                        SparseType type) {
  const EntrySizes sizes = allocated_sizes(type);
  const auto bytes = [&](auto&& formula) {
    return static_cast<double>(formula(counts, EntrySizes{sizes.value, sizes.column, 4}));
  };
  if (is_library(format) || format == "runs-real") return nan;
  const SparseMethod& method = sparse_method_named(format);
  switch (method.format) {
    case SparseFormat::csr:
    case SparseFormat::crs_vector:
    case SparseFormat::row_parallel:
    case SparseFormat::in_row:
      return bytes(csr_bytes);
    case SparseFormat::ell:
      return bytes(ell_bytes);
    case SparseFormat::ell_r:
      return bytes(ell_r_bytes);
    case SparseFormat::rbp_csr:
      return method.packs_if_it_pays && !rbp_csr_pays(counts, sizes)
                 ? bytes(csr_bytes)
                 : bytes(rbp_csr_bytes);
    case SparseFormat::rbp_ell:
      return method.packs_if_it_pays && !rbp_ell_pays(counts, sizes)
                 ? bytes(ell_bytes)
                 : bytes(rbp_ell_bytes);
    case SparseFormat::rbp_ell_r:
      return bytes(rbp_ell_r_bytes);
    case SparseFormat::segmented_scan:
    case SparseFormat::runs:
      break;
  }
  return nan;
}

class SparseComparison {
 public:
  explicit SparseComparison(const SparseBenchOptions& options) : options_(options) {
    report_.gpu = options.gpu;
    matrices_ = options.matrices;
    if (matrices_.empty())
      for (const SparseSample& sample : sparse_samples())
        matrices_.push_back(sample.name);
    formats_ = options.formats;
    if (formats_.empty()) formats_ = default_sparse_formats(options.type, options.gpu);
    for (const std::string& format : formats_) check_format(format, options);
    for (const std::string& matrix : matrices_) check_matrix(matrix, options);
    if (options.gmres > 0) check_gmres_type(options.type);
    if (options.gpu) require_gpu().use(options.gpu_index);
  }

  SparseReport run() {
    try {
      for (const std::string& name : matrices_) compare(name);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::interrupted) throw;
      report_.interrupted = true;
    }
    return std::move(report_);
  }

 private:
  void report(const std::string& what) {
    options_.monitor.report(
        what.c_str(), static_cast<double>(done_) / static_cast<double>(matrices_.size()));
  }

  void compare(const std::string& name) {
    report(name);
    const Input input = read_input(name, options_);
    const Csr<double>& matrix = input.matrix;
    const PatternCounts counts = count_pattern(matrix);
    const std::unique_ptr<SparseBench> bench =
        options_.gpu
            ? require_papers_gpu().sparse_bench(matrix, options_.type, options_.repeats)
            : make_host_sparse_bench(matrix, options_.type, options_.repeats);
    if (!input.values.empty()) bench->set_values(input.values);
    const auto exact = exact_product(matrix, input.values, options_.type);
    // The reference of the others, measured once, so that it is 1 relative to itself.
    const std::string standard_format = options_.gpu ? "cusparse-csr" : "csr";
    const SparseTiming standard = bench->measure(standard_format);
    for (const std::string& format : distinct_products(name, *bench)) {
      report(name + ": " + format);
      try {
        const auto timing = [&] {
          return format == standard_format ? standard : bench->measure(format);
        };
        const bool there =
            measure(name, format, timing, counts, exact, standard.times.median_s);
        if (there && options_.gmres > 0 && !is_library(format) && format != "runs-real")
          solve(name, format, matrix);
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::interrupted) throw;
        report_.gaps.push_back({name, format, error.what()});
      }
    }
    ++done_;
  }

  /// The formats, those that share a product by that one's name and once.
  std::vector<std::string> distinct_products(const std::string& matrix,
                                             const SparseBench& bench) {
    std::vector<std::string> products;
    for (const std::string& format : formats_) {
      const std::string product = bench.same_as(format);
      if (product != format) add_shared(product, format, matrix);
      if (std::find(products.begin(), products.end(), product) == products.end())
        products.push_back(product);
    }
    return products;
  }

  void add_shared(const std::string& product, const std::string& format,
                  const std::string& matrix) {
    for (SharedProduct& shared : report_.shared)
      if (shared.product == product && shared.format == format) {
        if (shared.matrices.back() != matrix) shared.matrices.push_back(matrix);
        return;
      }
    report_.shared.push_back({product, format, {matrix}});
  }

  /// False: left out.
  template <class Timing>
  bool measure(const std::string& name, const std::string& format, Timing&& measured,
               const PatternCounts& counts,
               const std::vector<std::complex<long double>>& exact, double standard_s) {
    SparseRow row;
    row.formula_bytes = bytes_by_formula(format, counts, options_.type);
    row.formula_csr_bytes = bytes_by_formula("csr", counts, options_.type);
    row.csr_bytes =
        static_cast<double>(csr_bytes(counts, allocated_sizes(options_.type)));
    if (row.formula_bytes > max_padding * row.formula_csr_bytes) {
      report_.gaps.push_back(
          {name, format,
           fmt::format(
               "padding to the longest row, {} entries, would take {:.3g} GB, {:.0f} "
               "times CSR",
               counts.K, 1e-9 * row.formula_bytes,
               row.formula_bytes / row.formula_csr_bytes)});
      return false;
    }
    const SparseTiming timing = measured();
    row.matrix = name;
    row.format = format;
    row.rows = counts.N;
    row.entries = counts.Nz;
    row.bytes = static_cast<double>(timing.bytes);
    row.work_bytes = static_cast<double>(timing.work_bytes);
    row.fill = timing.fill > 0 ? timing.fill : nan;
    row.prepare_s = timing.prepare_s;
    row.moved_bytes =
        row.bytes + 2 * static_cast<double>(counts.N * value_bytes(options_.type));
    row.times = timing.times;
    row.ratio = standard_s / timing.times.median_s;
    row.error = relative_error(timing.y, exact);
    report_.rows.push_back(std::move(row));
    return true;
  }

  void solve(const std::string& name, const std::string& format,
             const Csr<double>& matrix) {
    std::vector<Complex> b(matrix.rows);
    for (std::size_t i = 0; i < matrix.rows; ++i)
      for (std::int64_t k = matrix.row_ptr[i]; k < matrix.row_ptr[i + 1]; ++k)
        b[i] += matrix.value[k];
    SolverControl control;
    control.max_iterations = options_.gmres;
    control.monitor = options_.monitor.silent();
    const SparseMethod& method = sparse_method_named(format);
    const SparseGmresResult result =
        options_.gpu
            ? require_papers_gpu().sparse_gmres(method, matrix, options_.type, b, control)
            : sparse_gmres(method, matrix, options_.type, b, control);
    report_.gmres.push_back({name, format, result.solve.iterations,
                             result.solve.relative_residual, result.seconds});
  }

  const SparseBenchOptions& options_;
  std::vector<std::string> matrices_, formats_;
  std::size_t done_ = 0;
  SparseReport report_;
};

}  // namespace

std::vector<std::string> default_sparse_formats(SparseType type, bool gpu) {
  std::vector<std::string> formats = {
      "csr", "crs-vector", "rows-blocks", "rows-cyclic", "in-row-cc", "segmented-scan",
      "ell", "ell-r",      "rbp-csr",     "rbp-ell",     "rbp-ell-r", "runs"};
  if (is_complex(type)) formats.push_back("runs-real");
  if (gpu)
    for (const char* library : {"cusparse-csr", "cusparse-bsr", "cusparse-sell"})
      formats.push_back(library);
  return formats;
}

SparseReport compare_sparse(const SparseBenchOptions& options) {
  return SparseComparison(options).run();
}

}  // namespace thinwire
