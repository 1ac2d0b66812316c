#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <memory>

#include "cg/comm.h"
#include "io/result/hdf5_file.h"
#include "io/result/output_file.h"
#include "mom/problem/matrix_sink.h"

namespace thinwire {

/// Begins /matrix/impedance_ohm, [n][n], in a result: its axes and its place, at the
/// offset that is returned (Hdf5Writer::dataset_left_out).
std::size_t begin_matrix(Hdf5Writer& out, std::size_t n);

/// The matrix of `--save-matrix` on its way into NAME.part: its rows stand there as
/// solve() hands them over, before there is a result to write around them. write_hdf5()
/// does that and gives the file its name; without it NAME.part is removed.
///
///     | HDF5 | rows 0..63 | rows 64..127 | rows 128..191 | ... | HDF5 | checksum |
///              rank 0       rank 1         rank 0                rank 0
///
/// HDF5 itself never writes the rows: their place is known before they are. So all ranks
/// may write theirs at the same time, where they see the first one's file.
class SavedMatrix final : public MatrixSink {
 public:
  /// path: of the result. ranks: that may write it together; null: this one alone writes.
  /// Nothing is written before share() or the first rows.
  explicit SavedMatrix(std::filesystem::path path, const Comm* ranks = nullptr)
      : path_(std::move(path)), ranks_(ranks) {}

  /// Throws Error{file} where the disk has no room for the matrix now.
  void expect(std::size_t n) override;
  /// False where a rank does not see the first one's NAME.part, and on file systems of
  /// which several hosts may not write one file at once. Throws Error{file}.
  bool share(std::size_t n) override;
  /// Throws Error{file}.
  void take(std::size_t n, std::size_t first, std::span<const Complex> rows) override;
  /// Throws Error{file}.
  void end_shared() override;

  /// Returns the writer of the rest of the result; null before the first rows.
  Hdf5Writer* writer() { return writer_.get(); }
  /// Writes what writer() made around the rows, adds the checksum and gives the file its
  /// name. Throws Error{file}, and Error{interrupted} where `stop` is set.
  void finish(const std::atomic<bool>* stop);

 private:
  void begin(std::size_t n);

  std::filesystem::path path_;
  const Comm* ranks_;
  std::unique_ptr<PartFile> file_;
  std::unique_ptr<Hdf5Writer> writer_;  ///< of the first rank
  std::size_t first_ = 0;               ///< byte of the file where the rows begin
  std::size_t size_ = 0, taken_ = 0;    ///< bytes of all rows, and of those in the file
};

}  // namespace thinwire
