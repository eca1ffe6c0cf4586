// What a person wants to see of a State: poses of bodies, named points, joint coordinates; and what the
// model file says of the initial velocity.
//
// Members of NaturalSystem, for natural_system.cpp, which instantiates them.
#pragma once

#include <Eigen/Dense>
#include <algorithm>

#include "math/rotations.h"
#include "mechanism/signals.h"
#include "system/natural/natural_system.h"

namespace trammel::system {

template <int D>
Pose NaturalSystem<D>::pose(std::size_t b, const State& s) const {
  const NaturalBody<D>& body = parts_.basis.bodies()[b];
  const Elements<D> x = elements(s.q, true), v = elements(s.v, false);
  Pose pose;
  pose.position = math::widen<D>(com_[b].form(x));
  pose.velocity = math::widen<D>(com_[b].form(v));

  // Directions of the basis now, and how fast they turn.
  const int r = body.rank();
  Eigen::MatrixXd d(3, r), dd(3, r);
  for (int k = 0; k < r; ++k) {
    const auto i = static_cast<std::size_t>(k) + 1;
    math::Vec<D> now = x[body.elements[i]], rate = v[body.elements[i]];
    if (body.is_point[i]) {
      now -= x[body.elements[0]];
      rate -= v[body.elements[0]];
    }
    d.col(k) = math::widen<D>(now);
    dd.col(k) = math::widen<D>(rate);
  }
  if (r == 0) return pose;
  if constexpr (D == 2) {
    const Vec3 from = body.directions.col(0);
    pose.angle = std::atan2(from.x() * d(1, 0) - from.y() * d(0, 0), from.x() * d(0, 0) + from.y() * d(1, 0));
    if (const int k = angle_of_body_[b]; k >= 0)
      pose.angle = with_turns(pose.angle, (*s.recall(kAngles))[static_cast<std::size_t>(k)]);
    pose.axes = Eigen::AngleAxisd(pose.angle, Vec3::UnitZ()).toRotationMatrix();
    pose.angular_velocity.z() = (d(0, 0) * dd(1, 0) - d(1, 0) * dd(0, 0)) / d.col(0).squaredNorm();
    return pose;
  }
  if (r == 1) {
    // A slender rod: no twist about its own axis.
    const Vec3 e = d.col(0), rate = dd.col(0);
    pose.axes = math::shortest_turn(body.directions.col(0), e);
    pose.angular_velocity = e.cross(rate) / e.squaredNorm();
    return pose;
  }
  // Two directions give the third.
  Mat3 from, now, rate;
  from.leftCols(r) = body.directions;
  now.leftCols(r) = d;
  rate.leftCols(r) = dd;
  if (r == 2) {
    from.col(2) = Vec3(from.col(0)).cross(Vec3(from.col(1)));
    now.col(2) = Vec3(now.col(0)).cross(Vec3(now.col(1)));
    rate.col(2) = Vec3(rate.col(0)).cross(Vec3(now.col(1))) + Vec3(now.col(0)).cross(Vec3(rate.col(1)));
  }
  const Mat3 to_axes = from.inverse();
  const Mat3 axes = now * to_axes, turning = rate * to_axes;
  // ω = ½ Σ e_k × ė_k
  for (int k = 0; k < 3; ++k) pose.angular_velocity += 0.5 * Vec3(axes.col(k)).cross(Vec3(turning.col(k)));
  pose.axes = math::nearest_rotation(axes);
  return pose;
}

template <int D>
Mat3 NaturalSystem<D>::body_axes(std::size_t b, const State& s) const {
  if constexpr (D == 3) return pose(b, s).axes;
  // In the plane its one direction tells, without a count of turns.
  const NaturalBody<D>& body = parts_.basis.bodies()[b];
  if (body.rank() == 0) return Mat3::Identity();
  const Elements<D> x = elements(s.q, true);
  math::Vec<D> now = x[body.elements[1]];
  if (body.is_point[1]) now -= x[body.elements[0]];
  const Vec3 from = body.directions.col(0), to = math::widen<D>(now);
  const double angle = std::atan2(from.cross(to).z(), from.dot(to));
  return Eigen::AngleAxisd(angle, Vec3::UnitZ()).toRotationMatrix();
}

template <int D>
std::string NaturalSystem<D>::coordinate_owner(int column) const {
  for (const NaturalBody<D>& body : parts_.basis.bodies())
    for (int e : body.elements)
      if (e == column / D) return "body '" + body.name + "'";
  return "the mechanism";
}

// Of the points that are elements themselves.
template <int D>
std::vector<std::string> NaturalSystem<D>::coordinate_names() const {
  std::vector<std::string> names(static_cast<std::size_t>(sizes_.v));
  for (const Point& point : mechanism_.points)
    for (const Marker& m : point.on) {
      const auto place = parts_.basis.find(parts_.basis.body_index(m.body), true, m.frame.at);
      if (!place || place->form.terms.size() != 1) continue;
      const auto column = static_cast<std::size_t>(D * place->form.terms.front().element);
      for (std::size_t axis = 0; axis < D && column + axis < names.size(); ++axis)
        names[column + axis] = point.name + "." + "xyz"[axis];
    }
  return names;
}

template <int D>
std::vector<Pose> NaturalSystem<D>::poses(const State& s) const {
  std::vector<Pose> all;
  for (std::size_t b = 1; b < parts_.basis.bodies().size(); ++b) all.push_back(pose(b, s));
  return all;
}

template <int D>
std::vector<Vec3> NaturalSystem<D>::point_positions(const State& s) const {
  std::vector<Vec3> all;
  for (const Point& point : mechanism_.points) {
    Vec3 at = point.at;
    for (const Marker& m : point.on) {
      const auto place = parts_.basis.find(parts_.basis.body_index(m.body), true, m.frame.at);
      if (!place) continue;
      at = math::widen<D>(place->form(elements(s.q, true)));
      break;
    }
    all.push_back(at);
  }
  return all;
}

template <int D>
std::vector<Reading> NaturalSystem<D>::readings(const State& s, Terms& terms) const {
  evaluate_measures(s, terms, false, true);
  read_late(s, terms);
  const Motion<D> m = motion(s, terms);
  std::vector<Reading> all;
  for (const JointReading& r : joint_readings_) {
    all.push_back({r.joint, r.quantity, r.unit, m.measure(r.measure).value()});
    all.push_back({r.joint, r.rate, r.unit + "/s", m.measure(r.measure).rate()});
  }
  for (std::size_t k = 0; k < mechanism_.states.size(); ++k)
    all.push_back({"", mechanism_.states[k].name, "", s.x[k]});
  for (const auto& [name, f] : parts_.outputs) all.push_back({"", name, "", f.value(m.signals, m.scratch)});
  return all;
}

// Variables that follow from the forces, after all measures. S̈ = ∇S·a + vᵀ∇²S v
template <int D>
void NaturalSystem<D>::read_late(const State& s, Terms& terms) const {
  using Kind = mechanism::Signal::Kind;
  if (parts_.late.empty()) return;
  const Motion<D> m = motion(s, terms);
  const auto any = [&](auto fits) {
    return std::ranges::any_of(parts_.late, [&](const LateSignal& late) { return fits(late.signal.kind); });
  };
  for (const LateSignal& late : parts_.late) {
    terms.signals[late.slot] = std::numeric_limits<double>::quiet_NaN();
    if (late.measure < 0) continue;
    const MeasureView<D> view = m.measure(late.measure);
    const std::vector<int> columns =
        columns_of<D>(parts_.measures[static_cast<std::size_t>(late.measure)].elements());
    double value = view.curvature();
    for (std::size_t k = 0; k < columns.size(); ++k)
      value += view.gradient()[k] * s.a[static_cast<std::size_t>(columns[k])];
    terms.signals[late.slot] = value;
  }
  std::vector<Wrench> wrenches;
  std::vector<Reading> efforts;
  if (any([](Kind kind) { return kind == Kind::reaction; })) wrenches = reactions(s, terms);
  if (any([](Kind kind) { return kind == Kind::effort; })) efforts = this->efforts(s, terms);
  for (const LateSignal& late : parts_.late) {
    const mechanism::Signal& signal = late.signal;
    if (signal.kind == Kind::effort)
      for (const Reading& effort : efforts)
        if (effort.object == signal.object) terms.signals[late.slot] = effort.value;
    if (signal.kind != Kind::reaction) continue;
    for (const Wrench& w : wrenches) {
      if (w.joint != signal.object || (!w.alone && w.body != signal.body)) continue;
      const Vec3& world = signal.torque ? w.torque : w.force;
      terms.signals[late.slot] = signal.joint_axes ? w.axes.col(signal.axis).dot(world) : world[signal.axis];
    }
  }
}

template <int D>
std::vector<ForceColumn> NaturalSystem<D>::force_columns() const {
  std::vector<ForceColumn> all;
  for (const ForceReport& report : parts_.force_reports) all.push_back(report.column);
  return all;
}

template <int D>
void NaturalSystem<D>::forces(const State& s, Terms& terms, std::span<double> values) const {
  if (parts_.force_reports.empty()) return;
  if (reads_signals_) evaluate_measures(s, terms, false, false);
  const Motion<D> m = motion(s, terms);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const ForceReport& report = parts_.force_reports[k];
    double F = 0;
    switch (report.part) {
      case ForceReport::Part::none:
        break;
      case ForceReport::Part::spring:
        F = springs()[report.index].force(m);
        break;
      case ForceReport::Part::effort:
        F = std::get<std::vector<Effort<D>>>(parts_.forces)[report.index].force(m);
        break;
      case ForceReport::Part::tendon:
        F = std::get<std::vector<TendonForce<D>>>(parts_.forces)[report.index].force(m);
        break;
      case ForceReport::Part::bushing:
        F = std::get<std::vector<BushingForce<D>>>(parts_.forces)[report.index].force(m, report.measure);
        break;
    }
    values[k] = report.sign * F;
  }
}

template <int D>
void NaturalSystem<D>::watch(const State& s, Terms& terms, std::span<double> values) const {
  evaluate_measures(s, terms, false, parts_.watches_late);
  if (parts_.watches_late) read_late(s, terms);
  const Motion<D> m = motion(s, terms);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = parts_.watched[k].value(m.signals, m.scratch);
}

template <int D>
std::vector<KnownVelocity> NaturalSystem<D>::known_velocities(const State& s) const {
  std::vector<KnownVelocity> all;
  const int free = parts_.basis.free_elements();
  const Elements<D> x = elements(s.q, true);
  // form·v = value, component by component
  const auto know = [&](const std::string& owner, const LinearForm<D>& form, const math::Vec<D>& value) {
    for (int i = 0; i < D; ++i) {
      KnownVelocity row{owner, {}, {}, value[i]};
      for (const auto& term : form.terms) {
        if (term.element >= free) continue;
        const math::Mat<D> w = term.weight.matrix();
        for (int k = 0; k < D; ++k) {
          if (w(i, k) == 0) continue;
          row.column.push_back(D * term.element + k);
          row.coefficient.push_back(w(i, k));
        }
      }
      all.push_back(std::move(row));
    }
  };
  for (const Point& point : mechanism_.points)
    if (point.velocity && !point.on.empty())
      know(point.name,
           parts_.basis.material(parts_.basis.body_index(point.on[0].body), true, point.on[0].frame.at).form,
           math::narrow<D>(*point.velocity));
  for (std::size_t b = 1; b < parts_.basis.bodies().size(); ++b) {
    const Body& source = mechanism_.bodies[b - 1];
    const NaturalBody<D>& body = parts_.basis.bodies()[b];
    if (source.velocity) know(source.name, com_[b].form, math::narrow<D>(*source.velocity));
    if (!source.angular_velocity) continue;
    for (std::size_t k = 1; k < body.elements.size(); ++k) {
      // ḋ = ω × d
      LinearForm<D> d = parts_.basis.element(body.elements[k]).form;
      if (body.is_point[k]) d = d.plus(parts_.basis.element(body.elements[0]).form, -1);
      know(source.name, d, math::narrow<D>(source.angular_velocity->cross(math::widen<D>(d(x)))));
    }
  }
  for (const Joint& joint : mechanism_.joints) {
    if (!joint.speed) continue;
    for (const char* quantity : {".angle", ".displacement"}) {
      const auto at = parts_.measure_by_name.find(joint.name + quantity);
      if (at == parts_.measure_by_name.end()) continue;
      const Measure<D>& m = parts_.measures[static_cast<std::size_t>(at->second)];
      std::vector<double> scratch(static_cast<std::size_t>(m.scratch_size()));
      m.evaluate(x, elements(s.v, false), scratch.data(), false);
      const MeasureView<D> view{scratch.data(), m.columns()};
      all.push_back({joint.name,
                     columns_of<D>(m.elements()),
                     {view.gradient(), view.gradient() + view.n},
                     *joint.speed});
      break;
    }
  }
  return all;
}

}  // namespace trammel::system
