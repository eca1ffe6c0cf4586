// Joints as shared places and constraint rows; rigidity of bodies.
//
// Members of Lowering, for lowering.cpp, which instantiates them.
#pragma once

#include <fmt/format.h>

#include <Eigen/Dense>
#include <numbers>
#include <stdexcept>

#include "mechanism/couplers.h"
#include "system/natural/lowering.h"

namespace trammel::system {

template <int D>
void Lowering<D>::share(int j, bool is_point, int axis) {
  const Joint& joint = mechanism_.joints[static_cast<std::size_t>(j)];
  const auto node = [&](const Marker& m) {
    if (is_point) return point_node(m);
    if (const Body* b = mechanism_.body(m.body); b && b->kind == Body::Kind::point_mass)
      throw std::invalid_argument(
          fmt::format("joint '{}': '{}' is a point mass and has no axes; use a spherical, point-on-line or "
                      "point-on-plane joint",
                      joint.name, m.body));
    return parts_.basis.node(body(m), false, m.frame.axes.col(axis));
  };
  for (std::size_t k = 1; k < joint.markers.size(); ++k) {
    const Marker &first = joint.markers[0], &other = joint.markers[k];
    if (joint.shares && parts_.basis.unite(node(first), node(other), j)) continue;
    refused_.push_back({j, is_point, axis, 0, k});
    // Ground's own vectors across are there for the asking.
    for (const Marker* m : {&first, &other})
      if (!is_point && body(*m) == kGroundBody)
        for (int across : {1, 2}) vector_node(*m, (axis + across) % 3);
  }
}

template <int D>
void Lowering<D>::name_joint_places(int j) {
  using Kind = Joint::Kind;
  const Joint& joint = mechanism_.joints[static_cast<std::size_t>(j)];
  ReactionPlace place{joint.name, {}};
  for (const Marker& m : joint.markers) {
    place.sides.push_back({body(m), m.frame.at});
    point_node(m);
  }
  parts_.reactions.push_back(std::move(place));
  set_axes(j);
  const auto all_axes = [&](const Marker& m, std::initializer_list<int> axes) {
    for (int axis : axes) vector_node(m, axis);
  };
  switch (joint.kind) {
    case Kind::pin:
    case Kind::spherical:
      return share(j, true, 0);
    case Kind::revolute:
      share(j, true, 0);
      if (D == 3) share(j, false, 2);
      return;
    case Kind::fixed:
      share(j, true, 0);
      for (const Marker& m : joint.markers) all_axes(m, {0, 1, 2});
      return;
    case Kind::universal:
      share(j, true, 0);
      for (const Marker& m : joint.markers) all_axes(m, {2});
      return;
    case Kind::constant_velocity:
      share(j, true, 0);
      for (const Marker& m : joint.markers) all_axes(m, {0, 1});
      return;
    case Kind::screw_pair:
      name_coordinate(joint, true);
      return name_coordinate(joint, false);
    case Kind::prismatic:
    case Kind::cylindrical:
      if (D == 3) share(j, false, 2);
      all_axes(joint.markers[1], {0, 1});
      if (joint.kind == Kind::prismatic) all_axes(joint.markers[0], {0});
      return;
    case Kind::planar:
      return share(j, false, 2);
    case Kind::point_on_line:
      return all_axes(joint.markers[1], {0, 1});
    case Kind::point_on_plane:
      return all_axes(joint.markers[1], {2});
    case Kind::knife_edge:
    case Kind::velocity_along:
    case Kind::rolling:
    case Kind::rolling_disk:
      return name_contact_places(joint);
    case Kind::pursuit:
      parts_.reactions.back().sides.pop_back();  // only the pursuer is held
      return;
    case Kind::point_on_curve:
      for (int axis = 0; axis < D; ++axis) vector_node(joint.markers[1], axis);
      return;
    case Kind::gear_pair:
    case Kind::rack_pair:
    case Kind::bevel_pair:
    case Kind::worm_pair:
      return name_gear_places(joint);
    case Kind::belt:
      return name_pulley_places(joint.markers[0], joint.markers[1]);
    case Kind::cam:
      return name_cam_places(joint);
    case Kind::distance:
    case Kind::gear:
    case Kind::screw:
    case Kind::rack:
    case Kind::coupler:
    case Kind::velocity:
      return;
  }
}

// Where a joint's coordinate is measured: in the second marker. A knife edge has its own directions, a
// distance and a pursuit have a line.
template <int D>
void Lowering<D>::set_axes(int j) {
  using Kind = Joint::Kind;
  const Joint& joint = mechanism_.joints[static_cast<std::size_t>(j)];
  if (joint.markers.size() < 2) return;
  ReactionPlace& place = parts_.reactions[static_cast<std::size_t>(j)];
  if (joint.kind == Kind::distance) place.line = {place.sides[1], place.sides[0]};
  if (joint.kind == Kind::pursuit) place.line = {place.sides[0], place.sides[1]};
  const bool own = joint.kind == Kind::knife_edge || joint.kind == Kind::velocity_along;
  const Marker& marker = joint.markers[own ? 0 : 1];
  place.axes_body = body(marker);
  place.axes = marker.frame.axes;
}

template <int D>
void Lowering<D>::set_effort(int reaction, int measure, std::size_t part) {
  ReactionPlace& place = parts_.reactions[static_cast<std::size_t>(reaction)];
  const bool angle = parts_.measures[static_cast<std::size_t>(measure)].kind() == MeasureKind::angle;
  place.effort_unit = angle ? "N.m" : "N";
  place.effort_part = part;
}

template <int D>
RowOwner Lowering<D>::owner(int reaction, double scale, bool is_angle) const {
  const auto count = mechanism_.joints.size();
  const auto r = static_cast<std::size_t>(reaction);
  const std::string& name = parts_.reactions[r].name;
  if (r < count) return {RowOwner::Kind::joint, name, scale, {name}, is_angle};
  return {RowOwner::Kind::driver, name, scale, {name}, is_angle};
}

template <int D>
void Lowering<D>::add_dot(RowRole role, const Slot<D>& u, const Slot<D>& w, double factor, double constant,
                          double scale, bool is_angle) {
  pool<Dot<D>>().emplace_back(u, w, factor, constant, parts_.basis.free_elements());
  made<Dot<D>>(owner(role.reaction, scale, is_angle), role);
}

template <int D>
void Lowering<D>::add_coincident(RowRole role, const Slot<D>& difference, double scale) {
  pool<Coincident<D>>().emplace_back(difference, parts_.basis.free_elements());
  for (int i = 0; i < D; ++i) made<Coincident<D>>(owner(role.reaction, scale), role);
}

template <int D>
void Lowering<D>::add_coupled(int reaction, std::vector<typename Coupled<D>::Part> parts,
                              expressions::Expression f, double scale, bool is_angle) {
  pool<Coupled<D>>().emplace_back(std::move(parts), std::move(f), parts_.measures);
  made<Coupled<D>>(owner(reaction, scale, is_angle), {reaction});
}

// The basis of a body stays rigid: d_i·d_j = const for its directions.
template <int D>
void Lowering<D>::body_rows() {
  const Basis<D>& basis = parts_.basis;
  std::map<std::pair<int, int>, std::vector<std::string>> joints_at;  // by element and body
  for (const SharedPlace& place : basis.places())
    for (const auto& meeting : place.meetings)
      for (const int b : meeting.bodies)
        joints_at[{place.element, b}].push_back(
            mechanism_.joints[static_cast<std::size_t>(meeting.joint)].name);
  std::set<int> unit;  // vectors whose length is already kept

  for (std::size_t b = 1; b < basis.bodies().size(); ++b) {
    const NaturalBody<D>& body = basis.bodies()[b];
    const auto own = [&](std::size_t k) {
      Material<D> m = basis.element(body.elements[k]);
      m.body = static_cast<int>(b);
      return m;
    };
    std::vector<Slot<D>> slot;
    for (std::size_t k = 1; k < body.elements.size(); ++k)
      slot.push_back(body.is_point[k] ? Slot<D>::between(own(0), own(k)) : Slot<D>::of(own(k)));
    for (std::size_t i = 0; i < slot.size(); ++i)
      for (std::size_t k = i; k < slot.size(); ++k) {
        std::vector<int> elements{body.elements[i + 1], body.elements[k + 1]};
        if (body.is_point[i + 1] || body.is_point[k + 1]) elements.push_back(body.elements[0]);
        sort_unique(elements);
        const Vec3 di = body.directions.col(static_cast<Eigen::Index>(i));
        const Vec3 dk = body.directions.col(static_cast<Eigen::Index>(k));
        if (elements.front() >= basis.free_elements()) {
          // Held by ground alone: it must fit there.
          const auto held = [&](std::size_t n) {
            const Vec3 at = basis.initial(body.elements[n]);
            return body.is_point[n] ? Vec3(at - basis.initial(body.elements[0])) : at;
          };
          if (std::abs(held(i + 1).dot(held(k + 1)) - di.dot(dk)) > 1e-6 * di.norm() * dk.norm())
            throw std::invalid_argument(
                fmt::format("body '{}' is held by ground at places that do not fit its own geometry; check "
                            "its length and points",
                            body.name));
          parts_.held.emplace_back(slot[i], slot[k], i == k ? 0.5 : 1.0, di.dot(dk), basis.free_elements());
          continue;
        }
        if (i == k && !body.is_point[i + 1] && !unit.insert(body.elements[i + 1]).second) continue;
        RowOwner row{RowOwner::Kind::body, body.name, di.norm() * dk.norm(), {}};
        for (int e : elements)
          for (const std::string& name : joints_at[{e, static_cast<int>(b)}])
            if (std::find(row.joints.begin(), row.joints.end(), name) == row.joints.end())
              row.joints.push_back(name);
        pool<Dot<D>>().emplace_back(slot[i], slot[k], i == k ? 0.5 : 1.0, di.dot(dk), basis.free_elements());
        made<Dot<D>>(row, {});
      }
  }
}

// Makes two places one: points coincide; vectors are parallel, by being perpendicular to two of b's own.
template <int D>
void Lowering<D>::tie(RowRole role, const Material<D>& a, const Material<D>& b, const Vec3& local_b) {
  if (a.is_point) return add_coincident(role, difference(a, b), length_scale_);
  const Vec3 e1 = local_b.unitOrthogonal(), e2 = local_b.cross(e1);
  const auto m1 = parts_.basis.find(b.body, false, e1), m2 = parts_.basis.find(b.body, false, e2);
  if (!m1 || !m2) return add_coincident(role, difference(a, b), 1);
  add_dot(role, Slot<D>::of(a), Slot<D>::of(*m1), 1, 0, 1, true);
  add_dot(role, Slot<D>::of(a), Slot<D>::of(*m2), 1, 0, 1, true);
}

// Bodies that see a shared place from outside their basis.
template <int D>
void Lowering<D>::shared_rows() {
  const Basis<D>& basis = parts_.basis;
  for (std::size_t p = 0; p < basis.places().size(); ++p) {
    const SharedPlace& place = basis.places()[p];
    const auto of = [&](int n) {
      const BodyNode& node = basis.nodes()[static_cast<std::size_t>(n)];
      return basis.material(node.body, node.is_point, node.local);
    };
    std::optional<Material<D>> reference;
    if (place.element >= 0) reference = basis.element(place.element);
    for (int n : place.nodes) {
      const BodyNode& node = basis.nodes()[static_cast<std::size_t>(n)];
      if (node.basis) continue;
      if (!reference) {
        reference = of(n);
        continue;
      }
      tie({node.joint, static_cast<int>(p), node.body}, *reference, of(n), node.local);
    }
  }
}

// Places that a joint could not share.
template <int D>
void Lowering<D>::refused_rows() {
  for (const Refused& r : refused_) {
    const Joint& joint = mechanism_.joints[static_cast<std::size_t>(r.joint)];
    const Marker &a = joint.markers[r.first], &b = joint.markers[r.second];
    const bool b_is_ground = body(b) == kGroundBody;
    const Marker &from = b_is_ground ? b : a, &to = b_is_ground ? a : b;
    if (r.is_point)
      add_coincident({r.joint}, gap(from, to), length_scale_);
    else
      make_parallel(r.joint, from, to, r.axis);
  }
}

// An axis of one is perpendicular to two of the other, which must have them: a thin rod has not.
template <int D>
void Lowering<D>::make_parallel(int j, const Marker& a, const Marker& b, int axis) {
  for (const auto& [from, to] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    const auto across = [&, m = to](int k) {
      return parts_.basis.find(body(*m), false, m->frame.axes.col((axis + k) % 3));
    };
    const auto first = across(1), second = across(2);
    if (!first || !second) continue;
    for (const Material<D>& other : {*first, *second})
      add_dot({j}, Slot<D>::of(vector(*from, axis)), Slot<D>::of(other), 1, 0, 1, true);
    return;
  }
  add_coincident({j}, difference(vector(a, axis), vector(b, axis)), 1);
}

// What sharing cannot say.
template <int D>
void Lowering<D>::joint_rows(int j) {
  using Kind = Joint::Kind;
  const Joint& joint = mechanism_.joints[static_cast<std::size_t>(j)];
  if (joint.kind == Kind::velocity) return velocity_rows(j);
  if (joint.markers.size() < 2) return coupler_rows(j);
  const Marker &a = joint.markers[0], &b = joint.markers[1];
  const auto vec = [&](const Marker& m, int axis) { return Slot<D>::of(vector(m, axis)); };
  // (r_a − r_b)·e = 0: the first point has no displacement along an axis of the second body
  const auto no_displacement = [&](int axis) { add_dot({j}, gap(b, a), vec(b, axis), 1, 0, length_scale_); };
  const auto perpendicular = [&](int axis_a, int axis_b) {
    add_dot({j}, vec(a, axis_a), vec(b, axis_b), 1, 0, 1, true);
  };
  switch (joint.kind) {
    case Kind::pin:
    case Kind::spherical:
    case Kind::revolute:
      return;
    case Kind::universal:
      return perpendicular(2, 2);
    case Kind::fixed:
      perpendicular(0, 1);
      if (D == 3) {
        perpendicular(1, 2);
        perpendicular(2, 0);
      }
      return;
    case Kind::prismatic:
      perpendicular(0, 1);
      [[fallthrough]];
    case Kind::cylindrical:
    case Kind::point_on_line:
      no_displacement(1);
      if (D == 3) no_displacement(0);
      return;
    case Kind::planar:
    case Kind::point_on_plane:
      return no_displacement(2);
    case Kind::distance: {
      const Slot<D> d = gap(b, a);
      return add_dot({j}, d, d, 0.5, joint.value * joint.value, joint.value * joint.value);
    }
    case Kind::point_on_curve: {
      typename OnCurve<D>::Axes axes;
      for (int k = 0; k < D; ++k) axes[static_cast<std::size_t>(k)] = vector(b, k);
      pool<OnCurve<D>>().emplace_back(
          gap(b, a), axes, std::make_shared<mechanism::SplineCurve>(joint.curve.through, joint.curve.closed),
          parts_.basis.free_elements());
      for (int k = 0; k < D - 1; ++k) made<OnCurve<D>>(owner(j, length_scale_), {j});
      return;
    }
    case Kind::gear_pair:
      return gear_pair_rows(j);
    case Kind::screw_pair:
      return screw_rows(j);
    case Kind::constant_velocity:
      return twist_row(j);
    case Kind::rack_pair:
      return rack_rows(j);
    case Kind::bevel_pair:
      return bevel_pair_rows(j);
    case Kind::worm_pair:
      return worm_pair_rows(j);
    case Kind::belt:
      return belt_rows(j);
    case Kind::cam:
      return cam_rows(j);
    case Kind::knife_edge:
    case Kind::velocity_along:
      return knife_edge_rows(j);
    case Kind::rolling:
    case Kind::rolling_disk:
      return rolling_rows(j);
    case Kind::pursuit:
      return pursuit_rows(j);
    case Kind::gear:
    case Kind::screw:
    case Kind::rack:
    case Kind::coupler:
    case Kind::velocity:
      return;
  }
}

// A thread: displacement − pitch/2π · angle = const, on both bodies.
template <int D>
void Lowering<D>::screw_rows(int j) {
  const Joint& joint = mechanism_.joints[static_cast<std::size_t>(j)];
  const int slide = joint_measure(joint, false), turn = joint_measure(joint, true);
  const double lead = joint.value / (2 * std::numbers::pi);
  add_coupled(j, {{slide, 1}, {turn, -lead}},
              expressions::Expression::constant(initial_value(slide) - lead * initial_value(turn)),
              length_scale_, false);
}

// Shafts that bend and do not twist: R, which takes the second's axes to the first's, is a rotation about an
// axis across both shafts, so that R_xy = R_yx. With the bend held still both turn by the same angle.
template <int D>
void Lowering<D>::twist_row(int j) {
  if constexpr (D == 3) {
    const Joint& joint = mechanism_.joints[static_cast<std::size_t>(j)];
    const Marker &a = joint.markers[0], &b = joint.markers[1];
    const auto of = [&](const Marker& m, int axis) { return Slot<D>::of(vector(m, axis)); };
    const int twist =
        measure(joint.name + ".twist", MeasureKind::rotation, {of(a, 0), of(b, 1), of(a, 1), of(b, 0)});
    add_coupled(j, {{twist, 1}}, expressions::Expression::constant(0), 1, true);
  }
}

// The coordinate of the first joint follows an expression of coordinates.
template <int D>
void Lowering<D>::relation_rows(int j) {
  const Joint& joint = mechanism_.joints[static_cast<std::size_t>(j)];
  const int follower = only_measure(joint.of.front());
  const expressions::Expression f = expression(joint.law.front());
  std::vector<int> variables;
  for (const int slot : f.slots())
    variables.push_back(parts_.sources[static_cast<std::size_t>(slot)].measure);
  parts_.expression_scratch = std::max(parts_.expression_scratch, Relation<D>::scratch_size(f));
  set_effort(j, follower);
  pool<Relation<D>>().emplace_back(follower, f, variables, parts_.measures);
  const bool angle = mechanism::has_angle(mechanism_, *mechanism_.joint(joint.of.front()));
  made<Relation<D>>(owner(j, angle ? 1 : length_scale_, angle), {j});
}

template <int D>
void Lowering<D>::add_armatures() {
  for (std::size_t j = 0; j < mechanism_.joints.size(); ++j)
    if (const Joint& joint = mechanism_.joints[j]; joint.armature != 0)
      parts_.armatures.push_back({only_measure(joint.name), joint.armature, static_cast<int>(j)});
}

template <int D>
void Lowering<D>::coupler_rows(int j) {
  const Joint& joint = mechanism_.joints[static_cast<std::size_t>(j)];
  if (joint.kind == Joint::Kind::coupler) return relation_rows(j);
  const std::vector<mechanism::CouplerTerm> terms = mechanism::coupler_terms(joint);
  if (terms.empty()) throw std::logic_error("a joint without markers that couples nothing");
  std::vector<typename Coupled<D>::Part> parts;
  double constant = joint.offset;
  for (const auto& [name, angle, coefficient] : terms) {
    const int measure = joint_measure(*mechanism_.joint(name), angle);
    parts.push_back({measure, coefficient});
    constant += coefficient * initial_coordinate(name, measure);
  }
  // The effort is the one on the first joint named.
  const std::size_t first = terms.front().joint == joint.of.front() ? 0 : 1;
  set_effort(j, parts[first].measure, first);
  add_coupled(j, std::move(parts), expressions::Expression::constant(constant),
              terms.front().angle ? 1 : length_scale_, terms.front().angle);
}

}  // namespace trammel::system
