// Potential coefficients of insulated wires, printed by tests/golden/insulated_wires.py,
// which says what they are.
#pragma once

#include <vector>

namespace thinwire {

struct InsulatedWires {
  const char* name;
  std::vector<std::vector<double>> x_y_radius_sheath_eps;
  std::vector<std::vector<double>> potential;  // P_ij
};

inline const std::vector<InsulatedWires> insulated_wires{
    {"two equal, D/a = 10, b/a = 2, eps_r = 2.3",
     {{0, 0, 1, 2, 2.3}, {10, 0, 1, 2, 2.3}},
     {{-0.415607081, -2.30199937}, {-2.30199937, -0.415607081}}},
    {"two equal, D/a = 5, b/a = 1.5, eps_r = 2.3",
     {{0, 0, 1, 1.5, 2.3}, {5, 0, 1, 1.5, 2.3}},
     {{-0.29609114, -1.60463242}, {-1.60463242, -0.29609114}}},
    {"two equal, D/a = 5, b/a = 2.2, eps_r = 2.3",
     {{0, 0, 1, 2.2, 2.3}, {5, 0, 1, 2.2, 2.3}},
     {{-0.565085011, -1.59249561}, {-1.59249561, -0.565085011}}},
    {"two equal, D/a = 4, b/a = 1.5, eps_r = 2.3",
     {{0, 0, 1, 1.5, 2.3}, {4, 0, 1, 1.5, 2.3}},
     {{-0.337103831, -1.37327719}, {-1.37327719, -0.337103831}}},
    {"two equal, D/a = 4, b/a = 1.9, eps_r = 2.3",
     {{0, 0, 1, 1.9, 2.3}, {4, 0, 1, 1.9, 2.3}},
     {{-0.519458868, -1.35650431}, {-1.35650431, -0.519458868}}},
    {"two equal, D/a = 3, b/a = 1.4, eps_r = 3.5",
     {{0, 0, 1, 1.4, 3.5}, {3, 0, 1, 1.4, 3.5}},
     {{-0.458105598, -1.04182704}, {-1.04182704, -0.458105598}}},
    {"one of two insulated",
     {{0, 0, 1, 2, 3}, {4.5, 0, 1, 1.001, 1}},
     {{-0.513272296, -1.49574237}, {-1.49574237, -0.145278905}}},
    {"unequal",
     {{0, 0, 1, 1.8, 2.3}, {6, 0, 2, 3, 3}},
     {{-0.552980381, -1.7764777}, {-1.7764777, -1.02306943}}},
};

}  // namespace thinwire
