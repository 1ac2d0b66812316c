// Microseconds a near_pair call takes, on one core, for the kinds of pair a mesh holds.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "kernels/element/near_pair.h"

namespace {

using namespace thinwire;

double microseconds(const Element& p, const Element& q, double k, GreensKernel kernel) {
  using Clock = std::chrono::steady_clock;
  double best = 1e300;
  volatile double sink = 0;
  for (int trial = 0; trial < 7; ++trial) {
    int calls = 0;
    const auto start = Clock::now();
    double seconds = 0;
    while (seconds < 0.01) {
      for (int i = 0; i < 16; ++i) sink = near_pair(p, q, k, kernel).z[0][0].im;
      calls += 16;
      seconds = std::chrono::duration<double>(Clock::now() - start).count();
    }
    best = std::min(best, 1e6 * seconds / calls);
  }
  (void)sink;
  return best;
}

}  // namespace

int main() {
  const double length = 0.05, k = 2 * pi;  // wavelength 1 m
  const Vec3 z{0, 0, 1};
  std::printf("microseconds a pair; elements of 0.05 wavelengths\n");
  std::printf("%-34s %10s %10s %10s %10s\n", "pair", "L/a = 10", "50", "1000", "reduced");
  struct Kind {
    const char* name;
    Element (*second)(double length, double radius);
  };
  const Kind kinds[] = {
      {"self",
       [](double l, double a) {
         return Element{{0, 0, 0}, {0, 0, 1}, l, a};
       }},
      {"adjacent",
       [](double l, double a) {
         return Element{{0, 0, l}, {0, 0, 1}, l, a};
       }},
      {"next but one",
       [](double l, double a) {
         return Element{{0, 0, 2 * l}, {0, 0, 1}, l, a};
       }},
      {"stepped radius, shorter",
       [](double l, double a) {
         return Element{{0, 0, l}, {0, 0, 1}, l / 8, a / 3};
       }},
      {"corner, 90 degrees",
       [](double l, double a) {
         return Element{{0, 0, l}, {1, 0, 0}, l, a};
       }},
      {"fold, 5 degrees",
       [](double l, double a) {
         return Element{
             {0, 0, l}, {std::sin(5 * pi / 180), 0, -std::cos(5 * pi / 180)}, l, a};
       }},
      {"next to a corner",
       [](double l, double a) {
         return Element{{l, 0, l}, {1, 0, 0}, l, a};
       }},
      {"parallel, 5 radii apart",
       [](double l, double a) {
         return Element{{5 * a, 0, 0}, {0, 0, 1}, l, a};
       }},
      {"parallel, 30 radii apart",
       [](double l, double a) {
         return Element{{30 * a, 0, 0}, {0, 0, 1}, l, a};
       }},
      {"skew, 5 radii apart",
       [](double l, double a) {
         return Element{{5 * a, 0, 0}, {0, 0.6, 0.8}, l, a};
       }},
      {"skew, 30 radii apart",
       [](double l, double a) {
         return Element{{30 * a, 0, 0}, {0, 0.6, 0.8}, l, a};
       }},
  };
  for (const Kind& kind : kinds) {
    std::printf("%-34s", kind.name);
    for (double ratio : {10.0, 50.0, 1000.0}) {
      const double a = length / ratio;
      std::printf(" %10.2f",
                  microseconds({{0, 0, 0}, z, length, a}, kind.second(length, a), k,
                               GreensKernel::exact));
    }
    const double a = length / 50;
    std::printf(" %10.2f\n",
                microseconds({{0, 0, 0}, z, length, a}, kind.second(length, a), k,
                             GreensKernel::reduced));
  }
}
