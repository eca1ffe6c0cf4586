// Reactions: the force and torque that each joint exerts on each of its bodies.
//
// Rows of a joint act on material points (force f there) and material vectors w (torque w × f). A shared
// point or vector has no row of its own: what a body must receive there is its balance
//
//   B_b = M_b a + (own rigidity)ᵀλ − Q_b − (rows of joints)
//
// at that element. Where several joints or bodies meet in one element, the flows f_jb from joint j to body b
// obey Σ_j f_jb = B_b for every moving body that has the element in its basis, and Σ_b f_jb = 0 for every
// joint; the shortest solution is taken (unique where the joints form a tree).
#include <Eigen/Dense>
#include <map>

#include "system/natural/natural_system.h"

namespace trammel {
namespace {

struct Flow {
  int joint, body;
};

}  // namespace

template <int D>
typename NaturalSystem<D>::Balance NaturalSystem<D>::body_balance(const State& s, const Motion<D>& m) const {
  const auto& bodies = parts_.basis.bodies();
  const Elements<D> a = elements(s.a, false);
  Balance balance(bodies.size());
  for (std::size_t b = 1; b < bodies.size(); ++b) {
    const NaturalBody<D>& body = bodies[b];
    balance[b].assign(body.elements.size(), Vec<D>::Zero());
    for (std::size_t i = 0; i < body.elements.size(); ++i)
      for (std::size_t j = 0; j < body.elements.size(); ++j)
        balance[b][i] += body.inertia[i][j] * Vec<D>(a[body.elements[j]]);
  }
  // A force on a material of a body leaves less for its joints to give.
  const auto take = [&](const Material<D>& on, const Vec<D>& force) {
    if (on.body <= kGroundBody) return;
    const auto b = static_cast<std::size_t>(on.body);
    for (const auto& term : on.form.terms)
      for (std::size_t i = 0; i < bodies[b].elements.size(); ++i)
        if (bodies[b].elements[i] == term.element) balance[b][i] -= term.weight.transposed(force);
  };
  for (std::size_t b = 1; b < bodies.size(); ++b)
    take(com_[b], Vec<D>(bodies[b].mass * narrow<D>(mechanism_.gravity)));
  for_each_part(parts_.forces, [&](const auto& part) { part.sides(m, take); });
  std::size_t row = 0;
  for_each_part(parts_.constraints, [&](const auto& part) {
    part.sides(m, s.lambda.data() + row, take);
    row += static_cast<std::size_t>(part.rows());
  });
  return balance;
}

template <int D>
std::vector<Wrench> NaturalSystem<D>::reactions(const State& s, Terms& terms) const {
  evaluate_measures(s, terms, false, true);
  const Motion<D> m = motion(s, terms);
  const auto& bodies = parts_.basis.bodies();
  const Balance balance = body_balance(s, m);

  // Force and torque about the joint's place on the body.
  std::map<std::pair<int, int>, Wrench> sum;  // (reaction, body)
  const auto place_of = [&](int reaction, int body) {
    const ReactionPlace& place = parts_.reactions[static_cast<std::size_t>(reaction)];
    if (place.contact >= 0)
      return std::get<std::vector<Slip<D>>>(parts_.constraints)[static_cast<std::size_t>(place.contact)]
          .contact(m.x);
    for (const auto& side : place.sides)
      if (side.body == body) {
        const auto at = parts_.basis.find(body, true, side.at);
        return at ? widen<D>(at->form(m.x)) : Vec3(Vec3::Zero());
      }
    return Vec3(Vec3::Zero());
  };
  const auto act = [&](int reaction, int body, bool is_point, const Vec3& at, const Vec3& force) {
    Wrench& w = sum[{reaction, body}];
    if (is_point) {
      w.force += force;
      w.torque += (at - place_of(reaction, body)).cross(force);
    } else {
      w.torque += at.cross(force);
    }
  };

  // Rows. What a row does to a bare element counts against its joint.
  std::map<std::pair<int, int>, Vec<D>> given;  // (reaction, element): sum of what dependent bodies receive
  std::size_t row = 0;
  for_each_part(parts_.constraints, [&](const auto& part) {
    const int reaction = parts_.row_reaction[row];
    if (reaction >= 0)
      part.sides(m, s.lambda.data() + row, [&](const Material<D>& on, const Vec<D>& force) {
        if (on.body == kNoBody) {
          auto [at, fresh] = given.try_emplace({reaction, on.form.terms[0].element}, force);
          if (!fresh) at->second += force;
        } else {
          act(reaction, on.body, on.is_point, widen<D>(on.form(m.x)), widen<D>(force));
        }
      });
    row += static_cast<std::size_t>(part.rows());
  });

  // Shared elements: flows from joints to bodies.
  for (const SharedPlace& place : parts_.basis.places()) {
    if (place.element < 0) continue;
    std::vector<Flow> flows;
    for (const auto& meeting : place.meetings)
      for (int b : meeting.bodies)
        for (int n : place.nodes) {
          const BodyNode& node = parts_.basis.nodes()[static_cast<std::size_t>(n)];
          if (node.body == b && node.basis) flows.push_back({meeting.joint, b});
        }
    std::map<int, Eigen::Index> body_equation, joint_equation;
    Eigen::Index equations = 0;
    for (const Flow& flow : flows) {
      if (flow.body != kGroundBody && body_equation.try_emplace(flow.body, equations).second) ++equations;
      if (joint_equation.try_emplace(flow.joint, equations).second) ++equations;
    }
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(equations, static_cast<Eigen::Index>(flows.size()));
    Eigen::MatrixXd rhs = Eigen::MatrixXd::Zero(equations, D);
    for (std::size_t k = 0; k < flows.size(); ++k) {
      if (flows[k].body != kGroundBody) A(body_equation[flows[k].body], static_cast<Eigen::Index>(k)) = 1;
      A(joint_equation[flows[k].joint], static_cast<Eigen::Index>(k)) = 1;
    }
    for (const auto& [b, equation] : body_equation) {
      const auto& elements_of = bodies[static_cast<std::size_t>(b)].elements;
      for (std::size_t i = 0; i < elements_of.size(); ++i)
        if (elements_of[i] == place.element)
          rhs.row(equation) = balance[static_cast<std::size_t>(b)][i].transpose();
    }
    // The joint passes on to dependent bodies the opposite of what their rows do to the element.
    for (const auto& [joint, equation] : joint_equation)
      if (const auto at = given.find({joint, place.element}); at != given.end())
        rhs.row(equation) = at->second.transpose();
    const Eigen::MatrixXd f = A.completeOrthogonalDecomposition().solve(rhs);
    const Vec3 at = widen<D>(Vec<D>(m.x[place.element]));
    for (std::size_t k = 0; k < flows.size(); ++k)
      act(flows[k].joint, flows[k].body, place.is_point, at,
          widen<D>(Vec<D>(f.row(static_cast<Eigen::Index>(k)).transpose())));
  }

  // One wrench per joint on its first moving body; one per body where three or more meet.
  std::vector<Wrench> all;
  for (std::size_t r = 0; r < parts_.reactions.size(); ++r) {
    const ReactionPlace& place = parts_.reactions[r];
    const bool many = place.sides.size() > 2;
    for (const auto& side : place.sides) {
      if (side.body == kGroundBody && place.sides.size() > 1 && !many && &side == &place.sides[0]) continue;
      Wrench w = sum[{static_cast<int>(r), side.body}];
      w.joint = place.name;
      w.body = bodies[static_cast<std::size_t>(side.body)].name;
      w.alone = !many;
      all.push_back(w);
      if (!many) break;
    }
  }
  return all;
}

template class NaturalSystem<2>;
template class NaturalSystem<3>;

}  // namespace trammel
