// Dice: random numbers that are the same on every machine (SplitMix64).
#pragma once

#include <cmath>

#include "specification.h"

namespace trammel::campaigns::random {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * unit(); }
  // Evenly over the decades.
  double over(double low, double high) { return low * std::pow(high / low, unit()); }
  double sign() { return chance(0.5) ? 1 : -1; }
  bool chance(double p) { return unit() < p; }
  int below(int n) { return static_cast<int>(unit() * n); }
  Vector3d vector(bool planar) {
    const double x = between(-1, 1), y = between(-1, 1), z = between(-1, 1);
    return {x, y, planar ? 0 : z};
  }
  Vector3d direction(bool planar) {
    for (;;) {
      const Vector3d v = vector(planar);
      if (v.norm() > 0.1 && v.norm() < 1) return v.normalized();
    }
  }
  // One of the entries, by their weights.
  template <class Entries>
  auto pick(const Entries& entries) {
    double all = 0;
    for (const auto& e : entries) all += e.weight;
    double at = unit() * all;
    for (const auto& e : entries)
      if ((at -= e.weight) <= 0) return e.what;
    return entries.back().what;
  }

 private:
  std::uint64_t state_;
};

}  // namespace trammel::campaigns::random
