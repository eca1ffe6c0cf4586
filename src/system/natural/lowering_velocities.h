// Joints of velocities as rows: knife edges, rolling contacts, pursuits, sums of rates.
//
// Members of Lowering, for lowering.cpp, which instantiates them.
#pragma once

#include <fmt/format.h>

#include <stdexcept>

#include "system/natural/lowering.h"

namespace trammel::system {

// J r, of a material of the plane or of a difference of two.
inline LinearForm<2> quarter_turned(const LinearForm<2>& form) {
  LinearForm<2> turned;
  for (const auto& term : form.terms) turned.add(term.element, {-term.weight.beta, term.weight.alpha});
  return turned;
}

// Axes that are elements of the body make short rows.
template <int D>
void Lowering<D>::name_contact_places(const Joint& joint) {
  const Marker &a = joint.markers.at(0), &b = joint.markers.at(1);
  const bool rolls = joint.kind == Joint::Kind::rolling || joint.kind == Joint::Kind::rolling_disk;
  for (int axis = 0; axis < D; ++axis) {
    if (rolls) vector_node(b, axis);
    if (rolls || axis == 1 || joint.kind == Joint::Kind::velocity_along) vector_node(a, axis);
  }
}

template <int D>
typename Slip<D>::Side Lowering<D>::slip_side(const Marker& m, bool turns) const {
  typename Slip<D>::Side side{point(m), {}};
  if (turns && body(m) != kGroundBody)
    for (int axis = 0; axis < D; ++axis) side.frame.push_back(vector(m, axis));
  return side;
}

// The scale of a speed: a length, or an angle of one, per second.
template <int D>
void Lowering<D>::add_slip(int reaction, Slip<D> slip, double scale) {
  for (int k = 0; k < slip.rows(); ++k) made<Slip<D>>(owner(reaction, scale), {reaction});
  pool<Slip<D>>().push_back(std::move(slip));
}

template <int D>
void Lowering<D>::knife_edge_rows(int j) {
  const Joint& joint = mechanism_.joints[static_cast<std::size_t>(j)];
  const Marker &a = joint.markers.at(0), &b = joint.markers.at(1);
  std::vector<LinearForm<D>> across{vector(a, 1).form};
  if (D == 3 && joint.kind == Joint::Kind::velocity_along) across.push_back(vector(a, 2).form);
  add_slip(j, {slip_side(a, false), slip_side(b, true), {}, std::move(across), parts_.basis.free_elements()},
           length_scale_);
}

template <int D>
void Lowering<D>::rolling_rows(int j) {
  const Joint& joint = mechanism_.joints[static_cast<std::size_t>(j)];
  const Marker &wheel = joint.markers.at(0), &plane = joint.markers.at(1);
  const int free = parts_.basis.free_elements();
  const Material<D> normal = vector(plane, D - 1);
  typename Slip<D>::Arm arm{joint.value, normal.form, {}};
  std::vector<LinearForm<D>> tangents{vector(plane, 0).form};
  if (D == 3) tangents.push_back(vector(plane, 1).form);
  const bool is_disk = joint.kind == Joint::Kind::rolling_disk;
  if (is_disk) arm.axis = vector(wheel, 2).form;
  if (joint.keeps_contact && !is_disk)
    add_dot({j}, gap(plane, wheel), Slot<D>::of(normal), 1, joint.value, length_scale_);
  if constexpr (D == 3)
    if (joint.keeps_contact && is_disk) {
      pool<DiskContact>().emplace_back(gap(plane, wheel), normal, vector(wheel, 2), joint.value, free);
      made<DiskContact>(owner(j, length_scale_), {j});
    }
  parts_.reactions[static_cast<std::size_t>(j)].contact = static_cast<int>(pool<Slip<D>>().size());
  add_slip(j, {slip_side(wheel, true), slip_side(plane, true), std::move(arm), std::move(tangents), free},
           length_scale_);
}

// (r_b − r_a) × v_a = 0: no velocity of a across the way to b, as seen from ground.
template <int D>
void Lowering<D>::pursuit_rows(int j) {
  if constexpr (D == 2) {
    const Joint& joint = mechanism_.joints[static_cast<std::size_t>(j)];
    const Marker &a = joint.markers.at(0), &b = joint.markers.at(1);
    add_slip(j, {slip_side(a, false), {}, {}, {quarter_turned(gap(a, b).form)}, parts_.basis.free_elements()},
             length_scale_ * length_scale_);
  } else {
    throw std::logic_error("a pursuit in space");
  }
}

template <int D>
typename RateSum<D>::Law Lowering<D>::rate_law(const std::string& text) const {
  typename RateSum<D>::Law law{expression(text), {}};
  for (int slot : law.f.slots()) law.sources.push_back(parts_.sources[static_cast<std::size_t>(slot)]);
  return law;
}

template <int D>
void Lowering<D>::add_rate_sum(int reaction, std::vector<typename RateSum<D>::Part> parts,
                               const std::string& f, double scale) {
  const MeasureKind first = parts_.measures[static_cast<std::size_t>(parts.front().measure)].kind();
  pool<RateSum<D>>().emplace_back(std::move(parts), rate_law(f), parts_.measures);
  made<RateSum<D>>(owner(reaction, scale, first == MeasureKind::angle), {reaction});
}

template <int D>
void Lowering<D>::velocity_rows(int j) {
  const Joint& joint = mechanism_.joints[static_cast<std::size_t>(j)];
  std::vector<typename RateSum<D>::Part> parts;
  bool all_angles = true;
  for (std::size_t k = 0; k < joint.of.size(); ++k) {
    const auto slot = static_cast<std::size_t>(expression(joint.of[k]).slots().front());
    parts.push_back({parts_.sources[slot].measure, rate_law(joint.law.at(k))});
    all_angles = all_angles &&
                 parts_.measures[static_cast<std::size_t>(parts.back().measure)].kind() == MeasureKind::angle;
  }
  set_effort(j, parts.front().measure);
  add_rate_sum(j, std::move(parts), joint.law.back(), all_angles ? 1 : length_scale_);
}

}  // namespace trammel::system
