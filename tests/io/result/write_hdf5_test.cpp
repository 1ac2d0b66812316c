#include "io/result/write_hdf5.h"

#include <gtest/gtest.h>
#include <hdf5.h>
#include <hdf5_hl.h>

#include <chrono>
#include <cmath>
#include <set>

#include "io/result/hdf5_file.h"
#include "io/result/sha256.h"
#include "kernels/base/error.h"
#include "tests/io/result/sample_solution.h"
#include "tests/io/temporary_folder.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

/// Reads with the plain HDF5 API, so that a fault shared by our writer and reader shows.
class WriteHdf5 : public ::testing::Test {
 protected:
  WriteHdf5() {
    write_hdf5(path_, sample_.problem, {}, sample_.solution, "thinwire solve sample.nec");
    file_ = H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  }
  ~WriteHdf5() override { H5Fclose(file_); }

  std::string attribute(const char* object, const char* name) const {
    const hid_t id = H5Aopen_by_name(file_, object, name, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t type = H5Aget_type(id);
    char* text = nullptr;
    EXPECT_GE(H5Aread(id, type, &text), 0) << object << " " << name;
    const std::string value = text ? text : "";
    H5free_memory(text);
    H5Tclose(type);
    H5Aclose(id);
    return value;
  }

  template <class T>
  std::vector<T> read(const char* name, hid_t type, const Shape& shape) const {
    const hid_t id = H5Dopen2(file_, name, H5P_DEFAULT);
    const hid_t space = H5Dget_space(id);
    std::vector<hsize_t> extent(
        static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
    H5Sget_simple_extent_dims(space, extent.data(), nullptr);
    EXPECT_EQ(Shape(extent.begin(), extent.end()), shape) << name;
    std::vector<T> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    EXPECT_GE(H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0) << name;
    H5Sclose(space);
    H5Dclose(id);
    return values;
  }
  std::vector<double> doubles(const char* name, const Shape& shape) const {
    return read<double>(name, H5T_NATIVE_DOUBLE, shape);
  }
  std::vector<std::int64_t> integers(const char* name, const Shape& shape) const {
    return read<std::int64_t>(name, H5T_NATIVE_INT64, shape);
  }
  std::vector<Complex> complexes(const char* name, const Shape& shape) const {
    const hid_t type = H5Tcreate(H5T_COMPOUND, 16);
    H5Tinsert(type, "r", 0, H5T_NATIVE_DOUBLE);
    H5Tinsert(type, "i", 8, H5T_NATIVE_DOUBLE);
    std::vector<Complex> values = read<Complex>(name, type, shape);
    H5Tclose(type);
    return values;
  }
  bool attached(const char* dataset, const char* scale, unsigned axis) const {
    const hid_t data = H5Dopen2(file_, dataset, H5P_DEFAULT);
    const hid_t along = H5Dopen2(file_, scale, H5P_DEFAULT);
    const bool is = H5DSis_attached(data, along, axis) > 0;
    H5Dclose(data);
    H5Dclose(along);
    return is;
  }

  test::Sample sample_ = test::make_sample();
  test::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "sample.h5";
  hid_t file_ = -1;
};

TEST_F(WriteHdf5, RootSaysWhereItComesFrom) {
  EXPECT_EQ(attribute("/", "format"), "thinwire");
  EXPECT_EQ(attribute("/", "device"), "cpu");
  EXPECT_EQ(attribute("/", "command_line"), "thinwire solve sample.nec");
  EXPECT_FALSE(attribute("/", "program_version").empty());
  EXPECT_FALSE(attribute("/", "git_commit").empty());
  EXPECT_EQ(attribute("/", "created_utc").size(), 20u);
  const Hdf5Reader in(path_);
  EXPECT_EQ(in.attribute_integer("/", "format_version"), 2);
  EXPECT_EQ(in.text("/input/deck"), sample_.problem.deck_text);
  if (const auto sha256 = sha256_hex(sample_.problem.deck_text))
    EXPECT_EQ(attribute("/input/deck", "sha256"), *sha256);
  else
    EXPECT_FALSE(in.has_attribute("/input/deck", "sha256"));
  EXPECT_TRUE(contains(in.text("/input/options"), "\"tolerance\":1e-06"));
  EXPECT_EQ(in.strings("/warnings"), sample_.solution.warnings);
}

TEST_F(WriteHdf5, PortsOfAllRunsShareColumns) {
  const double expected[] = {299.8e6, 310e6, 310e6};
  EXPECT_EQ(doubles("/frequency_hz", {3}),
            std::vector<double>(std::begin(expected), std::end(expected)));
  EXPECT_EQ(integers("/run_index", {3}), (std::vector<std::int64_t>{0, 0, 1}));
  EXPECT_EQ(integers("/port/tag", {2}), (std::vector<std::int64_t>{1, 7}));
  EXPECT_EQ(integers("/port/segment", {2}), (std::vector<std::int64_t>{2, 2}));
  const auto impedance = complexes("/port/impedance_ohm", {3, 2});
  const auto voltage = complexes("/port/voltage_v", {3, 2});
  const auto current = complexes("/port/current_a", {3, 2});
  const auto power = doubles("/port/power_w", {3, 2});
  const auto reflected = complexes("/port/reflection", {3, 2});
  for (std::size_t f = 0; f < 3; ++f)
    for (std::size_t p = 0; p < 2; ++p) {
      const auto& ports = sample_.solution.frequencies[f].ports;
      const std::size_t at = 2 * f + p;
      if (p >= ports.size()) {
        EXPECT_TRUE(std::isnan(impedance[at].real()) && std::isnan(power[at]));
        continue;
      }
      EXPECT_EQ(impedance[at], ports[p].impedance_ohm);
      EXPECT_EQ(voltage[at], ports[p].voltage_v);
      EXPECT_EQ(current[at], ports[p].current_a);
      EXPECT_EQ(power[at], ports[p].power_w);
      // Z = V / I, so (Z - 50) / (Z + 50) without forming Z.
      const Complex v = voltage[at], i = current[at];
      EXPECT_LT(std::abs(reflected[at] - (v - 50.0 * i) / (v + 50.0 * i)), 1e-14);
    }
  EXPECT_EQ(complexes("/port/impedance_matrix_ohm", {3, 2, 2})[9], Complex(20, -5));
}

TEST_F(WriteHdf5, MeshAndCurrents) {
  const auto start = doubles("/mesh/start_m", {6, 3});
  const auto end = doubles("/mesh/end_m", {6, 3});
  EXPECT_EQ(start[2], -0.25);
  EXPECT_EQ(start[9], 0.5);
  EXPECT_DOUBLE_EQ(end[17], 0.25);
  EXPECT_EQ(doubles("/mesh/radius_m", {6})[5], 0.002);
  EXPECT_EQ(integers("/mesh/tag", {6}), (std::vector<std::int64_t>{1, 1, 1, 7, 7, 7}));
  const auto current = complexes("/current/segment_current_a", {3, 6});
  const auto charge = complexes("/current/segment_charge_c_per_m", {3, 6});
  for (std::size_t f = 0; f < 3; ++f)
    for (std::size_t s = 0; s < 6; ++s) {
      EXPECT_EQ(current[6 * f + s], sample_.solution.frequencies[f].segment_current_a[s]);
      EXPECT_EQ(charge[6 * f + s],
                sample_.solution.frequencies[f].segment_charge_c_per_m[s]);
    }
}

TEST_F(WriteHdf5, PatternsAreNumberedOverRuns) {
  const auto e_theta = complexes("/pattern/0/e_theta_v", {2, 2, 3});
  EXPECT_EQ(e_theta[7], sample_.solution.frequencies[1].patterns[0].e_theta_v[1]);
  EXPECT_EQ(doubles("/pattern/0/frequency_hz", {2})[1], 310e6);
  EXPECT_EQ(complexes("/pattern/2/e_phi_v", {1, 2, 3})[4],
            sample_.solution.frequencies[2].patterns[1].e_phi_v[4]);
  EXPECT_EQ(doubles("/pattern/1/gain_dbi", {1, 2, 3})[5], -2);
  EXPECT_EQ(doubles("/pattern/1/theta_deg", {2})[1], 90);
  EXPECT_EQ(doubles("/pattern/1/phi_deg", {3})[2], 240);
  EXPECT_EQ(H5Lexists(file_, "/pattern/3", H5P_DEFAULT), 0);
  EXPECT_EQ(Hdf5Reader(path_).children("/pattern"),
            (std::vector<std::string>{"0", "1", "2"}));
}

TEST_F(WriteHdf5, SolverPowerAndTimings) {
  EXPECT_EQ(integers("/solver/iterations", {3})[2], 7);
  EXPECT_EQ(doubles("/solver/relative_residual", {3})[0], 3e-7);
  EXPECT_EQ(doubles("/solver/residual_history/1", {3})[1], 0.01);
  EXPECT_EQ(Hdf5Reader(path_).strings("/solver/name")[0], "cocg");
  EXPECT_EQ(Hdf5Reader(path_).strings("/solver/preconditioner")[2], "block");
  EXPECT_EQ(doubles("/power/input_w", {3})[2],
            sample_.solution.frequencies[2].input_power_w);
  EXPECT_TRUE(std::isnan(doubles("/power/radiated_w", {3})[0]));
  EXPECT_EQ(doubles("/power/radiated_w", {3})[1], 0.0035);
  // Input is Re(1 conj(0.008 - 0.006j)) / 2 = 4 mW, a tenth of it lost.
  EXPECT_DOUBLE_EQ(doubles("/power/efficiency", {3})[1], 0.875);
  EXPECT_DOUBLE_EQ(doubles("/power/balance", {3})[1], 0.975);
  EXPECT_TRUE(std::isnan(doubles("/power/efficiency", {3})[0]));
  EXPECT_EQ(doubles("/timing/fill", {})[0], 0.25);
  EXPECT_GT(doubles("/timing/total", {})[0], 0.5);
}

TEST_F(WriteHdf5, AxesAreThoseOfTheRoot) {
  for (const char* name :
       {"/port/impedance_ohm", "/port/power_w", "/current/segment_current_a",
        "/solver/iterations", "/power/loss_w", "/run_index"})
    EXPECT_TRUE(attached(name, "/frequency_hz", 0)) << name;
  EXPECT_TRUE(attached("/port/voltage_v", "/port_number", 1));
  EXPECT_TRUE(attached("/port/impedance_matrix_ohm", "/fed_port_number", 2));
  EXPECT_TRUE(attached("/current/segment_charge_c_per_m", "/segment_number", 1));
  EXPECT_TRUE(attached("/mesh/end_m", "/xyz", 1));
  EXPECT_TRUE(attached("/pattern/2/gain_dbi", "/run_1_frequency_hz", 0));
  EXPECT_TRUE(attached("/pattern/2/gain_dbi", "/pattern/2/theta_deg", 1));
  EXPECT_TRUE(attached("/pattern/2/e_theta_v", "/pattern/2/phi_deg", 2));
  EXPECT_EQ(doubles("/run_0_frequency_hz", {2})[1], 310e6);
  EXPECT_EQ(integers("/segment_number", {6})[5], 6);
}

TEST_F(WriteHdf5, ASingleRunsPatternsRunAlongItsFrequencies) {
  sample_.solution.frequencies.resize(2);
  const std::filesystem::path other = folder_ / "single.h5";
  write_hdf5(other, sample_.problem, {}, sample_.solution, "");
  H5Fclose(file_);
  file_ = H5Fopen(other.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  EXPECT_TRUE(attached("/pattern/0/gain_dbi", "/frequency_hz", 0));
  EXPECT_EQ(H5Lexists(file_, "/run_0_frequency_hz", H5P_DEFAULT), 0);
}

TEST_F(WriteHdf5, NetworksAndWaves) {
  FrequencyResult& result = sample_.solution.frequencies[1];
  result.network_ports = {test::sample_port(7, 2, 4, {1, 2}, {0.02, 0.03}),
                          test::sample_port(1, 2, 1, {3, 4}, {0.04, 0.05})};
  result.network_loss_w = 0.125;
  result.wave = IncidentWave{IncidentWave::Kind::linear, 60, 30, 20, 0};
  const std::filesystem::path other = folder_ / "networks.h5";
  write_hdf5(other, sample_.problem, {}, sample_.solution, "");
  H5Fclose(file_);
  file_ = H5Fopen(other.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  EXPECT_EQ(integers("/network/tag", {2}), (std::vector<std::int64_t>{7, 1}));
  EXPECT_EQ(integers("/network/segment", {2}), (std::vector<std::int64_t>{2, 2}));
  const auto voltage = complexes("/network/voltage_v", {3, 2});
  EXPECT_TRUE(std::isnan(voltage[0].real()));
  EXPECT_EQ(voltage[2], Complex(1, 2));
  EXPECT_EQ(voltage[3], Complex(3, 4));
  EXPECT_EQ(complexes("/network/current_a", {3, 2})[3], Complex(0.04, 0.05));
  EXPECT_TRUE(attached("/network/voltage_v", "/network/connection_number", 1));
  EXPECT_EQ(doubles("/power/network_loss_w", {3})[1], 0.125);
  const auto theta_deg = doubles("/incident/theta_deg", {3});
  EXPECT_TRUE(std::isnan(theta_deg[0]));
  EXPECT_EQ(theta_deg[1], 60);
  EXPECT_EQ(doubles("/incident/phi_deg", {3})[1], 30);
  EXPECT_EQ(doubles("/incident/eta_deg", {3})[1], 20);
}

/// The rules of netCDF-4: one scale for every dimension of what is not a scale itself, in
/// its own group or one above, and no dimension twice.
TEST_F(WriteHdf5, EveryAxisIsADimensionScaleWithinReach) {
  struct Seen {
    hid_t file;
    int axes = 0;
  } seen{file_};
  const auto visit = [](hid_t file, const char* name, const H5O_info_t* info,
                        void* data) -> herr_t {
    if (info->type != H5O_TYPE_DATASET) return 0;
    const hid_t id = H5Dopen2(file, name, H5P_DEFAULT);
    const hid_t space = H5Dget_space(id);
    const int dimensions = H5Sget_simple_extent_ndims(space);
    std::set<std::string> scales;
    const auto keep = [](hid_t, unsigned, hid_t scale, void* out) -> herr_t {
      std::string path(200, '\0');
      path.resize(static_cast<std::size_t>(H5Iget_name(scale, path.data(), path.size())));
      static_cast<std::set<std::string>*>(out)->insert(path);
      return 0;
    };
    if (H5DSis_scale(id) <= 0)
      for (int i = 0; i < dimensions; ++i) {
        const auto axis = static_cast<unsigned>(i);
        EXPECT_EQ(H5DSget_num_scales(id, axis), 1) << name << " " << i;
        H5DSiterate_scales(id, axis, nullptr, keep, &scales);
        ++static_cast<Seen*>(data)->axes;
      }
    EXPECT_EQ(scales.size(), H5DSis_scale(id) > 0 ? 0u : std::size_t(dimensions)) << name;
    for (const std::string& scale : scales)
      EXPECT_TRUE(
          ("/" + std::string(name)).starts_with(scale.substr(0, scale.rfind('/') + 1)))
          << name << " " << scale;
    H5Sclose(space);
    H5Dclose(id);
    return 0;
  };
  ASSERT_GE(H5Ovisit(file_, H5_INDEX_NAME, H5_ITER_INC, visit, &seen), 0);
  EXPECT_GT(seen.axes, 50);
}

/// The netCDF library passes over compounds without a name.
TEST_F(WriteHdf5, ComplexNumbersHaveANamedType) {
  const hid_t id = H5Dopen2(file_, "/port/impedance_ohm", H5P_DEFAULT);
  const hid_t type = H5Dget_type(id);
  EXPECT_GT(H5Tcommitted(type), 0);
  EXPECT_EQ(H5Tget_class(type), H5T_COMPOUND);
  H5Tclose(type);
  H5Dclose(id);
}

TEST_F(WriteHdf5, EveryQuantitySaysUnitsAndMeaning) {
  struct Seen {
    WriteHdf5* test;
    int datasets = 0;
  } seen{this};
  const auto visit = [](hid_t file, const char* name, const H5O_info_t* info,
                        void* data) -> herr_t {
    if (info->type != H5O_TYPE_DATASET) return 0;
    ++static_cast<Seen*>(data)->datasets;
    EXPECT_GT(H5Aexists_by_name(file, name, "units", H5P_DEFAULT), 0) << name;
    EXPECT_GT(H5Aexists_by_name(file, name, "long_name", H5P_DEFAULT), 0) << name;
    return 0;
  };
  ASSERT_GE(H5Ovisit(file_, H5_INDEX_NAME, H5_ITER_INC, visit, &seen), 0);
  EXPECT_GT(seen.datasets, 40);
  EXPECT_EQ(attribute("/port/impedance_ohm", "units"), "ohm");
}

TEST_F(WriteHdf5, MatrixOnRequest) {
  EXPECT_EQ(H5Lexists(file_, "/matrix", H5P_DEFAULT), 0);
  for (int i = 0; i < 16; ++i) sample_.solution.impedance_matrix_ohm.emplace_back(i, -i);
  const std::filesystem::path other = folder_ / "matrix.h5";
  write_hdf5(other, sample_.problem, {}, sample_.solution, "");
  const Hdf5Reader in(other);
  EXPECT_EQ(in.shape("/matrix/impedance_ohm"), (Shape{4, 4}));
  EXPECT_EQ(in.complexes("/matrix/impedance_ohm")[6], Complex(6, -6));
}

TEST_F(WriteHdf5, CouplingsOfTheirRun) {
  const std::filesystem::path other = folder_ / "couplings.h5";
  const CouplingResult pair{{1, 4}, 0.4, -18.7, {70, -40}, {71, -41}};
  const CouplingResult active{{0, 4}, 1.5, 0, {}, {}};
  sample_.solution.frequencies[0].couplings = {pair, active};
  write_hdf5(other, sample_.problem, {}, sample_.solution, "");
  const Hdf5Reader in(other);
  EXPECT_EQ(in.children("/coupling"), std::vector<std::string>{"0"});
  EXPECT_EQ(in.integers("/coupling/0/from_segment"), (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(in.integers("/coupling/0/to_segment"), (std::vector<std::int64_t>{5, 5}));
  // The first run has two frequencies, and the second of them no couplings.
  EXPECT_EQ(in.shape("/coupling/0/linville"), (Shape{2, 2}));
  EXPECT_EQ(in.doubles("/coupling/0/linville")[1], 1.5);
  const auto coupling_db = in.doubles("/coupling/0/coupling_db");
  EXPECT_EQ(coupling_db[0], -18.7);
  EXPECT_TRUE(std::isnan(coupling_db[1]) && std::isnan(coupling_db[2]));
  EXPECT_EQ(in.complexes("/coupling/0/load_ohm")[0], Complex(70, -40));
  EXPECT_EQ(in.complexes("/coupling/0/input_ohm")[0], Complex(71, -41));
  EXPECT_EQ(in.attribute_integer("/coupling/0", "run"), 0);
}

TEST_F(WriteHdf5, StopLeavesTheOldFileAndNoPart) {
  const std::string before = test::read_file(path_);
  const std::atomic<bool> stop = true;
  EXPECT_THROW(write_hdf5(path_, sample_.problem, {}, sample_.solution, "", &stop),
               Error);
  EXPECT_EQ(test::read_file(path_), before);
  EXPECT_FALSE(std::filesystem::exists(path_.string() + ".part"));
}

TEST_F(WriteHdf5, NoPortsAndNoDeckAreFine) {
  Problem problem;
  Solution solution;
  solution.frequencies.resize(1);
  write_hdf5(folder_ / "empty.h5", problem, {}, solution, "");
  EXPECT_EQ(Hdf5Reader(folder_ / "empty.h5").text("/input/deck"), "");
}

TEST_F(WriteHdf5, ManySegmentsTakeLittleTime) {
  test::Sample large = test::make_sample();
  large.problem.structure = Structure();
  large.problem.structure.add_wire(1, 8400, {0, 0, 0}, {0, 0, 840}, 0.001);
  for (FrequencyResult& result : large.solution.frequencies) {
    result.segment_current_a.assign(8400, {1e-3, 2e-3});
    result.segment_charge_c_per_m.assign(8400, {1e-12, 2e-12});
  }
  const auto start = std::chrono::steady_clock::now();
  write_hdf5(folder_ / "large.h5", large.problem, {}, large.solution, "");
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  // 50 ms is the aim; the bound leaves room for a busy machine and its disk.
  EXPECT_LT(seconds.count(), 0.5);
  RecordProperty("milliseconds", static_cast<int>(1000 * seconds.count()));
}

TEST(Hdf5Reader, RefusesWhatIsNotThere) {
  const test::TemporaryFolder folder;
  test::write_file(folder / "text.h5", "not HDF5");
  for (const char* name : {"text.h5", "missing.h5"}) {
    const std::string error =
        test::error_message(ErrorKind::file, [&] { Hdf5Reader reader(folder / name); });
    EXPECT_TRUE(contains(error, name));
    EXPECT_FALSE(contains(error, "\n"));
  }
}

TEST(Sha256, StandardVectors) {
  if (!sha256_hex("")) GTEST_SKIP() << "built without OpenSSL";
  // FIPS 180-4 examples.
  EXPECT_EQ(sha256_hex(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

}  // namespace
}  // namespace thinwire
