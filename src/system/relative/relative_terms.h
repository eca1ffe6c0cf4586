// What numerics asks of a State in relative coordinates: rows, forces and masses along the tree.
//
// Members of RelativeSystem, for relative_system.cpp, which instantiates them.
#pragma once

#include <algorithm>
#include <cmath>

#include "math/euler_parameters.h"
#include "system/relative/relative_system.h"

namespace trammel::system {

inline constexpr double kLoopRounding = 1e-13;  // of sums over a loop

template <int D>
Terms RelativeSystem<D>::make_terms() const {
  Terms terms = Dynamics::make_terms();
  terms.inner_state = bodies_.initial_state();
  terms.inner = {bodies_.make_terms()};
  terms.own = TreeMotion<D>(tree_, com_, inertia_);
  move(start_, own_terms(terms));
  if (loop_armatures_.empty()) return terms;
  terms.map.assign(loop_armatures_.size() * at(sizes_.v), 0.0);
  const RelativeTerms<D> own = own_terms(terms);
  bodies_.evaluate(own.bodies, kAskPosition, own.terms);
  read_loop_armatures(own, terms);
  return terms;
}

template <int D>
void RelativeSystem<D>::move(const State& s, RelativeTerms<D> own, bool with_rates) const {
  own.tree.move(s, with_rates);
  State& to = own.bodies;
  to.take_time(s);
  to.x = s.x;
  to.inputs = s.inputs;
  take_decisions(s, to);
  if (const std::vector<double>* angles = s.recall(kAngles)) {
    std::vector<double>& all = to.remember(kAngles, angles->size()) = *angles;
    for (std::size_t k = 0; k < hinges_.size(); ++k)
      if (hinges_[k].q >= 0) all[k] += hinges_[k].sign * s.q[at(hinges_[k].q)];
  }
  for (int b = 1; b < static_cast<int>(tree_.carrier.size()); ++b) {
    const TreeBody<D>& body = own.tree.body(b);
    write_pose(b, body, to.q);
    write_twist(b, body, body.V, to.v);
  }
  for (std::size_t j = 0; j < turns_of_.size(); ++j) write_angle(tree_.joints[j], turns_of_[j], s.q, to.q);
}

// Parents come first.
template <int D>
void RelativeSystem<D>::write_angle(const TreeJoint<D>& joint, const Turn& turn, const std::vector<double>& q,
                                    std::vector<double>& to) const {
  const auto place = [&](int b) -> double* {
    const bool turns = b > 0 && bodies_.body_columns(b).count > D;
    return turns ? to.data() + bodies_.body_position(b) + D : nullptr;
  };
  double* angle = place(joint.child);
  if (angle == nullptr) return;
  const double* parent = place(joint.parent);
  *angle = turn.constant + (parent ? *parent : 0.0) + (turn.q >= 0 ? turn.sign * q[at(turn.q)] : 0.0);
}

template <int D>
void RelativeSystem<D>::write_pose(int b, const TreeBody<D>& body, std::vector<double>& q) const {
  double* place = q.data() + bodies_.body_position(b);
  Eigen::Map<math::Vec<D>>{place} = body.c;
  if (!body.turns) return;
  if constexpr (D == 3) Eigen::Map<math::EulerParameters>{place + D} = math::parameters_of(body.R);
}

// In reference coordinates spins stand in the body's axes.
template <int D>
void RelativeSystem<D>::write_twist(int b, const TreeBody<D>& body, const Twist<D>& V,
                                    std::vector<double>& to) const {
  double* place = to.data() + bodies_.body_columns(b).first;
  Eigen::Map<math::Vec<D>>{place} = V.template head<D>();
  if (body.turns)
    Eigen::Map<Spin<D>>{place + D} = turned<D>(body.R.transpose(), Spin<D>(V.template tail<kSpin<D>>()));
}

template <int D>
void RelativeSystem<D>::accelerate(const State& s, RelativeTerms<D> own) const {
  own.tree.outwards(s.a);
  for (int b = 1; b < static_cast<int>(tree_.carrier.size()); ++b) {
    const TreeBody<D>& body = own.tree.body(b);
    write_twist(b, body, own.tree.twist(b) + body.beta, own.bodies.a);
  }
}

// A force or a row that stands in reference columns, on a twist in world axes.
template <int D>
Twist<D> RelativeSystem<D>::on_body(int b, const std::vector<double>& reference, RelativeTerms<D> own) const {
  const TreeBody<D>& body = own.tree.body(b);
  const double* place = reference.data() + bodies_.body_columns(b).first;
  Twist<D> F = Twist<D>::Zero();
  F.template head<D>() = Eigen::Map<const math::Vec<D>>(place);
  if (body.turns)
    F.template tail<kSpin<D>>() = turned<D>(body.R, Spin<D>(Eigen::Map<const Spin<D>>(place + D)));
  return F;
}

template <int D>
Twist<D> RelativeSystem<D>::row_on_body(const RowSide& side, const std::vector<double>& entries,
                                        RelativeTerms<D> own) const {
  Twist<D> J = Twist<D>::Zero();
  for (int k = 0; k < kTwist<D>; ++k)
    if (side.entry[at(k)] >= 0) J[k] = entries[at(side.entry[at(k)])];
  const Spin<D> w = J.template tail<kSpin<D>>();
  J.template tail<kSpin<D>>() = turned<D>(own.tree.body(side.body).R, w);
  return J;
}

template <int D>
void RelativeSystem<D>::evaluate(const State& s, unsigned ask, Terms& terms) const {
  const RelativeTerms<D> own = own_terms(terms);
  // Weight and springs act on the tree itself; rows and other forces are those of the reference coordinates.
  const bool simple = only_springs_ && !(ask & kAskTangent);
  if (simple && tree_rows_.empty()) {
    own.tree.move(s, ask & kAskRates);
  } else {
    move(s, own, ask & kAskRates);
    const unsigned inner = simple ? ask & ~unsigned{kAskForces | kAskEnergy} : ask;
    bodies_.evaluate(own.bodies, ask & kAskRates ? inner | kAskPosition : inner, own.terms);
    if (ask & (kAskPosition | kAskGamma)) evaluate_rows(ask, own, terms);
    if (!loop_armatures_.empty()) read_loop_armatures(own, terms);
  }
  if (ask & (kAskForces | kAskTangent)) simple ? evaluate_springs(own, terms) : evaluate_forces(own, terms);
  if (ask & kAskRates) evaluate_rates(own, terms);
}

template <int D>
void RelativeSystem<D>::evaluate_springs(RelativeTerms<D> own, Terms& terms) const {
  double stored = 0;
  terms.power = 0;
  own.tree.clear();
  for (const TreeSpring<D>& spring : springs_) spring.act(own.tree, stored, terms.power);
  terms.potential = stored + own.tree.fall(math::narrow<D>(bodies_.elements().gravity()), terms.Q);
}

// What a joint of the tree already holds leaves only rounding in a row, which is no direction: a second hinge
// on the line of the first holds nothing here.
template <int D>
void RelativeSystem<D>::clean_row(std::size_t r, double size, Terms& terms) const {
  for (int k = jacobian_.start[r]; k < jacobian_.start[r + 1]; ++k) {
    const double one = coordinate_scale_[at(jacobian_.column[at(k)])];
    if (std::abs(terms.Phi_v[at(k)]) * one <= kLoopRounding * size) terms.Phi_v[at(k)] = 0;
  }
}

template <int D>
void RelativeSystem<D>::evaluate_rows(unsigned ask, RelativeTerms<D> own, Terms& terms) const {
  for (std::size_t r = 0; r < tree_rows_.size(); ++r) {
    const TreeRow& row = tree_rows_[r];
    const auto source = at(row.source);
    if (ask & kAskPosition) {
      terms.Phi[r] = own.terms.Phi[source];
      terms.Phi_t[r] = own.terms.Phi_t[source];
      double* entries = terms.Phi_v.data() + jacobian_.start[r];
      std::fill(entries, terms.Phi_v.data() + jacobian_.start[r + 1], 0.0);
      double size = 0;
      for (const RowSide& side : row.sides) {
        Twist<D> J = row_on_body(side, own.terms.Phi_v, own);
        size =
            std::max({size, length_scale_ * J.template head<D>().norm(), J.template tail<kSpin<D>>().norm()});
        auto target = side.target.begin();
        tree_.climb(side.body, side.stop, [&](const TreeJoint<D>& joint) {
          const TreeBody<D>& body = own.tree.body(joint.child);
          body.add_force(J, 1, entries + *target++);
          J = body.pass_on(J);
        });
      }
      clean_row(r, size, terms);
    }
    if (ask & kAskGamma) {
      terms.gamma[r] = own.terms.gamma[source];
      for (const RowSide& side : row.sides)
        terms.gamma[r] += row_on_body(side, own.terms.Phi_v, own).dot(own.tree.body(side.body).beta);
    }
  }
}

template <int D>
void RelativeSystem<D>::evaluate_forces(RelativeTerms<D> own, Terms& terms) const {
  for (int b = 1; b < static_cast<int>(tree_.carrier.size()); ++b) {
    const TreeBody<D>& body = own.tree.body(b);
    own.tree.twist(b) = on_body(b, own.terms.Q, own) - body.momentum(body.beta);
  }
  add_armature_bias(own);
  std::fill(terms.Q.begin(), terms.Q.end(), 0.0);
  own.tree.inwards(1, terms.Q);
  terms.potential = own.terms.potential;
  terms.power = own.terms.power;
  terms.x_dot = own.terms.x_dot;
  terms.x_dot_x = own.terms.x_dot_x;
}

// Φ̇_v = (Φ_V R)˙, and Ṁ v = ṘᵀM V + Rᵀ(Ṁ V + M β) since Ṙ v = β.
template <int D>
void RelativeSystem<D>::evaluate_rates(RelativeTerms<D> own, Terms& terms) const {
  for (std::size_t r = 0; r < tree_rows_.size(); ++r) {
    double* entries = terms.Phi_v_dot.data() + jacobian_.start[r];
    std::fill(entries, terms.Phi_v_dot.data() + jacobian_.start[r + 1], 0.0);
    for (const RowSide& side : tree_rows_[r].sides) {
      const Spin<D> w = own.tree.body(side.body).V.template tail<kSpin<D>>();
      Twist<D> J = row_on_body(side, own.terms.Phi_v, own),
               J_dot = row_on_body(side, own.terms.Phi_v_dot, own);
      J_dot.template tail<kSpin<D>>() += turn_spin<D>(w, J.template tail<kSpin<D>>());
      auto target = side.target.begin();
      tree_.climb(side.body, side.stop, [&](const TreeJoint<D>& joint) {
        const TreeBody<D>& body = own.tree.body(joint.child);
        const CarriedRate<D>& rate = own.tree.carried_rate(joint.child);
        Eigen::Map<Eigen::VectorXd>(entries + *target, body.velocities) += rate.S_dot.transpose() * J;
        body.add_force(J_dot, 1, entries + *target++);
        J_dot = body.pass_on(J_dot) + rate.pass_on(J);
        J = body.pass_on(J);
      });
    }
  }
  for (int b = 1; b < static_cast<int>(tree_.carrier.size()); ++b) {
    const TreeBody<D>& body = own.tree.body(b);
    const Twist<D> F = body.momentum(body.V);
    own.tree.twist(b) = F;
    own.tree.rate(b) = body.momentum(body.beta);
    own.tree.rate(b).template tail<kSpin<D>>() +=
        turn_spin<D>(body.V.template tail<kSpin<D>>(), F.template tail<kSpin<D>>());
  }
  add_armature_momenta(own);
  std::fill(terms.M_dot_v.begin(), terms.M_dot_v.end(), 0.0);
  own.tree.inwards_rate(terms.M_dot_v);
}

template <int D>
void RelativeSystem<D>::add_mass_times(const Terms& terms, std::span<const double> x, double factor,
                                       std::span<double> y) const {
  const TreeMotion<D>& tree = tree_of(terms);
  tree.outwards(x);
  for (int b = 1; b < static_cast<int>(tree_.carrier.size()); ++b)
    tree.twist(b) = tree.body(b).momentum(tree.twist(b));
  tree.inwards(factor, y);
  for (const TreeJoint<D>& joint : tree_.joints)
    if (joint.armature != 0) y[at(joint.v)] += factor * joint.armature * x[at(joint.v)];
  for (std::size_t k = 0; k < loop_armatures_.size(); ++k) {
    const double* G = terms.map.data() + k * x.size();
    double rate = 0;
    for (std::size_t i = 0; i < x.size(); ++i) rate += G[i] * x[i];
    const double a = factor * bodies_.elements().armatures()[loop_armatures_[k]].inertia;
    for (std::size_t i = 0; i < x.size(); ++i) y[i] += a * rate * G[i];
  }
}

template <int D>
double RelativeSystem<D>::mass_product(const Terms& terms, std::span<const double> x,
                                       std::span<const double> y) const {
  double sum = tree_of(terms).product(x, y);
  for (const TreeJoint<D>& joint : tree_.joints)
    if (joint.armature != 0) sum += joint.armature * x[at(joint.v)] * y[at(joint.v)];
  for (std::size_t k = 0; k < loop_armatures_.size(); ++k) {
    const double* G = terms.map.data() + k * x.size();
    double rate_x = 0, rate_y = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      rate_x += G[i] * x[i];
      rate_y += G[i] * y[i];
    }
    sum += bodies_.elements().armatures()[loop_armatures_[k]].inertia * rate_x * rate_y;
  }
  return sum;
}

// SᵀI S with the inertia I of all that the joint carries.
template <int D>
std::vector<double> RelativeSystem<D>::mass_diagonal(const Terms& terms) const {
  const TreeMotion<D>& tree = tree_of(terms);
  std::vector<double> diagonal(at(sizes_.v), 0.0);
  std::vector<math::Mat<kTwist<D>>> composite(tree_.carrier.size(), math::Mat<kTwist<D>>::Zero());
  for (auto joint = tree_.joints.rbegin(); joint != tree_.joints.rend(); ++joint) {
    const TreeBody<D>& body = tree.body(joint->child);
    math::Mat<kTwist<D>>& I = composite[at(joint->child)];
    body.add_inertia(I);
    with_velocities<D>(joint->velocities(), [&](auto n) {
      if constexpr (n > 0) {
        const auto S = body.template S<n>();
        for (int k = 0; k < n; ++k) diagonal[at(joint->v + k)] = S.col(k).dot(I * S.col(k));
      }
    });
    const math::Mat<kTwist<D>> X = body.X();
    composite[at(joint->parent)] += X.transpose() * I * X;
    if (joint->armature != 0) diagonal[at(joint->v)] += joint->armature;
  }
  for (std::size_t k = 0; k < loop_armatures_.size(); ++k)
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
      const double G = terms.map[k * diagonal.size() + i];
      diagonal[i] += bodies_.elements().armatures()[loop_armatures_[k]].inertia * G * G;
    }
  return diagonal;
}

}  // namespace trammel::system
