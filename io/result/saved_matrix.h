#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <memory>

#include "io/result/hdf5_file.h"
#include "io/result/output_file.h"
#include "mom/matrix_sink.h"

namespace thinwire {

/// Begins /matrix/impedance_ohm, [n][n], in a result: its axes and its place, at the
/// offset that is returned (Hdf5Writer::dataset_left_out).
std::size_t begin_matrix(Hdf5Writer& out, std::size_t n);

/// The matrix of `--save-matrix` on its way into NAME.part: its rows stand there as
/// solve() hands them over, before there is a result to write around them. write_hdf5()
/// does that and gives the file its name; without it NAME.part is removed.
class SavedMatrix final : public MatrixSink {
 public:
  /// path: of the result. Nothing is written before the first rows.
  explicit SavedMatrix(std::filesystem::path path) : path_(std::move(path)) {}

  /// Throws Error{file} where the disk has no room for the matrix now.
  void expect(std::size_t n) override;
  /// Throws Error{file}.
  void take(std::size_t n, std::span<const Complex> rows) override;

  /// What the rest of the result is written with; null before the first rows.
  Hdf5Writer* writer() { return writer_.get(); }
  /// Writes what writer() made around the rows, adds the checksum and gives the file its
  /// name. Throws Error{file}, and Error{interrupted} where `stop` is set.
  void finish(const std::atomic<bool>* stop);

 private:
  std::filesystem::path path_;
  std::unique_ptr<PartFile> file_;
  std::unique_ptr<Hdf5Writer> writer_;
  std::size_t first_ = 0, next_ = 0, end_ = 0;  ///< bytes of the file: of the rows
};

}  // namespace thinwire
