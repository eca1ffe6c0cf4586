// A linear spring and damper between two points of a tree's bodies (forces/spring.h), felt by the bodies as
// twists: no other coordinates are needed.
#pragma once

#include "system/forces/law.h"
#include "system/relative/tree_motion.h"

namespace trammel::system {

template <int D>
struct TreeSpring {
  struct End {
    int body;
    math::Vec<D> at;  // from the centre of mass, in the body's axes; on ground, in the world
  };
  End from, to;
  LinearLaw law;

  // Adds the forces to the tree's twists, and what the spring stores and loses.
  void act(const TreeMotion<D>& tree, double& potential, double& power) const {
    const TreeBody<D>&a = tree.body(from.body), &b = tree.body(to.body);
    const math::Vec<D> ra = rotated<D>(a.R, from.at), rb = rotated<D>(b.R, to.at);
    const math::Vec<D> d = (b.c + rb) - (a.c + ra);
    const double S = std::sqrt(d.dot(d));
    math::Vec<D> d_dot = math::Vec<D>::Zero();
    if (law.damping != 0) d_dot = point_velocity(b, rb) - point_velocity(a, ra);
    const math::Vec<D> n = spring_direction(law, d, S, d_dot);
    const double rate = n.dot(d_dot);
    const LawValue value = evaluate(law, S, rate);
    const math::Vec<D> f = value.F * n;
    add(f, moment<D>(rb, f), tree.twist(to.body));
    add(-f, moment<D>(f, ra), tree.twist(from.body));
    potential += value.potential;
    power += value.power_factor * rate;
  }

 private:
  static math::Vec<D> point_velocity(const TreeBody<D>& body, const math::Vec<D>& r) {
    return body.V.template head<D>() + turn<D>(Spin<D>(body.V.template tail<kSpin<D>>()), r);
  }
  static void add(const math::Vec<D>& f, const Spin<D>& m, Twist<D>& F) {
    F.template head<D>() += f;
    F.template tail<kSpin<D>>() += m;
  }
};

}  // namespace trammel::system
