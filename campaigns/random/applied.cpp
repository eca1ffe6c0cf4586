// Equations, second part: what acts on the bodies besides joints and drivers, and its energy.
#include <cmath>

#include "equations.h"

namespace trammel::campaigns::random {
namespace {

// A force on the measures of one element, and the part of its power that has no potential.
struct ElementForce {
  std::vector<double> factor;  // by measure
  double potential = 0, power = 0;
};

ElementForce spring(const ForceSpec& force, const Reading& s, double value) {
  const double stretch = value - force.free;
  return {{-(force.preload + force.stiffness * stretch + force.damping * s.rate)},
          force.preload * stretch + 0.5 * force.stiffness * stretch * stretch,
          -force.damping * s.rate * s.rate};
}

ElementForce friction(const ForceSpec& force, const Reading& s) {
  const double f = -(force.coulomb * std::tanh(s.rate / force.transition) + force.viscous * s.rate);
  return {{f}, 0, f * s.rate};
}

// s: three displacements, then rotations; in space each is half the difference of two dot products.
ElementForce bushing(const ForceSpec& force, const std::vector<const Reading*>& s, bool planar) {
  Eigen::Matrix<double, 6, 1> value = Eigen::Matrix<double, 6, 1>::Zero(), rate = value;
  for (std::size_t k = 0; k < 3; ++k) {
    value[static_cast<int>(k)] = s[k]->value, rate[static_cast<int>(k)] = s[k]->rate;
    if (planar) continue;
    value[static_cast<int>(k) + 3] = 0.5 * (s[3 + 2 * k]->value - s[4 + 2 * k]->value);
    rate[static_cast<int>(k) + 3] = 0.5 * (s[3 + 2 * k]->rate - s[4 + 2 * k]->rate);
  }
  if (planar) value[5] = s[3]->value, rate[5] = s[3]->rate;
  const Eigen::Matrix<double, 6, 1> f = -(force.K * value + force.C * rate);
  ElementForce out{{f[0], f[1], f[2]}, 0.5 * value.dot(force.K * value), -rate.dot(force.C * rate)};
  if (planar) out.factor.push_back(f[5]);
  for (int k = 3; k < 6 && !planar; ++k) out.factor.push_back(0.5 * f[k]), out.factor.push_back(-0.5 * f[k]);
  return out;
}

}  // namespace

double Equations::law_value(const LawSpec& law, const Phase& phase,
                            const std::vector<Reading>& readings) const {
  double value = value_of(law, phase.t, 0);
  for (const auto& signal : law.signals) {
    const int k = coordinate(signal.joint);
    value += signal.coefficient *
             (signal.rate ? readings[static_cast<std::size_t>(k)].rate : reading(phase, readings, k));
  }
  return value;
}

void Equations::add_side(VectorXd& F, const Reading& reading, double force) const {
  for (int k = 0; k < reading.count; ++k) {
    const auto& side = reading.sides[k];
    const Eigen::Index at = per_body_ * side.body;
    if (spec_.planar)
      F.segment<3>(at) += force * Vector3d(side.force.x(), side.force.y(), side.torque.z());
    else
      F.segment<3>(at) += force * side.force, F.segment<3>(at + 3) += force * side.torque;
  }
}

void Equations::add_force(VectorXd& F, const Phase& phase, int body, const Vector3d& place, const Vector3d& f,
                          const Vector3d& torque) const {
  if (body < 0) return;
  const Vector3d lever = phase.bodies[static_cast<std::size_t>(body)].R * place;
  Reading side;
  side.add(body, f, lever.cross(f) + torque);
  add_side(F, side, 1);
}

// Visits every element that acts on measures: give(measure, force on it), then (potential, power).
template <class Give>
static void each_element(const Equations& equations, const std::vector<std::vector<int>>& measures,
                         const std::vector<Reading>& readings, const Phase& phase,
                         const std::function<double(const LawSpec&)>& law, const Give& give) {
  const Specification& spec = equations.spec();
  for (std::size_t i = 0; i < spec.forces.size(); ++i) {
    const ForceSpec& force = spec.forces[i];
    if (measures[i].empty()) continue;
    std::vector<const Reading*> s;
    for (int k : measures[i]) s.push_back(&readings[static_cast<std::size_t>(k)]);
    const double value = equations.reading(phase, readings, measures[i][0]);
    ElementForce element;
    switch (force.kind) {
      case ForceSpec::Kind::spring:
      case ForceSpec::Kind::joint_spring:
        element = spring(force, *s[0], value);
        break;
      case ForceSpec::Kind::friction:
        element = friction(force, *s[0]);
        break;
      case ForceSpec::Kind::bushing:
        element = bushing(force, s, spec.planar);
        break;
      default: {  // tension, joint_law: a positive value acts against the measure
        const double f = -law(force.laws[0]);
        element = {{f}, 0, f * s[0]->rate};
      }
    }
    give(measures[i], element);
  }
}

VectorXd Equations::applied(const Phase& phase, const std::vector<Reading>& readings) const {
  VectorXd F = VectorXd::Zero(unknowns());
  for (std::size_t b = 0; b < spec_.bodies.size(); ++b) {
    const BodySpec& body = spec_.bodies[b];
    const BodyMotion& m = phase.bodies[b];
    Vector3d gyroscopic = Vector3d::Zero();
    if (!spec_.planar) {
      // −ω × (I ω + h), h of the rotor
      const Vector3d w = m.R.transpose() * m.w;
      const Vector3d h = body.inertia * w + body.rotor_inertia * body.rotor_speed * body.rotor_axis;
      gyroscopic = -(m.R * w.cross(h));
    }
    add_force(F, phase, static_cast<int>(b), Vector3d::Zero(), body.mass * spec_.gravity, gyroscopic);
  }
  const auto law = [&](const LawSpec& one) { return law_value(one, phase, readings); };
  each_element(*this, force_measures_, readings, phase, law,
               [&](const std::vector<int>& measures, const ElementForce& element) {
                 for (std::size_t k = 0; k < measures.size(); ++k)
                   add_side(F, readings[static_cast<std::size_t>(measures[k])], element.factor[k]);
               });
  for (std::size_t i = 0; i < spec_.forces.size(); ++i) {
    const ForceSpec& force = spec_.forces[i];
    if (!force_measures_[i].empty()) continue;
    Vector3d f;
    for (int k = 0; k < 3; ++k) f[k] = law(force.laws[k]);
    if (force.body_axes) f = phase.bodies[static_cast<std::size_t>(force.a)].R * f;
    const bool torque = force.kind == ForceSpec::Kind::torque;
    add_force(F, phase, force.a, torque ? Vector3d(Vector3d::Zero()) : local_force_place_[i],
              torque ? Vector3d(Vector3d::Zero()) : f, torque ? f : Vector3d(Vector3d::Zero()));
  }
  return F;
}

double Equations::applied_power(const Phase& phase, const std::vector<Reading>& readings) const {
  double power = 0;
  const auto law = [&](const LawSpec& one) { return law_value(one, phase, readings); };
  each_element(*this, force_measures_, readings, phase, law,
               [&](const std::vector<int>&, const ElementForce& element) { power += element.power; });
  for (std::size_t i = 0; i < spec_.forces.size(); ++i) {
    const ForceSpec& force = spec_.forces[i];
    if (!force_measures_[i].empty()) continue;
    const BodyMotion& m = phase.bodies[static_cast<std::size_t>(force.a)];
    Vector3d f;
    for (int k = 0; k < 3; ++k) f[k] = law(force.laws[k]);
    if (force.body_axes) f = m.R * f;
    power += force.kind == ForceSpec::Kind::torque ? f.dot(m.w)
                                                   : f.dot(m.v + m.w.cross(m.R * local_force_place_[i]));
  }
  return power;
}

double Equations::driver_power(const Phase& phase, const Factor& factor, const VectorXd& lambda) const {
  double power = 0;
  const VectorXd V = velocities(phase);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const auto k = static_cast<Eigen::Index>(r);
    if (rows_[r].target) power -= lambda[k] * factor.J.row(k).dot(V);
  }
  return power;
}

double Equations::potential(const Phase& phase, const std::vector<Reading>& readings) const {
  double energy = 0;
  for (std::size_t b = 0; b < spec_.bodies.size(); ++b)
    energy -= spec_.bodies[b].mass * spec_.gravity.dot(phase.bodies[b].x);
  const auto law = [](const LawSpec&) { return 0.0; };
  each_element(*this, force_measures_, readings, phase, law,
               [&](const std::vector<int>&, const ElementForce& element) { energy += element.potential; });
  return energy;
}

}  // namespace trammel::campaigns::random
