// Packed<K>: the K coordinates of a point or vector in registers, two side by side (pair.h).
#pragma once

#include "math/pair.h"

namespace trammel::math {

template <int K>
struct Packed;

template <>
struct Packed<2> {
  Pair xy{};

  static Packed load(const double* p) { return {load_pair(p)}; }
  static Packed all(double x) { return {twice(x)}; }
  void store(double* p) const { store_pair(p, xy); }
  Packed operator+(const Packed& o) const { return {xy + o.xy}; }
  Packed operator-(const Packed& o) const { return {xy - o.xy}; }
  Packed operator*(const Packed& o) const { return {xy * o.xy}; }  // one by one
  Packed operator*(double f) const { return {xy * twice(f)}; }
  double operator[](int k) const { return xy[k]; }
  double sum() const { return sum_of(xy); }
};

template <>
struct Packed<3> {
  Pair xy{};
  double z = 0;

  static Packed load(const double* p) { return {load_pair(p), p[2]}; }
  static Packed all(double x) { return {twice(x), x}; }
  void store(double* p) const {
    store_pair(p, xy);
    p[2] = z;
  }
  Packed operator+(const Packed& o) const { return {xy + o.xy, z + o.z}; }
  Packed operator-(const Packed& o) const { return {xy - o.xy, z - o.z}; }
  Packed operator*(const Packed& o) const { return {xy * o.xy, z * o.z}; }
  Packed operator*(double f) const { return {xy * twice(f), z * f}; }
  double operator[](int k) const { return k == 2 ? z : xy[k]; }
  double sum() const { return sum_of(xy) + z; }
};

// *p += x
template <int K>
inline void add_to(double* p, const Packed<K>& x) {
  (Packed<K>::load(p) + x).store(p);
}

// *p −= x
template <int K>
inline void take_from(double* p, const Packed<K>& x) {
  (Packed<K>::load(p) - x).store(p);
}

}  // namespace trammel::math
