#include "io/result/saved_matrix.h"

#include <array>
#include <random>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "io/result/checksum.h"
#include "kernels/base/bytes_text.h"
#include "kernels/base/error.h"
#include "kernels/base/printable.h"

namespace thinwire {
namespace {

template <class T>
std::string_view bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

}  // namespace

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
                          shown(path_), bytes_text(static_cast<double>(needed)),
                          bytes_text(static_cast<double>(space.available)), n));
}

/// On the first rank, or on one that is alone.
void SavedMatrix::begin(std::size_t n) {
  writer_ = std::make_unique<Hdf5Writer>(path_);
  first_ = begin_matrix(*writer_, n);
  size_ = n * n * sizeof(Complex);
  file_ = std::make_unique<PartFile>(path_);
  file_->write({});
}

bool SavedMatrix::share(std::size_t n) {
  if (ranks_ == nullptr) return false;
  const bool makes = ranks_->rank() == 0;
  // Where the rows begin, and a number that no other file there begins with.
  std::array<double, 2> mark{};
  if (makes) {
    begin(n);
    mark = {static_cast<double>(first_), static_cast<double>(std::random_device{}())};
    file_->write(bytes_of<double>(mark));
  } else {
    file_ = std::make_unique<PartFile>(path_);
  }
  ranks_->broadcast(mark, 0);
  first_ = static_cast<std::size_t>(mark[0]);
  const bool joins = makes || file_->join(bytes_of<double>(mark));
  double without = joins && may_be_written_by_several(file_->path()) ? 0 : 1;
  ranks_->sum(without);
  if (without == 0) return true;
  if (joins && !makes) file_->leave();
  return false;
}

void SavedMatrix::take(std::size_t n, std::size_t first, std::span<const Complex> rows) {
  if (!file_) begin(n);
  file_->write_at(first_ + first * n * sizeof(Complex), bytes_of(rows));
  taken_ += rows.size_bytes();
}

void SavedMatrix::end_shared() {
  if (ranks_->rank() > 0) file_->leave();
  auto taken = static_cast<double>(taken_);
  ranks_->sum(taken);
  taken_ = static_cast<std::size_t>(taken);
}

void SavedMatrix::finish(const std::atomic<bool>* stop) {
  if (taken_ != size_)
    throw Error(ErrorKind::file,
                fmt::format("{}: impedance matrix is not whole ({} of {} bytes). This "
                            "is a mistake in thinwire: report it.",
                            shown(path_), taken_, size_));
  const std::size_t end = first_ + size_;
  const Hdf5Writer::Parts parts = writer_->take_parts();
  file_->write_at(0, parts.before);
  file_->write_at(end, parts.after);
  file_->write_at(end + parts.after.size(), checksum_line(file_->path(), stop));
  file_->commit(stop);
}

}  // namespace thinwire
