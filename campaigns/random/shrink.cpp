#include "shrink.h"

#include <algorithm>
#include <cmath>

namespace trammel::campaigns::random {
namespace {

using Kind = JointSpec::Kind;
using Change = std::function<void(Specification&)>;

// A failure that still needs more candidates than this is small enough.
constexpr int kMostCandidates = 300;

template <class List>
void erase_at(List& list, std::size_t i) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
}

// Without a joint; nothing may refer to it any more.
void remove_joint(Specification& spec, int joint) {
  const auto moved = [&](int k) { return k > joint ? k - 1 : k; };
  for (int j = static_cast<int>(spec.joints.size()) - 1; j > joint; --j) {
    const JointSpec& other = spec.joints[static_cast<std::size_t>(j)];
    if (other.of[0] == joint || other.of[1] == joint) remove_joint(spec, j);
  }
  erase_at(spec.joints, static_cast<std::size_t>(joint));
  for (JointSpec& other : spec.joints)
    for (int& of : other.of) of = moved(of);
  std::erase_if(spec.drivers, [&](const DriverSpec& d) {
    return (d.kind == DriverSpec::Kind::joint || d.kind == DriverSpec::Kind::speed) && d.of == joint;
  });
  for (DriverSpec& d : spec.drivers)
    if (d.kind == DriverSpec::Kind::joint || d.kind == DriverSpec::Kind::speed) d.of = moved(d.of);
  std::erase_if(spec.forces, [&](const ForceSpec& f) { return f.joint == joint; });
  for (ForceSpec& f : spec.forces) {
    f.joint = moved(f.joint);
    for (LawSpec& law : f.laws) {
      std::erase_if(law.signals, [&](const LawSpec::Signal& s) { return s.joint == joint; });
      for (LawSpec::Signal& s : law.signals) s.joint = moved(s.joint);
    }
  }
}

void remove_body(Specification& spec, int body) {
  for (int j = static_cast<int>(spec.joints.size()) - 1; j >= 0; --j) {
    if (j >= static_cast<int>(spec.joints.size())) continue;
    const JointSpec& joint = spec.joints[static_cast<std::size_t>(j)];
    if (joint.of[0] < 0 && (joint.a == body || joint.b == body)) remove_joint(spec, j);
  }
  const auto touches = [&](const auto& part) { return part.a == body || part.b == body; };
  std::erase_if(spec.forces, [&](const ForceSpec& f) { return f.joint < 0 && touches(f); });
  std::erase_if(spec.drivers, [&](const DriverSpec& d) {
    return touches(d) || (d.kind == DriverSpec::Kind::body_angle && d.of == body);
  });
  const auto move = [&](int& k) { k = k > body ? k - 1 : k; };
  for (JointSpec& j : spec.joints) move(j.a), move(j.b);
  for (ForceSpec& f : spec.forces) {
    if (f.a == body) f.a = 0;
    move(f.a), move(f.b);
  }
  for (DriverSpec& d : spec.drivers) {
    move(d.a), move(d.b);
    if (d.kind == DriverSpec::Kind::body_angle) move(d.of);
  }
  erase_at(spec.bodies, static_cast<std::size_t>(body));
}

// To two digits of a unit.
Vector3d rounded(const Vector3d& v, double unit) {
  const double grain = std::pow(10, std::floor(std::log10(unit)) - 1);
  return {grain * std::round(v.x() / grain), grain * std::round(v.y() / grain),
          grain * std::round(v.z() / grain)};
}

// Joints that may be moved without any other of their places.
bool moves_freely(Kind kind) { return kind <= Kind::distance && kind != Kind::universal; }

std::vector<Change> removals(const Specification& spec) {
  std::vector<Change> out;
  for (int b = static_cast<int>(spec.bodies.size()) - 1; b >= 0 && spec.bodies.size() > 1; --b)
    out.emplace_back([b](Specification& s) { remove_body(s, b); });
  for (std::size_t i = spec.forces.size(); i-- > 0;)
    out.emplace_back([i](Specification& s) { erase_at(s.forces, i); });
  for (std::size_t i = spec.drivers.size(); i-- > 0;)
    out.emplace_back([i](Specification& s) { erase_at(s.drivers, i); });
  for (int j = static_cast<int>(spec.joints.size()) - 1; j >= 0; --j)
    out.emplace_back([j](Specification& s) { remove_joint(s, j); });
  return out;
}

std::vector<Change> simplifications(const Specification& spec) {
  std::vector<Change> out;
  out.emplace_back([](Specification& s) { s.gravity.setZero(); });
  out.emplace_back([](Specification& s) { s.duration *= 0.5; });
  out.emplace_back([](Specification& s) {
    for (BodySpec& b : s.bodies) b.given = false;
  });
  for (std::size_t b = 0; b < spec.bodies.size(); ++b) {
    out.emplace_back([b](Specification& s) { s.bodies[b].given = false; });
    out.emplace_back([b](Specification& s) { s.bodies[b].com.setZero(); });
    out.emplace_back([b](Specification& s) { s.bodies[b].rotor_inertia = 0; });
    out.emplace_back(
        [b](Specification& s) { s.bodies[b].mass = std::pow(10, std::round(std::log10(s.bodies[b].mass))); });
    out.emplace_back([b](Specification& s) {
      BodySpec& body = s.bodies[b];
      body.inertia = Matrix3d(Vector3d::Constant(0.1 * body.mass * body.size * body.size).asDiagonal());
    });
    out.emplace_back([b](Specification& s) { s.bodies[b].position = rounded(s.bodies[b].position, s.size); });
    if (!spec.planar) out.emplace_back([b](Specification& s) { s.bodies[b].orientation.setIdentity(); });
  }
  for (std::size_t j = 0; j < spec.joints.size(); ++j) {
    if (!moves_freely(spec.joints[j].kind)) continue;
    out.emplace_back([j](Specification& s) {
      s.joints[j].at = rounded(s.joints[j].at, s.size),
      s.joints[j].second = rounded(s.joints[j].second, s.size);
    });
    out.emplace_back([j](Specification& s) { s.joints[j].axis = rounded(s.joints[j].axis, 1); });
  }
  for (std::size_t i = 0; i < spec.forces.size(); ++i) {
    out.emplace_back([i](Specification& s) { s.forces[i].damping = s.forces[i].preload = 0; });
    out.emplace_back([i](Specification& s) {
      for (LawSpec& law : s.forces[i].laws)
        law.amplitude = law.frequency = law.phase = 0, law.signals.clear();
    });
  }
  return out;
}

bool same(const Specification& a, const Specification& b) {
  if (a.duration != b.duration || a.gravity != b.gravity) return false;
  for (std::size_t k = 0; k < a.bodies.size(); ++k) {
    const BodySpec &x = a.bodies[k], &y = b.bodies[k];
    if (x.given != y.given || x.com != y.com || x.rotor_inertia != y.rotor_inertia || x.mass != y.mass ||
        x.inertia != y.inertia || x.position != y.position ||
        !x.orientation.coeffs().isApprox(y.orientation.coeffs(), 0))
      return false;
  }
  for (std::size_t k = 0; k < a.joints.size(); ++k)
    if (a.joints[k].at != b.joints[k].at || a.joints[k].second != b.joints[k].second ||
        a.joints[k].axis != b.joints[k].axis)
      return false;
  for (std::size_t k = 0; k < a.forces.size(); ++k) {
    const ForceSpec &x = a.forces[k], &y = b.forces[k];
    if (x.damping != y.damping || x.preload != y.preload) return false;
    for (int i = 0; i < 3; ++i)
      if (x.laws[i].amplitude != y.laws[i].amplitude || x.laws[i].signals.size() != y.laws[i].signals.size())
        return false;
  }
  return true;
}

}  // namespace

Specification shrink(Specification spec, const std::function<bool(Specification&)>& fails) {
  int left = kMostCandidates;
  const auto improve = [&](const std::vector<Change>& changes) {
    for (const Change& change : changes) {
      Specification candidate = spec;
      change(candidate);
      const bool fewer =
          candidate.bodies.size() < spec.bodies.size() || candidate.joints.size() < spec.joints.size() ||
          candidate.forces.size() < spec.forces.size() || candidate.drivers.size() < spec.drivers.size();
      if (!fewer && same(candidate, spec)) continue;
      if (left-- <= 0) return false;
      if (!fails(candidate)) continue;
      spec = candidate;
      return true;
    }
    return false;
  };
  while (improve(removals(spec))) {
  }
  while (improve(simplifications(spec))) {
  }
  return spec;
}

}  // namespace trammel::campaigns::random
