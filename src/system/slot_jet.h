// SlotJet: value, gradient and Hessian of a measure as a function of its slots, which are vectors.
#pragma once

#include <array>

#include "math/small.h"

namespace trammel::system {

inline constexpr int kMaxSlots = 4;

template <int D>
using SlotValues = std::array<math::Vec<D>, kMaxSlots>;

template <int D>
struct SlotJet {
  double f = 0;
  SlotValues<D> g;
  std::array<std::array<math::Mat<D>, kMaxSlots>, kMaxSlots> h;

  static SlotJet zero() {
    SlotJet jet;
    for (auto& g : jet.g) g.setZero();
    for (auto& row : jet.h)
      for (auto& h : row) h.setZero();
    return jet;
  }
};

}  // namespace trammel::system
