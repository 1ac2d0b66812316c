#include "io/result/saved_matrix.h"

#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "io/result/checksum.h"
#include "kernels/base/bytes_text.h"
#include "kernels/base/error.h"

namespace thinwire {

std::size_t begin_matrix(Hdf5Writer& out, std::size_t n) {
  out.counting_axis("/matrix/row", n, 0, "unknown that is tested with");
  out.counting_axis("/matrix/column", n, 0, "unknown that radiates");
  return out.dataset_left_out("/matrix/impedance_ohm", {"/matrix/row", "/matrix/column"},
                              {"ohm", "impedance matrix of the last frequency"});
}

void SavedMatrix::expect(std::size_t n) {
  std::error_code unknown;
  const auto space = std::filesystem::space(folder_of(path_), unknown);
  const std::size_t needed = n * n * sizeof(Complex);
  if (unknown || space.available >= needed) return;
  throw Error(ErrorKind::file,
              fmt::format("{}: impedance matrix needs {} but the disk has {} free "
                          "(N = {}). Write elsewhere or leave out "
                          "--save-matrix.",
                          path_.string(), bytes_text(static_cast<double>(needed)),
                          bytes_text(static_cast<double>(space.available)), n));
}

void SavedMatrix::take(std::size_t n, std::span<const Complex> rows) {
  if (!file_) {
    writer_ = std::make_unique<Hdf5Writer>(path_);
    first_ = next_ = begin_matrix(*writer_, n);
    end_ = first_ + n * n * sizeof(Complex);
    file_ = std::make_unique<PartFile>(path_);
    file_->write({});
  }
  file_->write_at(next_, {reinterpret_cast<const char*>(rows.data()), rows.size_bytes()});
  next_ += rows.size_bytes();
}

void SavedMatrix::finish(const std::atomic<bool>* stop) {
  if (next_ != end_)
    throw Error(ErrorKind::file,
                fmt::format("{}: impedance matrix is not whole ({} of {} bytes). This "
                            "is a mistake in thinwire: report it.",
                            path_.string(), next_ - first_, end_ - first_));
  const Hdf5Writer::Parts parts = writer_->take_parts();
  file_->write_at(0, parts.before);
  file_->write_at(end_, parts.after);
  file_->write_at(end_ + parts.after.size(), checksum_line(file_->path(), stop));
  file_->commit(stop);
}

}  // namespace thinwire
