#include "system/reference/reference_system.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/euler_parameters.h"
#include "system/reference/reference_armatures.h"
#include "system/reference/reference_motion.h"
#include "system/reference/reference_places.h"
#include "system/reference/reference_tangent.h"

namespace trammel::system {

template <int D>
ReferenceSystem<D>::ReferenceSystem(const Mechanism& mechanism,
                                    const std::vector<mechanism::Watched>& watched)
    : elements_(mechanism, watched, Sharing::none) {
  rows_ = elements_.rows();
  has_work_ = elements_.has_work();
  rheonomic_ = elements_.rheonomic();
  has_range_ = elements_.has_range();
  flank_rows_ = elements_.flank_rows();
  length_scale_ = elements_.length_scale();
  sizes_ = elements_.sizes();
  place_bodies(mechanism);
  build_mass(mechanism);
  build_armatures();
  build_rows();
  build_tangent();
  find_guides();
  if (armatures_.empty()) return;
  Terms terms = make_terms();
  evaluate(initial_state(), kAskPosition, terms);
  start_mass_ = terms.M;
}

template <int D>
void ReferenceSystem<D>::find_guides() {
  if (D == 3) return;
  for (int k = 0; k < sizes_.angles; ++k) {
    const Measure<D>& angle = elements_.angle(k);
    const int turned = angle.body_of(2), frame = angle.body_of(0);
    if (turned < 0 || frame < 0 || angle.body_of(1) != frame) return guides_.clear();
    const auto coordinate = [&](int b) {
      return b == kGroundBody ? -1 : bodies_[static_cast<std::size_t>(b)].q + D;
    };
    guides_.push_back({coordinate(turned), coordinate(frame)});
  }
}

template <int D>
void ReferenceSystem<D>::keep_angles(const std::vector<double>& of_elements, State& s) const {
  std::vector<double>& kept = s.remember(kAngles, of_elements.size());
  for (std::size_t k = 0; k < of_elements.size(); ++k)
    kept[k] = of_elements[k] - (k < guides_.size() ? guide(k, s.q) : 0.0);
}

template <int D>
void ReferenceSystem<D>::place_bodies(const Mechanism& mechanism) {
  const auto& bodies = elements_.basis().bodies();
  places_.resize(static_cast<std::size_t>(elements_.basis().free_elements()));
  bodies_.resize(bodies.size());
  sizes_.q = sizes_.v = 0;
  for (std::size_t b = 1; b < bodies.size(); ++b) {
    Carrier& own = bodies_[b];
    const Body& source = mechanism.bodies[b - 1];
    own.name = source.name;
    own.axes = source.placement.axes;
    own.angle = source.angle;
    own.element = bodies[b].elements.front();
    own.directions = bodies[b].rank();
    own.turns = own.directions > 0;
    own.q = sizes_.q;
    own.v = sizes_.v;
    sizes_.q += D + (own.turns ? kRotation : 0);
    sizes_.v += D + (own.turns ? kTurn : 0);
    for (int k = 0; k <= own.directions; ++k)
      places_[static_cast<std::size_t>(own.element + k)] = {static_cast<int>(b), k > 0,
                                                            k > 0 ? own.v + D : own.v};
    coordinate_scale_.insert(coordinate_scale_.end(), D, length_scale_);
    position_scale_.insert(position_scale_.end(), D, length_scale_);
    if (!own.turns) continue;
    coordinate_scale_.insert(coordinate_scale_.end(), kTurn, 1);
    position_scale_.insert(position_scale_.end(), kRotation, 1);
    if (D == 2) angle_positions_.push_back(own.q + D);
  }
}

template <int D>
void ReferenceSystem<D>::build_mass(const Mechanism& mechanism) {
  constant_mass_ = true;
  const auto add = [&](int row, int column, double value) {
    mass_pattern_.row.push_back(row);
    mass_pattern_.column.push_back(column);
    mass_.push_back(value);
  };
  for (std::size_t b = 1; b < bodies_.size(); ++b) {
    Carrier& own = bodies_[b];
    const Body& source = mechanism.bodies[b - 1];
    const double size = elements_.basis().bodies()[b].size;
    for (int i = 0; i < D; ++i) add(own.v + i, own.v + i, source.mass);
    inertia_scale_.insert(inertia_scale_.end(), D, source.mass);
    unit_inertia_.insert(unit_inertia_.end(), D, 1);
    if (!own.turns) continue;
    inertia_scale_.insert(inertia_scale_.end(), kTurn, source.mass * size * size);
    unit_inertia_.insert(unit_inertia_.end(), kTurn, size * size);
    own.inertia = source.inertia.template bottomRightCorner<kTurn, kTurn>();
    if (D == 3 && own.directions == 1) {
      // A thin rod that nothing holds across. No torque acts about its axis, so that it never spins, and any
      // inertia there leaves the motion as it is.
      own.inertia(0, 0) = own.inertia(kTurn - 1, kTurn - 1) > 0 ? own.inertia(kTurn - 1, kTurn - 1) : 1;
      idle_columns_.push_back(own.v + D);
    }
    for (int c = 0; c < kTurn; ++c)
      for (int r = c; r < kTurn; ++r)
        if (r == c || own.inertia(r, c) != 0) add(own.v + D + r, own.v + D + c, own.inertia(r, c));
  }
}

template <int D>
void ReferenceSystem<D>::build_rows() {
  const RowPattern& inner = elements_.jacobian();
  for (int r = 0; r < inner.rows(); ++r) {
    const auto begin = static_cast<std::size_t>(inner.start[static_cast<std::size_t>(r)]),
               end = static_cast<std::size_t>(inner.start[static_cast<std::size_t>(r) + 1]);
    const auto first = [&](std::size_t k) {
      const Place& place = places_[static_cast<std::size_t>(inner.column[k] / D)];
      return place.turns ? place.column : place.column + inner.column[k] % D;
    };
    std::vector<int> columns;
    for (std::size_t k = begin; k < end; ++k)
      for (int p = 0; p < (places_[static_cast<std::size_t>(inner.column[k] / D)].turns ? kTurn : 1); ++p)
        columns.push_back(first(k) + p);
    sort_unique(columns);
    const auto start = static_cast<std::ptrdiff_t>(jacobian_.column.size());
    for (std::size_t k = begin; k < end; ++k)
      row_target_.push_back(static_cast<int>(
          start + (std::lower_bound(columns.begin(), columns.end(), first(k)) - columns.begin())));
    jacobian_.add_row(columns);
  }
}

template <int D>
typename ReferenceSystem<D>::Columns ReferenceSystem<D>::body_columns(int body) const {
  const Carrier& own = bodies_[static_cast<std::size_t>(body)];
  if (body == kGroundBody) return {};
  return {own.v, D + (own.turns ? kTurn : 0)};
}

template <int D>
Terms ReferenceSystem<D>::make_terms() const {
  Terms terms = Dynamics::make_terms();
  terms.inner_state = elements_.initial_state();
  terms.inner.push_back(elements_.make_terms());
  terms.map.assign(2 * D * kTurn * places_.size(), 0);
  if (!start_mass_.empty()) terms.M = start_mass_;
  return terms;
}

template <int D>
State ReferenceSystem<D>::initial_state() const {
  State s = elements_.initial_state();
  const std::vector<double> x = std::move(s.q);
  s.q.assign(static_cast<std::size_t>(sizes_.q), 0);
  s.v.assign(static_cast<std::size_t>(sizes_.v), 0);
  s.a = s.v;
  for (std::size_t b = 1; b < bodies_.size(); ++b) {
    const Carrier& own = bodies_[b];
    double* q = s.q.data() + own.q;
    std::copy_n(x.begin() + D * own.element, D, q);
    if (!own.turns) continue;
    if constexpr (D == 2) {
      // The angle as given, with its turns.
      const double* u = x.data() + D * (own.element + 1);
      q[D] = own.angle + std::remainder(std::atan2(u[1], u[0]) - own.angle, 2 * std::numbers::pi);
    } else {
      Eigen::Map<math::EulerParameters>(q + D) = math::parameters_of(own.axes);
    }
  }
  if (const std::vector<double>* angles = s.recall(kAngles)) keep_angles(std::vector<double>(*angles), s);
  return s;
}

template <int D>
void ReferenceSystem<D>::map_body(const Carrier& own, const State& s, bool accelerations, State& inner,
                                  double* map) const {
  const double *q = s.q.data() + own.q, *v = s.v.data() + own.v, *a = s.a.data() + own.v;
  const int e = D * own.element;
  std::copy_n(q, D, inner.q.begin() + e);
  std::copy_n(v, D, inner.v.begin() + e);
  for (int i = 0; i < D; ++i) inner.a[static_cast<std::size_t>(e + i)] = accelerations ? a[i] : 0;
  if (!own.turns) return;
  const Turning omega = Eigen::Map<const Turning>(v + D);
  math::Mat<D> R;
  if constexpr (D == 2)
    R << std::cos(q[D]), -std::sin(q[D]), std::sin(q[D]), std::cos(q[D]);
  else
    R = math::rotation_of(Eigen::Map<const math::EulerParameters>(q + D));
  for (int k = 0; k < own.directions; ++k) {
    const int at = D * (own.element + 1 + k);
    Eigen::Map<Lever> B(map + 2 * kTurn * at), rate(map + (2 * at + D) * kTurn);
    if constexpr (D == 2) {
      B = math::quarter_turn(R.col(0));
      rate = -omega[0] * R.col(0);
    } else {
      // B_k = −R ẽ_k,  ∂(B_k ω)/∂q = −R (ω × e_k)~
      const math::Vec<3> unit = math::Vec<3>::Unit(k);
      B.noalias() = R * math::skew(-unit);
      rate.noalias() = R * math::skew(unit.cross(omega));
    }
    Eigen::Map<math::Vec<D>>(inner.q.data() + at) = R.col(k);
    Eigen::Map<math::Vec<D>>(inner.v.data() + at).noalias() = B * omega;
    // ẍ = B v̇ + β,  β = ∂(B v)/∂q v
    Eigen::Map<math::Vec<D>> acceleration(inner.a.data() + at);
    acceleration.noalias() = rate * omega;
    if (accelerations) acceleration.noalias() += B * Eigen::Map<const Turning>(a + D);
  }
}

template <int D>
State& ReferenceSystem<D>::map_into(const State& s, bool accelerations, Terms& terms) const {
  State& inner = terms.inner_state;
  inner.take_time(s);
  inner.x = s.x;
  inner.inputs = s.inputs;
  inner.lambda = s.lambda;
  take_decisions(s, inner);
  if (const std::vector<double>* angles = s.recall(kAngles)) {
    std::vector<double>& all = inner.remember(kAngles, angles->size()) = *angles;
    for (std::size_t k = 0; k < guides_.size(); ++k) all[k] += guide(k, s.q);
  }
  for (std::size_t b = 1; b < bodies_.size(); ++b)
    map_body(bodies_[b], s, accelerations, inner, terms.map.data());
  return inner;
}

template <int D>
void ReferenceSystem<D>::evaluate(const State& s, unsigned ask, Terms& terms) const {
  // γ = γ_x + Φ_x β
  const bool needs_rows = ask & (kAskGamma | kAskRates);
  elements_.evaluate(map_into(s, false, terms), needs_rows ? ask | kAskPosition : ask, terms.inner[0]);
  if (ask & kAskPosition) carry_rows(terms);
  if (ask & kAskGamma) carry_gamma(terms);
  if (ask & kAskRates) carry_rates(s, terms);
  if (ask & (kAskForces | kAskTangent)) carry_forces(s, terms);
  if (ask & kAskTangent) carry_tangent(s, terms);
  if (!armatures_.empty()) carry_armatures(s, ask, terms);
}

template <int D>
void ReferenceSystem<D>::carry_rows(Terms& terms) const {
  const Terms& inner = terms.inner[0];
  terms.Phi = inner.Phi;
  terms.Phi_t = inner.Phi_t;
  std::fill(terms.Phi_v.begin(), terms.Phi_v.end(), 0.0);
  const std::vector<int>& columns = elements_.jacobian().column;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const int element = columns[k] / D;
    double* to = terms.Phi_v.data() + row_target_[k];
    if (places_[static_cast<std::size_t>(element)].turns)
      Eigen::Map<Turning>(to) += inner.Phi_v[k] * lever(terms, element).row(columns[k] % D).transpose();
    else
      *to += inner.Phi_v[k];
  }
}

// Φ̇_v = Φ̇_x B + Φ_x Ḃ,  Ḃ = ω × B: unit vectors turn with their body.
template <int D>
void ReferenceSystem<D>::carry_rates(const State& s, Terms& terms) const {
  const Terms& inner = terms.inner[0];
  std::fill(terms.Phi_v_dot.begin(), terms.Phi_v_dot.end(), 0.0);
  const std::vector<int>& columns = elements_.jacobian().column;
  int turning = 0;  // the body of which W is
  math::Mat<D> W = math::Mat<D>::Zero();
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const int element = columns[k] / D, i = columns[k] % D;
    const Place& place = places_[static_cast<std::size_t>(element)];
    double* to = terms.Phi_v_dot.data() + row_target_[k];
    if (!place.turns) {
      *to += inner.Phi_v_dot[k];
      continue;
    }
    if (place.body != turning) {
      turning = place.body;
      const Carrier& own = bodies_[static_cast<std::size_t>(turning)];
      const double *q = s.q.data() + own.q + D, *v = s.v.data() + own.v + D;
      if constexpr (D == 2) W << 0, -v[0], v[0], 0;
      if constexpr (D == 3)
        W = math::skew(math::rotation_of(Eigen::Map<const math::EulerParameters>(q)) *
                       Eigen::Map<const math::Vec<3>>(v));
      static_cast<void>(q);
    }
    const Lever B = lever(terms, element);
    Eigen::Map<Turning>(to) +=
        inner.Phi_v_dot[k] * B.row(i).transpose() + inner.Phi_v[k] * (W.row(i) * B).transpose();
  }
}

template <int D>
void ReferenceSystem<D>::carry_gamma(Terms& terms) const {
  const Terms& inner = terms.inner[0];
  const RowPattern& rows = elements_.jacobian();
  for (std::size_t r = 0; r < terms.gamma.size(); ++r) {
    terms.gamma[r] = inner.gamma[r];
    for (auto k = static_cast<std::size_t>(rows.start[r]); k < static_cast<std::size_t>(rows.start[r + 1]);
         ++k)
      terms.gamma[r] += inner.Phi_v[k] * terms.inner_state.a[static_cast<std::size_t>(rows.column[k])];
  }
}

template <int D>
void ReferenceSystem<D>::carry_forces(const State& s, Terms& terms) const {
  const Terms& inner = terms.inner[0];
  terms.potential = inner.potential;
  terms.power = inner.power;
  terms.x_dot = inner.x_dot;
  terms.x_dot_x = inner.x_dot_x;
  for (std::size_t b = 1; b < bodies_.size(); ++b) {
    const Carrier& own = bodies_[b];
    std::copy_n(inner.Q.begin() + D * own.element, D, terms.Q.begin() + own.v);
    if (!own.turns) continue;
    Eigen::Map<Turning> torque(terms.Q.data() + own.v + D);
    torque.setZero();
    for (int e = own.element + 1; e <= own.element + own.directions; ++e)
      torque.noalias() +=
          lever(terms, e).transpose() * Eigen::Map<const math::Vec<D>>(inner.Q.data() + D * e);
    if constexpr (D == 3) {
      const Eigen::Map<const math::Vec<3>> omega(s.v.data() + own.v + D);
      torque -= omega.cross(math::Vec<3>(own.inertia * omega));
    }
  }
}

template class ReferenceSystem<2>;
template class ReferenceSystem<3>;

}  // namespace trammel::system
