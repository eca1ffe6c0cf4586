// What a person wants to see of a State in relative coordinates: everything that the reference coordinates
// tell, with the multipliers of the tree's joints from the balance of the bodies.
//
// Members of RelativeSystem, for relative_system.cpp, which instantiates them.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "linalg/dense.h"
#include "system/relative/cut_body.h"
#include "system/relative/relative_system.h"

namespace trammel::system {

inline constexpr double kMovedRounding = 1e-13;  // of coordinates of order one

template <int D>
void RelativeSystem<D>::keep_angles(const State& bodies, State& s) const {
  const std::vector<double>* angles = bodies.recall(kAngles);
  if (angles == nullptr) return;
  std::vector<double>& kept = s.remember(kAngles, 0) = *angles;
  for (std::size_t k = 0; k < hinges_.size(); ++k)
    if (hinges_[k].q >= 0) kept[k] -= hinges_[k].sign * s.q[at(hinges_[k].q)];
}

template <int D>
std::string RelativeSystem<D>::accept_angles(State& s, Terms& terms, double step) const {
  // Coordinates of hinges do not jump: what is kept are whole turns, which stay.
  const bool hinged = std::all_of(hinges_.begin(), hinges_.end(), [](const Hinge& h) { return h.q >= 0; });
  if (sizes_.angles == 0 || (D == 2 ? bodies_.guided() : hinged)) return {};
  const RelativeTerms<D> own = own_terms(terms);
  move(s, own);
  std::string too_far = bodies_.accept_angles(own.bodies, own.terms, step);
  keep_angles(own.bodies, s);
  return too_far;
}

template <int D>
std::string RelativeSystem<D>::out_of_range(const State& s, Terms& terms) const {
  const RelativeTerms<D> own = own_terms(terms);
  move(s, own);
  return bodies_.out_of_range(own.bodies, own.terms);
}

template <int D>
std::string RelativeSystem<D>::coordinate_owner(int column) const {
  for (const TreeJoint<D>& joint : tree_.joints)
    if (column >= joint.v && column < joint.v + joint.velocities()) return joint.name;
  return Dynamics::coordinate_owner(column);
}

template <int D>
std::vector<int> RelativeSystem<D>::spins_in_own_axes() const {
  std::vector<int> columns;
  if constexpr (D == 3)
    for (const TreeJoint<D>& joint : tree_.joints)
      if (joint.kind == TreeKind::spherical || (joint.kind == TreeKind::free && joint.turns))
        columns.push_back(joint.spin());
  return columns;
}

// As outputs call them; a free body by its name. Rotations without axes of their own have none.
template <int D>
std::vector<std::string> RelativeSystem<D>::coordinate_names() const {
  std::vector<std::string> names(at(sizes_.v));
  for (const TreeJoint<D>& joint : tree_.joints) {
    const auto give = [&](std::initializer_list<const char*> list) {
      auto to = names.begin() + joint.v;
      for (const char* quantity : list) *to++ = joint.name + quantity;
    };
    switch (joint.kind) {
      case TreeKind::revolute:
        give({".angle"});
        break;
      case TreeKind::prismatic:
        give({".displacement"});
        break;
      case TreeKind::cylindrical:
        give({".angle", ".displacement"});
        break;
      case TreeKind::free:
        if (D == 3) give({".x", ".y", ".z"});
        if (D == 2 && joint.turns) give({".x", ".y", ".angle"});
        if (D == 2 && !joint.turns) give({".x", ".y"});
        break;
      default:
        break;
    }
  }
  return names;
}

template <int D>
State RelativeSystem<D>::in_reference(const State& s) const {
  Terms terms = make_terms();
  move(s, own_terms(terms));
  return std::move(terms.inner_state);
}

template <int D>
std::vector<Pose> RelativeSystem<D>::poses(const State& s) const {
  std::vector<Pose> all = bodies_.poses(in_reference(s));
  all.resize(uncut_bodies_);
  return all;
}

template <int D>
std::vector<Vec3> RelativeSystem<D>::point_positions(const State& s) const {
  return bodies_.point_positions(in_reference(s));
}

// Each joint as its two bodies have it: what does not fit it is left out.
template <int D>
void RelativeSystem<D>::place(std::span<const Body>, std::span<const Pose> poses, State& s) const {
  std::vector<Pose> all(poses.begin(), poses.end());
  for (const std::size_t b : half_of_) all.push_back(poses[b]);
  s.q.assign(at(sizes_.q), 0.0);
  s.v.assign(at(sizes_.v), 0.0);
  const auto spin = [](const Pose& pose) {
    if constexpr (D == 2) return Spin<2>(pose.angular_velocity.z());
    if constexpr (D == 3) return pose.angular_velocity;
  };
  for (const TreeJoint<D>& joint : tree_.joints) {
    const JointPlace place = joint_place(joint, all);
    joint.place(place.R, place.p, s.q.data());
    // The velocity of the child's frame, less what the parent's motion gives it.
    const Pose parent = joint.parent > 0 ? all[at(joint.parent) - 1] : Pose(),
               &child = all[at(joint.child) - 1];
    const math::Mat<D> axes = child.axes.template topLeftCorner<D, D>();
    const math::Vec<D> arm = axes * (math::narrow<D>(joint.child_frame.at) - com_[at(joint.child)]);
    const math::Vec<D> c = math::narrow<D>(child.position);
    const math::Vec<D> v = math::narrow<D>(child.velocity) + turn<D>(spin(child), arm) -
                           math::narrow<D>(parent.velocity) -
                           turn<D>(spin(parent), math::Vec<D>(c + arm - math::narrow<D>(parent.position)));
    const JointMotion<D> m = joint.motion(s.q.data(), s.v.data());
    const Spin<D> w = turned<D>(place.frame.transpose(), Spin<D>(spin(child) - spin(parent)));
    // The columns of a joint are orthonormal.
    Eigen::Map<Eigen::VectorXd>(s.v.data() + joint.v, joint.velocities()) =
        m.A.transpose() * w + m.L.transpose() * (place.frame.transpose() * v);
  }
}

template <int D>
void RelativeSystem<D>::take_turns(const std::map<std::string, double>& known, State& s) const {
  State bodies = in_reference(s);
  bodies_.take_turns(known, bodies);
  keep_angles(bodies, s);
}

template <int D>
std::vector<Reading> RelativeSystem<D>::readings(const State& s, Terms& terms) const {
  const RelativeTerms<D> own = own_terms(terms);
  reads_reactions() ? balance(s, own) : move(s, own);
  return bodies_.readings(own.bodies, own.terms);
}

template <int D>
void RelativeSystem<D>::forces(const State& s, Terms& terms, std::span<double> values) const {
  const RelativeTerms<D> own = own_terms(terms);
  move(s, own);
  bodies_.forces(own.bodies, own.terms, values);
}

template <int D>
void RelativeSystem<D>::watch(const State& s, Terms& terms, std::span<double> values) const {
  const RelativeTerms<D> own = own_terms(terms);
  watches_reactions() ? balance(s, own) : move(s, own);
  bodies_.watch(own.bodies, own.terms, values);
}

// A velocity of bodies that is given is one of the joints on the way to them.
template <int D>
std::vector<KnownVelocity> RelativeSystem<D>::known_velocities(const State& s) const {
  Terms terms = make_terms();
  const RelativeTerms<D> own = own_terms(terms);
  move(s, own);
  std::vector<KnownVelocity> known;
  for (const KnownVelocity& given : bodies_.known_velocities(own.bodies)) {
    std::vector<double> row(at(bodies_.sizes().v), 0.0), moved(at(sizes_.v), 0.0);
    for (std::size_t k = 0; k < given.column.size(); ++k) row[at(given.column[k])] += given.coefficient[k];
    for (int b = 1; b < static_cast<int>(tree_.carrier.size()); ++b) own.tree.twist(b) = on_body(b, row, own);
    own.tree.inwards(1, moved);
    KnownVelocity here{given.owner, {}, {}, given.value};
    // A joint whose axis passes through the point gives it no velocity, but for rounding.
    double largest = 0;
    for (const double k : given.coefficient) largest = std::max(largest, std::abs(k));
    for (std::size_t c = 0; c < moved.size(); ++c)
      if (std::abs(moved[c]) > kMovedRounding * largest * length_scale_) {
        here.column.push_back(static_cast<int>(c));
        here.coefficient.push_back(moved[c]);
      }
    known.push_back(std::move(here));
  }
  return known;
}

// From the tips inwards: what a body needs and its other rows do not give, its carrying joint gives.
//
//   Φ_Jᵀ λ_J = Q − M V̇ − (other rows)ᵀ λ
template <int D>
void RelativeSystem<D>::all_multipliers(const std::vector<double>& lambda, bool in_motion,
                                        RelativeTerms<D> own) const {
  const RowPattern& rows = bodies_.jacobian();
  const std::vector<double>& Phi_V = own.terms.Phi_v;
  std::vector<double> left(at(bodies_.sizes().v), 0.0);
  if (in_motion) {
    left = own.terms.Q;
    bodies_.add_mass_times(own.terms, own.bodies.a, -1, left);
  }
  std::vector<double>& all = own.bodies.lambda;
  all.assign(at(bodies_.sizes().rows), 0.0);
  const auto act = [&](int r) {
    for (int k = rows.start[at(r)]; k < rows.start[at(r) + 1]; ++k)
      left[at(rows.column[at(k)])] -= Phi_V[at(k)] * all[at(r)];
  };
  for (std::size_t r = 0; r < tree_rows_.size(); ++r) {
    all[at(tree_rows_[r].source)] = lambda[r];
    act(tree_rows_[r].source);
  }
  for (std::size_t j = tree_.joints.size(); j-- > 0;) {
    const TreeJoint<D>& joint = tree_.joints[j];
    const auto m = static_cast<Eigen::Index>(held_rows_[j].size());
    if (m == 0) continue;
    const int first = bodies_.body_columns(joint.child).first, n = joint.turns ? kTwist<D> : D;
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(n, m);
    for (Eigen::Index i = 0; i < m; ++i) {
      const int r = held_rows_[j][static_cast<std::size_t>(i)];
      for (int k = rows.start[at(r)]; k < rows.start[at(r) + 1]; ++k)
        if (const int c = rows.column[at(k)] - first; c >= 0 && c < n) J(c, i) = Phi_V[at(k)];
    }
    const Eigen::VectorXd solved =
        linalg::least_squares(J, Eigen::Map<const Eigen::VectorXd>(left.data() + first, n));
    for (Eigen::Index i = 0; i < m; ++i) {
      const int r = held_rows_[j][static_cast<std::size_t>(i)];
      all[at(r)] = solved[i];
      act(r);
    }
  }
}

template <int D>
std::vector<Wrench> RelativeSystem<D>::reactions(const State& s, Terms& terms) const {
  const RelativeTerms<D> own = own_terms(terms);
  balance(s, own);
  return of_whole_bodies(bodies_.reactions(own.bodies, own.terms));
}

template <int D>
std::vector<Wrench> RelativeSystem<D>::of_whole_bodies(std::vector<Wrench> all) const {
  std::erase_if(all, [](const Wrench& w) { return is_cut(w.joint); });
  for (Wrench& w : all) w.body = uncut(w.body);
  return all;
}

template <int D>
void RelativeSystem<D>::balance(const State& s, RelativeTerms<D> own) const {
  move(s, own);
  accelerate(s, own);
  bodies_.evaluate(own.bodies, kAskPosition | kAskForces, own.terms);
  all_multipliers(s.lambda, true, own);
}

template <int D>
std::vector<Reading> RelativeSystem<D>::efforts(const State& s, Terms& terms) const {
  const RelativeTerms<D> own = own_terms(terms);
  balance(s, own);
  return bodies_.efforts(own.bodies, own.terms);
}

template <int D>
std::vector<ReactionMode> RelativeSystem<D>::reaction_modes(
    const State& s, Terms& terms, std::span<const std::vector<double>> multipliers) const {
  const RelativeTerms<D> own = own_terms(terms);
  move(s, own);
  accelerate(s, own);
  bodies_.evaluate(own.bodies, kAskPosition | kAskForces, own.terms);
  std::vector<std::vector<double>> modes;
  for (const std::vector<double>& lambda : multipliers) {
    all_multipliers(lambda, false, own);
    modes.push_back(own.bodies.lambda);
  }
  std::vector<ReactionMode> all = bodies_.reaction_modes(own.bodies, own.terms, modes);
  for (ReactionMode& mode : all) mode.wrenches = of_whole_bodies(std::move(mode.wrenches));
  return all;
}

}  // namespace trammel::system
