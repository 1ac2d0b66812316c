// Impedances of close wires from a mesh of their surfaces, printed by
// tests/golden/surface_tubes.py.
#pragma once

#include <vector>

namespace thinwire {

struct SurfaceTubes {
  const char* name;
  const char* deck;
  double r_ohm, x_ohm;  // of the first source
  double uncertainty_ohm;
};

inline const std::vector<SurfaceTubes> surface_tubes{
    {"two dipoles of 0.4, D/a = 3, one driven",
     "CE\nGW 1 21 0 0 -0.2 0 0 0.2 0.004\nGW 2 21 0.012 0 -0.2 0.012 0 0.2 0.004\nGE "
     "0\nFR 0 1 0 0 299.792458\nEX 0 1 11 0 1 0\nXQ\nEN\n",
     6.927666, -57.92531, 0.013},
    {"two dipoles of 0.4, D/a = 3, in phase",
     "CE\nGW 1 21 0 0 -0.2 0 0 0.2 0.004\nGW 2 21 0.012 0 -0.2 0.012 0 0.2 0.004\nGE "
     "0\nFR 0 1 0 0 299.792458\nEX 0 1 11 0 1 0\nEX 0 2 11 0 1 0\nXQ\nEN\n",
     94.59864, -120.0723, 0.012},
    {"two dipoles of 0.4, D/a = 3, opposite",
     "CE\nGW 1 21 0 0 -0.2 0 0 0.2 0.004\nGW 2 21 0.012 0 -0.2 0.012 0 0.2 0.004\nGE "
     "0\nFR 0 1 0 0 299.792458\nEX 0 1 11 0 1 0\nEX 0 2 11 0 -1 0\nXQ\nEN\n",
     0.02700758, -34.60004, 0.0092},
    {"two dipoles of 0.4, D/a = 4, one driven",
     "CE\nGW 1 21 0 0 -0.2 0 0 0.2 0.004\nGW 2 21 0.016 0 -0.2 0.016 0 0.2 0.004\nGE "
     "0\nFR 0 1 0 0 299.792458\nEX 0 1 11 0 1 0\nXQ\nEN\n",
     11.62536, -71.93346, 0.0039},
    {"two dipoles of 0.4, D/a = 4, in phase",
     "CE\nGW 1 21 0 0 -0.2 0 0 0.2 0.004\nGW 2 21 0.016 0 -0.2 0.016 0 0.2 0.004\nGE "
     "0\nFR 0 1 0 0 299.792458\nEX 0 1 11 0 1 0\nEX 0 2 11 0 1 0\nXQ\nEN\n",
     94.86516, -113.2301, 0.014},
    {"two dipoles of 0.4, D/a = 4, opposite",
     "CE\nGW 1 21 0 0 -0.2 0 0 0.2 0.004\nGW 2 21 0.016 0 -0.2 0.016 0 0.2 0.004\nGE "
     "0\nFR 0 1 0 0 299.792458\nEX 0 1 11 0 1 0\nEX 0 2 11 0 -1 0\nXQ\nEN\n",
     0.06559703, -45.64824, 0.0023},
    {"dipoles of 0.45 and 0.4, radii 2:5, D = 3 x 5",
     "CE\nGW 1 21 0 0 -0.225 0 0 0.225 0.002\nGW 2 21 0.015 0 -0.2 0.015 0 0.2 0.005\nGE "
     "0\nFR 0 1 0 0 299.792458\nEX 0 1 11 0 1 0\nXQ\nEN\n",
     26.7995, -54.44528, 0.018},
    {"folded dipole of 0.46, D/a = 4",
     "CE\nGW 1 21 0 0 -0.23 0 0 0.23 0.002\nGW 2 1 0 0 0.23 0.008 0 0.23 0.002\nGW 3 21 "
     "0.008 0 0.23 0.008 0 -0.23 0.002\nGW 4 1 0.008 0 -0.23 0 0 -0.23 0.002\nGE 0\nFR 0 "
     "1 0 0 299.792458\nEX 0 1 11 0 1 0\nXQ\nEN\n",
     283.0068, 47.35323, 0.12},
    {"folded dipole of 0.46, D/a = 5",
     "CE\nGW 1 21 0 0 -0.23 0 0 0.23 0.002\nGW 2 1 0 0 0.23 0.01 0 0.23 0.002\nGW 3 21 "
     "0.01 0 0.23 0.01 0 -0.23 0.002\nGW 4 1 0.01 0 -0.23 0 0 -0.23 0.002\nGE 0\nFR 0 1 "
     "0 0 299.792458\nEX 0 1 11 0 1 0\nXQ\nEN\n",
     286.7402, 45.30607, 0.06},
    {"hairpin of 0.15, open, fed at its base, D/a = 5",
     "CE\nGW 1 11 0 0 0.15 0 0 0 0.002\nGW 2 3 0 0 0 0.01 0 0 0.002\nGW 3 31 0.01 0 0 "
     "0.01 0 0.15 0.002\nGE 0\nFR 0 1 0 0 299.792458\nEX 0 2 2 0 1 0\nXQ\nEN\n",
     0.07423416, -125.2314, 0.0084},
};

}  // namespace thinwire
