// Every dataset and attribute of result files, changed by a foreign program.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tests/cli/program.h"

namespace thinwire {
namespace {

using test::Program;

/// Two runs with ports, networks, a pattern with derivatives, near fields and couplings.
constexpr const char* everything =
    "CE all\nSY h=.25\nGW 1 5 0 0 -h 0 0 h .001\nGW 2 5 .3 0 -.25 .3 0 .25 .001\nGE\n"
    "LD 4 2 3 3 50\nTL 1 3 2 3 50 .1\nEX 0 1 3 0 1\nFR 0 2 0 0 290 5\n"
    "RP 0 4 3 1001 0 0 30 90\nNE 0 2 3 4 1 1 1 .1 .1 .1\nNH 0 2 3 4 1 1 1 .1 .1 .1\n"
    "XQ\nCP 1 3 2 3\nFR 0 2 0 0 299.8 5\nEX 0 1 3 0 1\nXQ\nEX 0 2 3 0 1\nXQ\nEN\n";
constexpr const char* waves =
    "CE waves\nGW 1 5 0 0 -.25 0 0 .25 .001\nGE\nFR 0 2 0 0 290 5\n"
    "EX 1 2 2 0 10 0 0 10 10\nRP 0 4 3 1001 0 0 30 90\nXQ\nEN\n";

/// Names of all datasets of a file.
std::vector<std::string> datasets_of(const std::string& path) {
  std::vector<std::string> names;
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const auto add = [](hid_t at, const char* name, const H5L_info_t*, void* to) -> herr_t {
    H5O_info_t info;
    H5Oget_info_by_name(at, name, &info, H5P_DEFAULT);
    if (info.type == H5O_TYPE_DATASET)
      static_cast<std::vector<std::string>*>(to)->push_back(std::string("/") + name);
    return 0;
  };
  H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, add, &names);
  H5Fclose(file);
  return names;
}

std::vector<hsize_t> shape_of(const std::string& path, const std::string& name) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT),
              data = H5Dopen2(file, name.c_str(), H5P_DEFAULT),
              space = H5Dget_space(data);
  std::vector<hsize_t> shape(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  H5Sclose(space);
  H5Dclose(data);
  H5Fclose(file);
  return shape;
}

/// Puts an empty dataset of another shape into the place of one, with its attributes.
void replace(const std::string& path, const std::string& name,
             const std::vector<hsize_t>& shape) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT),
              old = H5Dopen2(file, name.c_str(), H5P_DEFAULT), type = H5Dget_type(old),
              space =
                  H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
  ASSERT_GE(H5Ldelete(file, name.c_str(), H5P_DEFAULT), 0);
  const hid_t data =
      H5Dcreate2(file, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  ASSERT_GE(data, 0) << name;
  for (const hid_t id : {data, old}) H5Dclose(id);
  H5Sclose(space);
  H5Tclose(type);
  H5Fclose(file);
}

/// Makes an array of 1,000 of every attribute of an object, one after another, and calls
/// `check` after each.
void widen_attributes(const std::string& path, const std::string& object,
                      const std::function<void(const std::string& name)>& check) {
  for (unsigned i = 0;; ++i) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT),
                at = H5Oopen(file, object.c_str(), H5P_DEFAULT);
    H5O_info_t info;
    H5Oget_info(at, &info);
    std::string name(100, '\0');
    const bool is_there = i < info.num_attrs;
    if (is_there) {
      const hid_t old = H5Aopen_by_idx(at, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, 0,
                                       H5P_DEFAULT, H5P_DEFAULT),
                  type = H5Aget_type(old);
      name.resize(static_cast<std::size_t>(H5Aget_name(old, 100, name.data())));
      const hsize_t many = 1000;
      const hid_t space = H5Screate_simple(1, &many, nullptr);
      H5Aclose(old);
      H5Adelete(at, name.c_str());
      H5Aclose(H5Acreate2(at, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT));
      H5Sclose(space);
      H5Tclose(type);
    }
    H5Oclose(at);
    H5Fclose(file);
    if (!is_there) return;
    check(name);
  }
}

/// Changes every dataset of r.h5 along each axis and its number of axes, and reads it.
void change_each_dataset(const Program& thinwire) {
  const std::string path = (thinwire / "r.h5").string();
  // Nothing is indexed by the numbers along an axis, and texts need no length.
  const auto is_free = [](const std::string& name) {
    return name.ends_with("_number") || name == "/row" || name == "/column" ||
           name == "/warnings" || name.starts_with("/input/") || name == "/evaluation" ||
           name.starts_with("/run_") || name.ends_with("/x_m") ||
           name.ends_with("/y_m") || name.ends_with("/z_m");
  };
  for (const std::string& name : datasets_of(path)) {
    const std::vector<hsize_t> shape = shape_of(path, name);
    std::vector<std::vector<hsize_t>> others;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      others.push_back(shape);
      others.back()[axis] -= 1;
    }
    others.push_back(shape);
    others.back().push_back(1);
    for (const std::vector<hsize_t>& other : others) {
      ASSERT_EQ(thinwire.shell("cp r.h5 changed.h5").code, 0);
      replace((thinwire / "changed.h5").string(), name, other);
      for (const char* command :
           {"info changed.h5", "report changed.h5 -o r.html --force"}) {
        const auto run = thinwire(command);
        SCOPED_TRACE(std::string(command) + ": " + name + ": " + run.err);
        if (is_free(name) && run.code == 0) continue;
        EXPECT_EQ(run.code, 5);
        EXPECT_EQ(test::line_count(run.err), 1u);
        EXPECT_TRUE(run.err.starts_with("thinwire: changed.h5: ")) << run.err;
      }
    }
  }
}

TEST(ChangedResults, SolutionsOfOtherShapesAreRefused) {
  const Program thinwire;
  thinwire.write("all.nec", everything);
  ASSERT_EQ(thinwire("solve all.nec -o r.h5 --solver cocg --gradient h --quiet").code, 0);
  change_each_dataset(thinwire);
}

TEST(ChangedResults, IncidentWavesOfOtherShapesAreRefused) {
  const Program thinwire;
  thinwire.write("waves.nec", waves);
  ASSERT_EQ(thinwire("solve waves.nec -o r.h5 --quiet").code, 0);
  change_each_dataset(thinwire);
}

TEST(ChangedResults, SweepsOfOtherShapesAreRefused) {
  const Program thinwire;
  thinwire.write("all.nec", everything);
  ASSERT_EQ(thinwire("sweep all.nec --vary h=.24:.25:2 -o r.h5 --quiet").code, 0);
  change_each_dataset(thinwire);
}

TEST(ChangedResults, OptimizationsOfOtherShapesAreRefused) {
  const Program thinwire;
  thinwire.write("all.nec", everything);
  ASSERT_EQ(thinwire("optimize all.nec --vary h=.2:.3 --goal 'vswr < 2' "
                     "--evaluations 5 -o r.h5 --quiet")
                .code,
            0);
  change_each_dataset(thinwire);
}

TEST(ChangedResults, AttributesThatAreArraysAreRefusedOrNotRead) {
  const Program thinwire;
  thinwire.write("all.nec", everything);
  ASSERT_EQ(thinwire("solve all.nec -o r.h5 --quiet").code, 0);
  const std::set<std::string> objects = {"/",     "/input/deck", "/mesh",
                                         "/port", "/pattern/0",  "/near_field/0"};
  for (const std::string& object : objects) {
    ASSERT_EQ(thinwire.shell("cp r.h5 changed.h5").code, 0);
    widen_attributes((thinwire / "changed.h5").string(), object,
                     [&](const std::string& name) {
                       for (const char* command :
                            {"info changed.h5", "report changed.h5 -o r.html --force"}) {
                         const auto run = thinwire(command);
                         SCOPED_TRACE(object + " " + name + ": " + run.err);
                         EXPECT_TRUE(run.code == 0 || run.code == 5);
                         EXPECT_LE(test::line_count(run.err), 1u);
                       }
                     });
  }
}

}  // namespace
}  // namespace thinwire
