#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "papers/study/compare_sparse.h"
#include "papers/study/sparse_matrices.h"

namespace thinwire {
namespace {

const SparseRow* find(const SparseReport& report, const std::string& matrix,
                      const std::string& format) {
  for (const SparseRow& row : report.rows)
    if (row.matrix == matrix && row.format == format) return &row;
  return nullptr;
}

/// Names in the order of their first appearance.
std::vector<std::string> matrices_of(const SparseReport& report) {
  std::vector<std::string> names;
  for (const SparseRow& row : report.rows)
    if (names.empty() || names.back() != row.matrix) names.push_back(row.matrix);
  return names;
}

/// "a, b and c".
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k)
    text += (k == 0 ? "" : k + 1 == names.size() ? " and " : ", ") + names[k];
  return text;
}

std::string rate_text(const SparseRow& row) {
  return fmt::format("{:.4g} GB/s", 1e-9 * row.moved_bytes / row.times.median_s);
}

/// The fastest format on a matrix beside what its paper found.
std::string fastest_text(const SparseReport& report, const std::string& matrix) {
  const SparseRow* fastest = nullptr;
  for (const SparseRow& row : report.rows)
    if (row.matrix == matrix && !row.format.starts_with("cusparse-") &&
        (fastest == nullptr || row.times.median_s < fastest->times.median_s))
      fastest = &row;
  if (fastest == nullptr) return "";
  std::string text =
      fmt::format("{}: fastest is {}, {:.3g} us, {}, {:.2f} times as fast as {}.", matrix,
                  fastest->format, 1e6 * fastest->times.median_s, rate_text(*fastest),
                  fastest->ratio, "cuSPARSE's CSR");
  for (const SparseSample& sample : sparse_samples())
    if (sample.name == matrix && *sample.found)
      text += fmt::format(" The paper: {}.", sample.found);
  return text;
}

/// CRS-vector against the standard over all matrices, and where it loses.
std::string crs_vector_text(const SparseReport& report) {
  double log_sum = 0;
  int count = 0, faster = 0;
  std::string slower;
  for (const SparseRow& row : report.rows) {
    if (row.format != "crs-vector") continue;
    ++count;
    log_sum += std::log(row.ratio);
    if (row.ratio >= 1)
      ++faster;
    else
      slower +=
          fmt::format("{}{} ({:.2f})", slower.empty() ? "" : ", ", row.matrix, row.ratio);
  }
  if (count < 2) return "";
  return fmt::format(
      "crs-vector: {:.2f} times as fast as {} on the (geometric) mean of {} matrices, "
      "faster on {}{}. The paper, against cuSPARSE 5.0: 1.86 on the mean, faster on 177 "
      "of "
      "200, worst 0.08.",
      std::exp(log_sum / count), "cuSPARSE's CSR", count, faster,
      slower.empty() ? "" : "; not on " + slower);
}

/// How level the rate of entries is, of a format over matrices.
std::string level_text(const SparseReport& report, const std::string& format) {
  const SparseRow *low = nullptr, *high = nullptr;
  const auto rate = [](const SparseRow& row) {
    return static_cast<double>(row.entries) / row.times.median_s;
  };
  for (const char* matrix : {"rand100", "hcircuit-like", "dc2-like", "band1x"})
    if (const SparseRow* row = find(report, matrix, format)) {
      if (low == nullptr || rate(*row) < rate(*low)) low = row;
      if (high == nullptr || rate(*row) > rate(*high)) high = row;
    }
  if (low == high) return "";
  return fmt::format("{}: {:.3g} entries/s on {}, {:.3g} on {}, {:.1f} times apart.",
                     format, rate(*low), low->matrix, rate(*high), high->matrix,
                     rate(*high) / rate(*low));
}

/// Bytes that a packed format saves by the paper's formulas, in words, over all matrices.
std::string saving_text(const SparseReport& report, const char* packed,
                        const char* unpacked, const char* remark) {
  double best = -1e300, worst = 1e300;
  std::string of_best, of_worst;
  for (const std::string& matrix : matrices_of(report)) {
    const SparseRow *a = find(report, matrix, packed),
                    *b = find(report, matrix, unpacked);
    if (a == nullptr || b == nullptr) continue;
    const double saved = 100 * (1 - a->formula_bytes / b->formula_bytes);
    if (saved > best) best = saved, of_best = matrix;
    if (saved < worst) worst = saved, of_worst = matrix;
  }
  if (of_best.empty()) return "";
  return fmt::format(
      "{} against {}: {:.1f} % fewer bytes by formula at best ({}), {:.1f} % at worst "
      "({}).{}",
      packed, unpacked, best, of_best, worst, of_worst, remark);
}

/// Returns the formats that a CPU product is measured for.
std::string shared_text(const SparseReport& report, const std::string& product) {
  std::vector<std::string> formats;
  for (const SharedProduct& shared : report.shared) {
    if (shared.product != product) continue;
    const bool everywhere = shared.matrices.size() == matrices_of(report).size();
    formats.push_back(
        shared.format +
        (everywhere ? "" : fmt::format(" (on {})", listed(shared.matrices))));
  }
  if (formats.empty()) return "";
  return fmt::format("{}: on the CPU also the product of {}; measured once.", product,
                     listed(formats));
}

}  // namespace

std::vector<Table> sparse_tables(const SparseReport& report) {
  using Row = const SparseRow&;
  std::vector<Table> tables = {
      TableOf("sparse",
              report.gpu ? "Sparse products on the GPU"
                         : "Sparse products on the CPU (reference implementations)",
              report.rows)
          .texts("matrix", "matrix", &SparseRow::matrix)
          .texts("format", "format", &SparseRow::format)
          .numbers("rows", "rows", "1", &SparseRow::rows)
          .numbers("entries", "entries", "1", &SparseRow::entries)
          .numbers("formula_bytes", "bytes by formula", "B", &SparseRow::formula_bytes)
          .numbers("formula_saved", {"less than CSR, %", 100}, "1",
                   [](Row r) { return 1 - r.formula_bytes / r.formula_csr_bytes; })
          .numbers("bytes", "allocated", "B", &SparseRow::bytes)
          .numbers("saved", {"less than CSR, %", 100}, "1",
                   [](Row r) { return 1 - r.bytes / r.csr_bytes; })
          .numbers("fill", "fill", "1", &SparseRow::fill)
          .numbers("work_bytes", "beside it", "B", &SparseRow::work_bytes)
          .numbers("prepare_s", {"prepare, ms", 1e3}, "s", &SparseRow::prepare_s)
          .numbers("median_s", {"median, us", 1e6}, "s",
                   [](Row r) { return r.times.median_s; })
          .numbers("fastest_s", {"fastest, us", 1e6}, "s",
                   [](Row r) { return r.times.fastest_s; })
          .numbers("bytes_per_second", {"GB/s", 1e-9}, "B/s",
                   [](Row r) { return r.moved_bytes / r.times.median_s; })
          .numbers("ratio", report.gpu ? "times cuSPARSE" : "times csr", "1",
                   &SparseRow::ratio)
          .numbers("error", "error", "1", &SparseRow::error)
          .take()};
  if (!report.gmres.empty())
    tables.push_back(
        TableOf("gmres", "GMRES without restart or preconditioner", report.gmres)
            .texts("matrix", "matrix", &SparseGmresRow::matrix)
            .texts("format", "format", &SparseGmresRow::format)
            .numbers("iterations", "iterations", "1", &SparseGmresRow::iterations)
            .numbers("residual", "residual", "1", &SparseGmresRow::residual)
            .numbers("solve_s", {"time, ms", 1e3}, "s", &SparseGmresRow::seconds)
            .take());
  if (!report.gaps.empty())
    tables.push_back(TableOf("absent", "Not measured", report.gaps)
                         .texts("matrix", "matrix", &SparseGap::matrix)
                         .texts("format", "format", &SparseGap::format)
                         .texts("why", "why", &SparseGap::why)
                         .take());
  return tables;
}

std::vector<LinePlot> sparse_plots(const SparseReport& report) {
  if (matrices_of(report).size() < 3) return {};
  std::vector<const SparseRow*> rows;
  for (const SparseRow& row : report.rows) rows.push_back(&row);
  const auto a_row = [](const SparseRow& row) {
    return static_cast<double>(row.entries) / static_cast<double>(row.rows);
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const auto* a, const auto* b) { return a_row(*a) < a_row(*b); });
  LinePlot plot{"Rate of the products", "entries a row", "GB/s", true, true, {}};
  for (const SparseRow* row : rows) {
    auto series =
        std::find_if(plot.series.begin(), plot.series.end(),
                     [&](const PlotSeries& s) { return s.name == row->format; });
    if (series == plot.series.end())
      series = plot.series.insert(series, {row->format, {}, {}});
    series->dashed = row->format.starts_with("cusparse-");
    series->x.push_back(a_row(*row));
    series->y.push_back(1e-9 * row->moved_bytes / row->times.median_s);
  }
  return {plot};
}

std::vector<std::string> sparse_findings(const SparseReport& report) {
  std::vector<std::string> findings;
  const auto add = [&](std::string text) {
    if (!text.empty()) findings.push_back(std::move(text));
  };
  if (report.gpu) {
    for (const std::string& matrix : matrices_of(report))
      add(fastest_text(report, matrix));
    add(crs_vector_text(report));
    for (const char* format : {"segmented-scan", "rows-cyclic"})
      add(level_text(report, format));
  } else {
    add("Times of the CPU's twins say nothing of the papers' findings, which are of "
        "GPUs: "
        "none are drawn.");
    for (const char* product : {"csr", "ell", "rbp-csr", "rbp-ell"})
      add(shared_text(report, product));
  }
  const auto paper = [&](const char* text) { return report.gpu ? text : ""; };
  add(saving_text(report, "rbp-csr", "csr",
                  paper(" The paper: 14.5 % on the mean, 26.0 % at best (nd24k); more "
                        "bytes where runs are short.")));
  add(saving_text(report, "rbp-ell", "ell",
                  paper(" The paper: 16.2 % on the mean, 26.3 % at best (pwtk).")));
  add(saving_text(report, "runs", "csr", " Half of a symmetric matrix is stored."));
  add(saving_text(report, "runs-real", "csr",
                  " Half of a real symmetric matrix, on complex vectors."));
  return findings;
}

}  // namespace thinwire
