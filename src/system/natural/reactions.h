// Reactions: the force and torque that each joint exerts on each of its bodies.
//
// Rows of a joint act on material points (force f there) and material vectors w (torque w × f). A shared
// point or vector has no row of its own: what a body must receive there is its balance
//
//   R_b = M_b a + (own rigidity)ᵀλ − Q_b − (rows of joints)
//
// at that element; a body that has the place outside its basis receives what the rows that tie it there give.
// SharedFlows divides R_b among the joints that meet in the place.
//
// Members of NaturalSystem, for natural_system.cpp, which instantiates them.
#pragma once

#include <Eigen/Dense>
#include <algorithm>

#include "system/natural/natural_system.h"
#include "system/natural/wrench_sum.h"

namespace trammel::system {

template <int D>
typename NaturalSystem<D>::Balance NaturalSystem<D>::no_balance() const {
  Balance balance;
  for (const NaturalBody<D>& body : parts_.basis.bodies())
    balance.emplace_back(body.elements.size(), math::Vec<D>::Zero());
  return balance;
}

// A force on a material of a body leaves less for its joints to give.
template <int D>
void NaturalSystem<D>::take(Balance& balance, const Material<D>& on, const math::Vec<D>& force) const {
  if (on.body <= kGroundBody) return;
  const auto b = static_cast<std::size_t>(on.body);
  const std::vector<int>& own = parts_.basis.bodies()[b].elements;
  for (const auto& term : on.form.terms)
    for (std::size_t i = 0; i < own.size(); ++i)
      if (own[i] == term.element) balance[b][i] -= term.weight.transposed(force);
}

template <int D>
void NaturalSystem<D>::take_rows(Balance& balance, const Motion<D>& m, const double* lambda) const {
  for_each_part(parts_.constraints, [&](const auto& part) {
    part.sides(m, lambda,
               [&](const Material<D>& on, const math::Vec<D>& force) { take(balance, on, force); });
    lambda += part.rows();
  });
}

template <int D>
typename NaturalSystem<D>::Balance NaturalSystem<D>::body_balance(const State& s, const Motion<D>& m) const {
  const auto& bodies = parts_.basis.bodies();
  const Elements<D> a = elements(s.a, false);
  Balance balance = no_balance();
  for (std::size_t b = 1; b < bodies.size(); ++b) {
    const NaturalBody<D>& body = bodies[b];
    for (std::size_t i = 0; i < body.elements.size(); ++i)
      for (std::size_t j = 0; j < body.elements.size(); ++j)
        balance[b][i] += body.inertia[i][j] * math::Vec<D>(a[body.elements[j]]);
    take(balance, com_[b], math::Vec<D>(body.mass * math::narrow<D>(mechanism_.gravity)));
  }
  for_each_part(parts_.forces, [&](const auto& part) {
    part.sides(m, [&](const Material<D>& on, const math::Vec<D>& force) { take(balance, on, force); });
  });
  take_armatures(balance, s, m);
  take_rows(balance, m, s.lambda.data());
  return balance;
}

template <int D>
void NaturalSystem<D>::act_rows(const Motion<D>& m, const double* lambda, WrenchSum<D>& sum) const {
  std::size_t row = 0;
  for_each_part(parts_.constraints, [&](const auto& part) {
    const RowRole& role = parts_.roles[row];
    if (role.reaction >= 0 && role.place < 0)
      part.sides(m, lambda + row, [&](const Material<D>& on, const math::Vec<D>& force) {
        sum.act(role.reaction, on.body, on.is_point, math::widen<D>(on.form(m.x)), math::widen<D>(force));
      });
    row += static_cast<std::size_t>(part.rows());
  });
}

// Where a shared point is now, or which way a shared vector points.
template <int D>
Vec3 NaturalSystem<D>::shared_place(const SharedPlace& place, const Motion<D>& m) const {
  if (place.element >= 0) return math::widen<D>(math::Vec<D>(m.x[place.element]));
  const BodyNode& first = parts_.basis.nodes()[static_cast<std::size_t>(place.nodes.front())];
  return math::widen<D>(parts_.basis.material(first.body, first.is_point, first.local).form(m.x));
}

template <int D>
std::vector<Eigen::MatrixXd> NaturalSystem<D>::received(const Balance& balance, const Motion<D>& m,
                                                        const double* lambda) const {
  std::vector<Eigen::MatrixXd> R;
  const auto add = [&](std::size_t place, int body, const math::Vec<D>& force) {
    const std::vector<int>& bodies = flows_[place].bodies();
    const auto at = std::ranges::lower_bound(bodies, body);
    if (at != bodies.end() && *at == body) R[place].col(at - bodies.begin()) += force;
  };
  for (std::size_t p = 0; p < flows_.size(); ++p) {
    R.emplace_back(Eigen::MatrixXd::Zero(D, static_cast<Eigen::Index>(flows_[p].bodies().size())));
    const int element = parts_.basis.places()[p].element;
    for (const int body : flows_[p].bodies()) {
      const auto b = static_cast<std::size_t>(body);
      const std::vector<int>& own = parts_.basis.bodies()[b].elements;
      if (const auto at = std::ranges::find(own, element); element >= 0 && at != own.end())
        add(p, body, balance[b][static_cast<std::size_t>(at - own.begin())]);
    }
  }
  // A tied body receives the opposite of what its rows do to the place, or to the body that stands for it.
  std::size_t row = 0;
  for_each_part(parts_.constraints, [&](const auto& part) {
    const RowRole& role = parts_.roles[row];
    if (role.place >= 0)
      part.sides(m, lambda + row, [&](const Material<D>& on, const math::Vec<D>& force) {
        if (on.body == role.tied) return;
        add(static_cast<std::size_t>(role.place), role.tied, -force);
        if (on.body != kNoBody) add(static_cast<std::size_t>(role.place), on.body, force);
      });
    row += static_cast<std::size_t>(part.rows());
  });
  return R;
}

template <int D>
void NaturalSystem<D>::act_flows(const Motion<D>& m, const double* lambda, const Balance& balance,
                                 WrenchSum<D>& sum) const {
  const std::vector<Eigen::MatrixXd> R = received(balance, m, lambda);
  for (std::size_t p = 0; p < flows_.size(); ++p) {
    const SharedPlace& place = parts_.basis.places()[p];
    const Eigen::MatrixXd f = flows_[p].divide(R[p]);
    const Vec3 at = shared_place(place, m);
    for (std::size_t k = 0; k < flows_[p].flows().size(); ++k)
      sum.act(flows_[p].flows()[k].joint, flows_[p].flows()[k].body, place.is_point, at,
              math::widen<D>(math::Vec<D>(f.col(static_cast<Eigen::Index>(k)))));
  }
}

template <int D>
Mat3 NaturalSystem<D>::joint_axes(const ReactionPlace& place, const State& s) const {
  if (place.line) {
    const auto at = [&](const ReactionPlace::Side& side) {
      return math::widen<D>(parts_.basis.material(side.body, true, side.at).form(elements(s.q, true)));
    };
    const Vec3 along = (at(place.line->second) - at(place.line->first)).normalized();
    Mat3 axes;
    axes.col(0) = along;
    axes.col(2) = D == 2 ? Vec3(Vec3::UnitZ()) : along.unitOrthogonal();
    axes.col(1) = axes.col(2).cross(along);
    return axes;
  }
  if (place.moving >= 0)
    return moving_frame(parts_, parts_.moving[static_cast<std::size_t>(place.moving)], elements(s.q, true))
        .axes;
  if (place.axes_body == kGroundBody) return place.axes;
  return body_axes(static_cast<std::size_t>(place.axes_body), s) * place.axes;
}

// One wrench per joint on its first moving body; one per body where three or more meet.
template <int D>
std::vector<Wrench> NaturalSystem<D>::reported(const State& s, const WrenchSum<D>& sum) const {
  std::vector<Wrench> all;
  for (std::size_t r = 0; r < parts_.reactions.size(); ++r) {
    const ReactionPlace& place = parts_.reactions[r];
    const bool many = place.sides.size() > 2;
    for (std::size_t k = 0; k < place.sides.size(); ++k) {
      if (k == 0 && place.sides[k].body == kGroundBody && place.sides.size() == 2) continue;
      all.push_back({place.name, parts_.basis.bodies()[static_cast<std::size_t>(place.sides[k].body)].name,
                     !many, sum.force(r, k), sum.torque(r, k), joint_axes(place, s)});
      if (!many) break;
    }
  }
  return all;
}

template <int D>
std::vector<Wrench> NaturalSystem<D>::reactions(const State& s, Terms& terms) const {
  evaluate_measures(s, terms, false, false);
  const Motion<D> m = motion(s, terms);
  WrenchSum<D> sum(parts_, m);
  act_rows(m, s.lambda.data(), sum);
  act_flows(m, s.lambda.data(), body_balance(s, m), sum);
  return reported(s, sum);
}

template <int D>
std::vector<Reading> NaturalSystem<D>::efforts_of(const Motion<D>& m, const double* lambda) const {
  std::vector<Reading> by_reaction;
  for (const ReactionPlace& place : parts_.reactions)
    by_reaction.push_back({place.name, place.is_tension ? "tension" : "effort", place.effort_unit, 0});
  std::size_t row = 0;
  for_each_part(parts_.constraints, [&](const auto& part) {
    if constexpr (requires { part.effort(m, 0.0, std::size_t{0}); }) {
      const auto r = static_cast<std::size_t>(parts_.roles[row].reaction);
      const ReactionPlace& place = parts_.reactions[r];
      by_reaction[r].value = (place.is_tension ? -1 : 1) * part.effort(m, lambda[row], place.effort_part);
    }
    row += static_cast<std::size_t>(part.rows());
  });
  std::erase_if(by_reaction, [](const Reading& r) { return r.unit.empty(); });
  return by_reaction;
}

template <int D>
std::vector<Reading> NaturalSystem<D>::efforts(const State& s, Terms& terms) const {
  if (std::ranges::all_of(parts_.reactions, [](const ReactionPlace& p) { return p.effort_unit.empty(); }))
    return {};
  evaluate_measures(s, terms, false, false);
  const Motion<D> m = motion(s, terms);
  std::vector<Reading> all = efforts_of(m, s.lambda.data());
  for (const SlippingEffort& one : parts_.slipping) {
    const std::string& name = parts_.reactions[one.reaction].name;
    std::ranges::find(all, name, &Reading::object)->value =
        one.sign * one.capacity.value(m.signals, m.scratch);
  }
  return all;
}

}  // namespace trammel::system
