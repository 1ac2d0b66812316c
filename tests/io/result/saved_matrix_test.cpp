#include "io/result/saved_matrix.h"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <algorithm>
#include <atomic>

#include "io/result/checksum.h"
#include "io/result/write_hdf5.h"
#include "kernels/base/error.h"
#include "tests/cg/on_ranks.h"
#include "tests/io/result/sample_solution.h"
#include "tests/io/temporary_folder.h"
#include "tests/messages.h"

namespace thinwire::saved_matrix_test {
namespace {

using testing::on_ranks;

class SavedMatrixTest : public ::testing::Test {
 protected:
  static std::vector<Complex> matrix(std::size_t n) {
    std::vector<Complex> z;
    for (std::size_t i = 0; i < n * n; ++i) {
      const auto value = static_cast<double>(i);
      z.emplace_back(value, -0.5 * value);
    }
    return z;
  }
  /// In bands of at most 64 rows: those of one of so many ranks.
  static void hand(MatrixSink& sink, std::size_t n, int rank = 0, int ranks = 1) {
    const std::vector<Complex> z = matrix(n);
    for (std::size_t row = 64 * rank; row < n; row += 64 * ranks)
      sink.take(n, row,
                std::span(z).subspan(row * n, std::min<std::size_t>(64, n - row) * n));
  }
  void write(const std::filesystem::path& path, SavedMatrix* saved = nullptr,
             const std::atomic<bool>* stop = nullptr) const {
    write_hdf5(path, sample_.problem, {}, sample_.solution, "thinwire solve", stop,
               saved);
  }
  bool is_there(const char* name) const {
    return std::filesystem::exists(folder_ / name);
  }

  test::TemporaryFolder folder_;
  test::Sample sample_ = test::make_sample();
};

TEST_F(SavedMatrixTest, GivesTheFileThatAMatrixInMemoryGives) {
  for (const std::size_t n : {1, 2, 64, 65, 200}) {
    SCOPED_TRACE(n);
    SavedMatrix saved(folder_ / "pieces.h5");
    hand(saved, n);
    EXPECT_FALSE(is_there("pieces.h5"));
    write(folder_ / "pieces.h5", &saved);
    sample_.solution.impedance_matrix_ohm = matrix(n);
    write(folder_ / "whole.h5");
    sample_.solution.impedance_matrix_ohm.clear();
    EXPECT_FALSE(is_there("pieces.h5.part"));
    // The reader verifies the checksum.
    const Hdf5Reader pieces(folder_ / "pieces.h5"), whole(folder_ / "whole.h5");
    EXPECT_EQ(pieces.complexes("/matrix/impedance_ohm"), matrix(n));
    EXPECT_EQ(whole.complexes("/matrix/impedance_ohm"), matrix(n));
    for (const Hdf5Reader* in : {&pieces, &whole}) {
      EXPECT_EQ(in->shape("/matrix/impedance_ohm"), (Shape{n, n}));
      EXPECT_EQ(in->integers("/matrix/row").back(), static_cast<std::int64_t>(n - 1));
      EXPECT_EQ(in->attribute_real("/matrix/impedance_ohm", "frequency_hz"),
                sample_.solution.frequencies.back().frequency_hz);
      EXPECT_EQ(in->attribute_text("/matrix/impedance_ohm", "units"), "ohm");
    }
    EXPECT_EQ(pieces.complexes("/port/impedance_ohm").size(),
              whole.complexes("/port/impedance_ohm").size());
    EXPECT_EQ(std::filesystem::file_size(folder_ / "pieces.h5"),
              std::filesystem::file_size(folder_ / "whole.h5"));
    std::filesystem::remove(folder_ / "pieces.h5");
  }
}

TEST_F(SavedMatrixTest, WithoutAResultLeavesNothing) {
  {
    SavedMatrix saved(folder_ / "r.h5");
    hand(saved, 100);
    EXPECT_TRUE(is_there("r.h5.part"));
  }
  EXPECT_FALSE(is_there("r.h5.part"));
  // The file from before an interrupt remains.
  test::write_file(folder_ / "r.h5", "before");
  {
    SavedMatrix saved(folder_ / "r.h5");
    hand(saved, 100);
    const std::atomic<bool> stop = true;
    EXPECT_EQ(test::error_kind([&] { write(folder_ / "r.h5", &saved, &stop); }),
              ErrorKind::interrupted);
  }
  EXPECT_FALSE(is_there("r.h5.part"));
  EXPECT_EQ(test::read_file(folder_ / "r.h5"), "before");
}

TEST_F(SavedMatrixTest, AMatrixThatIsNotWholeIsNoResult) {
  SavedMatrix saved(folder_ / "r.h5");
  const std::vector<Complex> z = matrix(100);
  saved.take(100, 0, std::span(z).first(6400));
  EXPECT_THROW(write(folder_ / "r.h5", &saved), Error);
  EXPECT_FALSE(is_there("r.h5"));
}

TEST_F(SavedMatrixTest, OfSeveralRanksIsTheFileOfOne) {
  const std::filesystem::path path = folder_ / "r.h5", of_one = folder_ / "1.h5";
  for (const std::size_t n : {1, 65, 500}) {
    SCOPED_TRACE(n);
    SavedMatrix alone(of_one);
    hand(alone, n);
    write(of_one, &alone);
    on_ranks(3, [&](const Comm& comm) {
      SavedMatrix saved(path, &comm);
      EXPECT_TRUE(saved.share(n));
      hand(saved, n, comm.rank(), 3);
      saved.end_shared();
      EXPECT_EQ(saved.writer() != nullptr, comm.rank() == 0);
      if (comm.rank() == 0) write(path, &saved);
    });
    EXPECT_FALSE(is_there("r.h5.part"));
    EXPECT_EQ(Hdf5Reader(path).complexes("/matrix/impedance_ohm"), matrix(n));
    EXPECT_EQ(std::filesystem::file_size(path), std::filesystem::file_size(of_one));
  }
}

TEST_F(SavedMatrixTest, IsTheFirstRanksWhereAnotherDoesNotSeeItsFile) {
  constexpr std::size_t n = 100;
  // A file in the other folder is another file, and remains.
  std::filesystem::create_directory(folder_ / "elsewhere");
  for (const bool another_is_there : {false, true}) {
    SCOPED_TRACE(another_is_there);
    if (another_is_there)
      test::write_file(folder_ / "elsewhere" / "r.h5.part", "another file");
    on_ranks(3, [&](const Comm& comm) {
      SavedMatrix saved(folder_ / (comm.rank() == 2 ? "elsewhere/r.h5" : "r.h5"), &comm);
      EXPECT_FALSE(saved.share(n));
      if (comm.rank() != 0) return;
      hand(saved, n);
      write(folder_ / "r.h5", &saved);
    });
    EXPECT_EQ(Hdf5Reader(folder_ / "r.h5").complexes("/matrix/impedance_ohm"), matrix(n));
    EXPECT_EQ(is_there("elsewhere/r.h5.part"), another_is_there);
    EXPECT_FALSE(is_there("r.h5.part"));
  }
}

TEST_F(SavedMatrixTest, OfSeveralRanksLeavesNothingWhereOneFails) {
  for (const int failing : {0, 1, 2}) {
    SCOPED_TRACE(failing);
    const auto run = [&](const Comm& comm) {
      SavedMatrix saved(folder_ / "r.h5", &comm);
      EXPECT_TRUE(saved.share(500));
      hand(saved, 500, comm.rank(), 3);
      EXPECT_TRUE(is_there("r.h5.part") || comm.rank() != failing);
      if (comm.rank() == failing) throw Error(ErrorKind::file, "the disk is full");
      saved.end_shared();
    };
    EXPECT_THROW(on_ranks(3, run), Error);
    EXPECT_FALSE(is_there("r.h5.part"));
    EXPECT_FALSE(is_there("r.h5"));
  }
}

TEST_F(SavedMatrixTest, OfSeveralRanksIsWholeOrNoResult) {
  on_ranks(2, [&](const Comm& comm) {
    SavedMatrix saved(folder_ / "r.h5", &comm);
    EXPECT_TRUE(saved.share(200));
    if (comm.rank() == 0) hand(saved, 200, 0, 2);
    saved.end_shared();
    if (comm.rank() == 0) {
      EXPECT_THROW(write(folder_ / "r.h5", &saved), Error);
    }
  });
  EXPECT_FALSE(is_there("r.h5"));
}

TEST_F(SavedMatrixTest, SaysBeforehandWhatTheDiskHasNoRoomFor) {
  SavedMatrix saved(folder_ / "r.h5");
  EXPECT_NO_THROW(saved.expect(10));
  const std::string text =
      test::error_message(ErrorKind::file, [&] { saved.expect(std::size_t{1} << 29); });
  EXPECT_TRUE(
      contains(text, "r.h5: impedance matrix needs 4.19e+06 TiB but the disk has "));
  EXPECT_TRUE(
      contains(text, "(N = 536870912). Write elsewhere or leave out --save-matrix."));
  EXPECT_FALSE(is_there("r.h5.part"));
}

TEST_F(SavedMatrixTest, ADatasetLeftOutMayBeLargerThanFourGigabytes) {
  constexpr std::size_t n = 20000, bytes = n * n * sizeof(Complex);
  Hdf5Writer out(folder_ / "large.h5");
  const std::size_t first = begin_matrix(out, n);
  out.scalar("/behind", 3, {"1", "a number"});
  const Hdf5Writer::Parts parts = out.take_parts();
  ASSERT_EQ(parts.before.size(), first);
  // A hole in the file, where the disk has such.
  PartFile file(folder_ / "large.h5");
  file.write(parts.before);
  const Complex last = {1, -2};
  file.write_at(first + bytes - sizeof last,
                {reinterpret_cast<const char*>(&last), sizeof last});
  file.write_at(first + bytes, parts.after);
  file.commit();
  const Hdf5Reader in(folder_ / "large.h5");
  EXPECT_EQ(in.doubles("/behind"), std::vector<double>{3});
  EXPECT_EQ(in.shape("/matrix/impedance_ohm"), (Shape{n, n}));
  // One entry, by HDF5 itself.
  const hid_t opened =
      H5Fopen((folder_ / "large.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t data = H5Dopen2(opened, "/matrix/impedance_ohm", H5P_DEFAULT),
              space = H5Dget_space(data), one = H5Screate(H5S_SCALAR),
              type = H5Dget_type(data);
  const hsize_t place[] = {n - 1, n - 1};
  H5Sselect_elements(space, H5S_SELECT_SET, 1, place);
  Complex read;
  EXPECT_GE(H5Dread(data, type, one, space, H5P_DEFAULT, &read), 0);
  EXPECT_EQ(read, last);
  for (const auto& [id, close] : {std::pair{type, &H5Tclose},
                                  {one, &H5Sclose},
                                  {space, &H5Sclose},
                                  {data, &H5Dclose},
                                  {opened, &H5Fclose}})
    close(id);
}

}  // namespace
}  // namespace thinwire::saved_matrix_test
