// Measure: a scalar that joints, drivers, springs and expressions read from the motion.
//
//   component   n·x                     a point's coordinate
//   distance    |x|                     between two points
//   dot         x·y                     a displacement along an axis
//   angle       atan2(y·z, x·z)         of z in the frame (x, y), unwrapped
//   rotation    ½(x·y − z·w)            a small rotation of a bushing
//   tangent     √(|x|² − ρ²) − ρ acos(ρ/|x|)
//               of a string that is wound about two circles whose centres are x apart: the part of its free
//               length that changes with |x| as its ends stay where they are on the line of centres. ρ is the
//               sum of the radii where the string crosses that line, else their difference.
//   triple      x·(y × z)               a displacement across two axes (space)
//   gap         of a roller about a point, or of a flat face, from an outline (curve_gap.h)
//
// x, y, z, w are slots: material vectors or differences of material points. value_jet() gives value, gradient
// and Hessian in the slots; LinearForms carry them to coordinates.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

#include "system/curve_gap.h"
#include "system/linear_form.h"
#include "system/slot_jet.h"

namespace trammel::system {

// The angle that differs from `raw` by whole turns and is nearest to `reference`.
inline double with_turns(double raw, double reference) {
  constexpr double kTurn = 2 * std::numbers::pi;
  return raw + kTurn * std::round((reference - raw) / kTurn);
}

// One body's part in a slot: where it acts, for reactions.
template <int D>
struct Material {
  int body = 0;
  bool is_point = true;  // a point (force acts there), else a vector (only torque has a meaning)
  LinearForm<D> form;
};

template <int D>
struct Slot {
  LinearForm<D> form;
  struct Side {
    Material<D> material;
    double sign;
  };
  std::vector<Side> sides;

  static Slot of(const Material<D>& m) { return {m.form, {{m, 1}}}; }
  static Slot between(const Material<D>& from, const Material<D>& to) {
    return {to.form.plus(from.form, -1), {{to, 1}, {from, -1}}};
  }
};

enum class MeasureKind { component, distance, dot, angle, rotation, tangent, triple, gap };

// Value, gradient and Hessian of a measure as a function of its slots; n is its direction, radius its ρ.
template <int D>
SlotJet<D> value_jet(MeasureKind kind, const std::array<math::Vec<D>, kMaxSlots>& x,
                     const math::Vec<D>& direction, double radius) {
  SlotJet<D> jet = SlotJet<D>::zero();
  const math::Mat<D> one = math::Mat<D>::Identity();
  switch (kind) {
    case MeasureKind::component:
      jet.f = direction.dot(x[0]);
      jet.g[0] = direction;
      break;
    case MeasureKind::distance: {
      jet.f = x[0].norm();
      jet.g[0] = x[0] / jet.f;
      jet.h[0][0] = (one - jet.g[0] * jet.g[0].transpose()) / jet.f;
      break;
    }
    case MeasureKind::dot:
      jet.f = x[0].dot(x[1]);
      jet.g[0] = x[1];
      jet.g[1] = x[0];
      jet.h[0][1] = jet.h[1][0] = one;
      break;
    case MeasureKind::angle: {
      // θ = atan2(s, c), c = x·z, s = y·z
      const math::Vec<D>&u = x[0], &w = x[1], &z = x[2];
      const double c = u.dot(z), s = w.dot(z), r2 = c * c + s * s;
      const double fc = -s / r2, fs = c / r2;
      const double fcc = 2 * s * c / (r2 * r2), fcs = (s * s - c * c) / (r2 * r2), fss = -fcc;
      jet.f = std::atan2(s, c);
      jet.g[0] = fc * z;
      jet.g[1] = fs * z;
      jet.g[2] = fc * u + fs * w;
      jet.h[0][0] = fcc * z * z.transpose();
      jet.h[0][1] = fcs * z * z.transpose();
      jet.h[1][1] = fss * z * z.transpose();
      jet.h[0][2] = fc * one + z * (fcc * u + fcs * w).transpose();
      jet.h[1][2] = fs * one + z * (fcs * u + fss * w).transpose();
      jet.h[2][2] =
          fcc * u * u.transpose() + fcs * (u * w.transpose() + w * u.transpose()) + fss * w * w.transpose();
      jet.h[1][0] = jet.h[0][1].transpose();
      jet.h[2][0] = jet.h[0][2].transpose();
      jet.h[2][1] = jet.h[1][2].transpose();
      break;
    }
    case MeasureKind::tangent: {
      // f' = √(d² − ρ²)/d: the cosine between the string and the line of centres. Circles that overlap have
      // no such string: there f ends with the slope that it has.
      const double d = x[0].norm(), l = std::sqrt(std::max(d * d - radius * radius, 0.0));
      const math::Vec<D> e = x[0] / d;
      jet.f = l - radius * std::acos(std::min(radius / d, 1.0));
      jet.g[0] = l / d * e;
      jet.h[0][0] = l / (d * d) * (one - e * e.transpose());
      if (l > 0) jet.h[0][0] += radius * radius / (d * d * l) * e * e.transpose();
      break;
    }
    case MeasureKind::triple:
      if constexpr (D == 3) {
        jet.f = x[0].dot(x[1].cross(x[2]));
        jet.g = {x[1].cross(x[2]), x[2].cross(x[0]), x[0].cross(x[1]), math::Vec<D>::Zero()};
        jet.h[0][1] = -math::skew(x[2]);
        jet.h[0][2] = math::skew(x[1]);
        jet.h[1][2] = -math::skew(x[0]);
        jet.h[1][0] = jet.h[0][1].transpose();
        jet.h[2][0] = jet.h[0][2].transpose();
        jet.h[2][1] = jet.h[1][2].transpose();
      }
      break;
    case MeasureKind::gap:  // Measure::jet asks the outline
      break;
    case MeasureKind::rotation:
      jet.f = 0.5 * (x[0].dot(x[1]) - x[2].dot(x[3]));
      jet.g = {0.5 * x[1], 0.5 * x[0], -0.5 * x[3], -0.5 * x[2]};
      jet.h[0][1] = jet.h[1][0] = 0.5 * one;
      jet.h[2][3] = jet.h[3][2] = -0.5 * one;
      break;
  }
  return jet;
}

template <int D>
class Measure {
 public:
  Measure(MeasureKind kind, std::vector<Slot<D>> slots, int free_elements, double offset = 0,
          math::Vec<D> direction = math::Vec<D>::Zero(), double radius = 0);
  // How far a follower is from an outline.
  Measure(CurveGap gap, std::vector<Slot<D>> slots, int free_elements);

  const std::vector<int>& elements() const { return elements_; }
  int columns() const { return D * static_cast<int>(elements_.size()); }
  const std::vector<Slot<D>>& slots() const { return slots_; }
  MeasureKind kind() const { return kind_; }
  double offset() const { return offset_; }
  // What an angle reads where the model places the bodies, turns included.
  double expected() const { return expected_; }
  void expect(double angle) { expected_ = angle; }
  // Reads so much more from now on.
  void shift(double by) { offset_ += by; }
  // Of a gap: where the follower touches, and the normal there.
  CurveGap::Contact<D> contact(const Elements<D>& x) const;

  // Scratch layout: value, rate, vᵀHv, gradient (n), H v (n), H (n×n, only when asked for).
  int scratch_size() const { return 3 + 2 * columns() + columns() * columns(); }
  void evaluate(const Elements<D>& x, const Elements<D>& v, double* scratch, bool with_hessian) const;
  // Gradient in the slots, for reactions.
  SlotJet<D> jet(const Elements<D>& x) const;
  math::Vec<D> slot(std::size_t k, const Elements<D>& x) const { return slots_[k].form(x); }
  // Over any scalar: an angle up to whole turns; a gap has no such form.
  template <class T>
  T value(const std::vector<std::array<T, D>>& x) const;
  // Of an angle alone, up to whole turns.
  double angle(const Elements<D>& x) const {
    const math::Vec<D> z = slot(2, x);
    return std::atan2(slot(1, x).dot(z), slot(0, x).dot(z)) + offset_;
  }
  double rate(const Elements<D>& x, const Elements<D>& v) const;
  // The body that a slot turns with; −1 if it is none alone.
  int body_of(std::size_t slot) const;
  int free_elements() const { return free_elements_; }

 private:
  void set_weights();

  MeasureKind kind_;
  int free_elements_;
  std::vector<Slot<D>> slots_;
  math::Vec<D> direction_;
  double offset_, radius_, expected_ = 0;
  std::optional<CurveGap> gap_;
  std::vector<int> elements_;                              // free elements it depends on
  std::array<std::vector<Weight<D>>, kMaxSlots> weights_;  // of each of these in each slot
};

template <int D>
template <class T>
T Measure<D>::value(const std::vector<std::array<T, D>>& x) const {
  using std::acos, std::atan2, std::sqrt;
  const auto at = [&](std::size_t k) { return slots_[k].form.at(x); };
  switch (kind_) {
    case MeasureKind::component: {
      std::array<T, D> direction;
      for (std::size_t i = 0; i < D; ++i) direction[i] = direction_[static_cast<Eigen::Index>(i)];
      return product(direction, at(0)) + offset_;
    }
    case MeasureKind::distance:
      return sqrt(product(at(0), at(0))) + offset_;
    case MeasureKind::dot:
      return product(at(0), at(1)) + offset_;
    case MeasureKind::angle:
      return atan2(product(at(1), at(2)), product(at(0), at(2))) + offset_;
    case MeasureKind::rotation:
      return 0.5 * (product(at(0), at(1)) - product(at(2), at(3))) + offset_;
    case MeasureKind::tangent: {
      const T d2 = product(at(0), at(0));
      return sqrt(d2 - radius_ * radius_) - radius_ * acos(radius_ / sqrt(d2)) + offset_;
    }
    case MeasureKind::triple:
      if constexpr (D == 3) {
        const std::array<T, 3> a = at(0), b = at(1), c = at(2);
        return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]) + offset_;
      }
      break;
    case MeasureKind::gap:
      break;
  }
  return T(std::numeric_limits<double>::quiet_NaN());
}

// Views of a measure's scratch.
template <int D>
struct MeasureView {
  const double* s;
  int n;
  double value() const { return s[0]; }
  double rate() const { return s[1]; }
  double curvature() const { return s[2]; }  // vᵀHv
  const double* gradient() const { return s + 3; }
  const double* rate_gradient() const { return s + 3 + n; }  // H v = ∂(rate)/∂q
  const double* hessian() const { return s + 3 + 2 * n; }
};

}  // namespace trammel::system
