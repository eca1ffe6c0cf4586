#include "system/relative/relative_system.h"

#include <algorithm>
#include <cmath>

#include "math/euler_parameters.h"
#include "system/relative/cut_body.h"
#include "system/relative/tree_solver.h"

namespace trammel {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr double kRounding = 1e-13;  // of sums over a loop

}  // namespace

template <int D>
RelativeSystem<D>::RelativeSystem(const Mechanism& mechanism, const std::vector<std::string>& watched,
                                  std::span<const std::string> open)
    : RelativeSystem(cut_bodies(mechanism, open), mechanism.bodies.size(), watched, open) {}

template <int D>
RelativeSystem<D>::RelativeSystem(const Mechanism& mechanism, std::size_t uncut_bodies,
                                  const std::vector<std::string>& watched, std::span<const std::string> open)
    : uncut_bodies_(uncut_bodies), bodies_(mechanism, watched), tree_(span_tree<D>(mechanism, open)) {
  for (std::size_t b = 0; b < tree_.carrier.size(); ++b)
    com_.push_back(b == 0 ? Vec<D>(Vec<D>::Zero()) : narrow<D>(mechanism.bodies[b - 1].com));
  read_inertia();
  length_scale_ = bodies_.length_scale();
  for (const TreeJoint<D>& joint : tree_.joints)
    joint.scales(length_scale_, coordinate_scale_, position_scale_);
  inertia_scale_.assign(at(tree_.velocities), 0.0);
  find_idle_columns();
  choose_rows(mechanism);
  rheonomic_ = bodies_.rheonomic();
  has_work_ = bodies_.has_work();
  sizes_ = bodies_.sizes();
  sizes_.q = tree_.positions;
  sizes_.v = tree_.velocities;
  sizes_.rows = static_cast<int>(tree_rows_.size());
  sizes_.holonomic =
      static_cast<int>(std::count_if(tree_rows_.begin(), tree_rows_.end(), [&](const TreeRow& row) {
        return row.source < bodies_.sizes().holonomic;
      }));
  start_ = bodies_.initial_state();
  start_.q.assign(at(tree_.positions), 0.0);
  start_.v.assign(at(tree_.velocities), 0.0);
  start_.a = start_.v;
  start_.lambda.assign(tree_rows_.size(), 0.0);
  const std::vector<Pose> given = bodies_.poses(bodies_.initial_state());
  for (TreeJoint<D>& joint : tree_.joints) {
    const JointPlace place = joint_place(joint, given);
    joint.hold(place.R);
    joint.place(place.R, place.p, start_.q.data());
  }
  for (std::size_t b = uncut_bodies_; b < mechanism.bodies.size(); ++b)
    for (std::size_t k = 0; k < uncut_bodies_; ++k)
      if (mechanism.bodies[k].name == uncut(mechanism.bodies[b].name)) half_of_.push_back(k);
}

// Each body's block of the reference coordinates' constant mass matrix.
template <int D>
void RelativeSystem<D>::read_inertia() {
  inertia_.assign(tree_.carrier.size(), Mat<kTwist<D>>::Zero());
  body_of_column_.assign(at(bodies_.sizes().v), 0);
  for (int b = 1; b < static_cast<int>(tree_.carrier.size()); ++b) {
    const int columns = tree_.joints[at(tree_.carrier[at(b)])].turns ? kTwist<D> : D;
    for (int k = 0; k < columns; ++k) body_of_column_[at(bodies_.body_columns(b).first + k)] = b;
  }
  const EntryPattern& places = bodies_.mass_pattern();
  const std::vector<double> mass = bodies_.make_terms().M;
  for (std::size_t k = 0; k < mass.size(); ++k) {
    const int b = body_of_column_[at(places.row[k])];
    const int i = places.row[k] - bodies_.body_columns(b).first,
              j = places.column[k] - bodies_.body_columns(b).first;
    inertia_[at(b)](i, j) = inertia_[at(b)](j, i) = mass[k];
  }
}

// A thin rod's spin about its own axis, where its joint has a column for it.
template <int D>
void RelativeSystem<D>::find_idle_columns() {
  for (const int column : bodies_.idle_columns()) {
    const TreeJoint<D>& joint = tree_.joints[at(tree_.carrier[at(body_of_column_[at(column)])])];
    const Vec3 axis = joint.child_frame.axes.transpose() * Vec3::UnitX();
    Eigen::Index along = 0;
    axis.cwiseAbs().maxCoeff(&along);
    if (joint.kind == TreeKind::spherical || joint.kind == TreeKind::free)
      idle_columns_.push_back(joint.spin() + static_cast<int>(along));
  }
}

template <int D>
std::vector<int> RelativeSystem<D>::bodies_of_row(int source) const {
  const RowPattern& rows = bodies_.jacobian();
  std::vector<int> list;
  for (int k = rows.start[at(source)]; k < rows.start[at(source) + 1]; ++k)
    list.push_back(body_of_column_[at(rows.column[at(k)])]);
  sort_unique(list);
  return list;
}

// A joint of the tree holds its rows by itself; the others remain.
template <int D>
void RelativeSystem<D>::choose_rows(const Mechanism& mechanism) {
  std::map<std::string, std::vector<std::size_t>> carriers;  // tree joints by the name of the joint
  for (std::size_t j = 0; j < tree_.joints.size(); ++j)
    if (tree_.joints[j].joint >= 0) carriers[tree_.joints[j].name].push_back(j);
  held_rows_.resize(tree_.joints.size());
  for (int r = 0; r < bodies_.sizes().rows; ++r) {
    const RowOwner& owner = bodies_.rows()[at(r)];
    const std::vector<int> bodies = bodies_of_row(r);
    bool held = false;
    if (owner.kind == RowOwner::Kind::joint)
      for (const std::size_t j : carriers[owner.name]) {
        const TreeJoint<D>& joint = tree_.joints[j];
        held = !bodies.empty() && std::all_of(bodies.begin(), bodies.end(),
                                              [&](int b) { return b == joint.parent || b == joint.child; });
        if (!held) continue;
        held_rows_[j].push_back(r);
        break;
      }
    if (held) continue;
    // A joint between two bodies sees only how they move relative to each other.
    const Joint* joint = owner.kind == RowOwner::Kind::joint ? mechanism.joint(owner.name) : nullptr;
    const bool relative = joint && joint->markers.size() > 1 && r < bodies_.sizes().holonomic;
    add_row(r, bodies, relative && bodies.size() == 2 ? tree_.meeting(bodies[0], bodies[1]) : 0);
    rows_.push_back(owner);
  }
}

template <int D>
void RelativeSystem<D>::add_row(int source, const std::vector<int>& bodies, int stop) {
  std::vector<int> columns;
  for (const int b : bodies)
    tree_.climb(b, stop, [&](const TreeJoint<D>& joint) {
      for (int k = 0; k < joint.velocities(); ++k) columns.push_back(joint.v + k);
    });
  sort_unique(columns);
  TreeRow row;
  row.source = source;
  const RowPattern& rows = bodies_.jacobian();
  for (const int b : bodies) {
    RowSide side;
    side.body = b;
    side.stop = stop;
    side.entry.fill(-1);
    for (int k = rows.start[at(source)]; k < rows.start[at(source) + 1]; ++k)
      if (body_of_column_[at(rows.column[at(k)])] == b)
        side.entry[at(rows.column[at(k)] - bodies_.body_columns(b).first)] = k;
    tree_.climb(b, stop, [&](const TreeJoint<D>& joint) {
      side.target.push_back(
          static_cast<int>(std::lower_bound(columns.begin(), columns.end(), joint.v) - columns.begin()));
    });
    row.sides.push_back(std::move(side));
  }
  tree_rows_.push_back(std::move(row));
  jacobian_.add_row(columns);
}

template <int D>
typename RelativeSystem<D>::JointPlace RelativeSystem<D>::joint_place(const TreeJoint<D>& joint,
                                                                      std::span<const Pose> poses) const {
  const auto frame = [&](int body, const Frame& local, Mat<D>& axes, Vec<D>& place) {
    Mat<D> R = Mat<D>::Identity();
    Vec<D> c = Vec<D>::Zero();
    if (body > 0) {
      R = poses[at(body) - 1].axes.template topLeftCorner<D, D>();
      c = narrow<D>(poses[at(body) - 1].position);
    }
    axes = R * local.axes.template topLeftCorner<D, D>();
    place = c + R * (narrow<D>(local.at) - com_[at(body)]);
  };
  JointPlace place;
  Mat<D> child;
  Vec<D> from, to;
  frame(joint.parent, joint.parent_frame, place.frame, from);
  frame(joint.child, joint.child_frame, child, to);
  place.R = place.frame.transpose() * child;
  place.p = place.frame.transpose() * (to - from);
  return place;
}

template <int D>
State RelativeSystem<D>::initial_state() const {
  return start_;
}

template <int D>
Terms RelativeSystem<D>::make_terms() const {
  Terms terms = System::make_terms();
  terms.inner_state = bodies_.initial_state();
  terms.inner = {bodies_.make_terms()};
  terms.own = TreeMotion<D>(tree_, com_, inertia_);
  move(start_, own_terms(terms));
  return terms;
}

template <int D>
void RelativeSystem<D>::move(const State& s, RelativeTerms<D> own, bool with_rates) const {
  own.tree.move(s, with_rates);
  State& to = own.bodies;
  to.t = s.t;
  to.x = s.x;
  to.inputs = s.inputs;
  if (const std::vector<double>* angles = s.recall(kAngles)) to.remember(kAngles, angles->size()) = *angles;
  for (int b = 1; b < static_cast<int>(tree_.carrier.size()); ++b) {
    const TreeBody<D>& body = own.tree.body(b);
    write_pose(b, body, to.q);
    write_twist(b, body, body.V, to.v);
  }
}

template <int D>
void RelativeSystem<D>::write_pose(int b, const TreeBody<D>& body, std::vector<double>& q) const {
  double* place = q.data() + bodies_.body_position(b);
  Eigen::Map<Vec<D>>{place} = body.c;
  if (!body.turns) return;
  if constexpr (D == 2) place[D] = std::atan2(body.R(1, 0), body.R(0, 0));
  if constexpr (D == 3) Eigen::Map<EulerParameters>{place + D} = parameters_of(body.R);
}

// In reference coordinates spins stand in the body's axes.
template <int D>
void RelativeSystem<D>::write_twist(int b, const TreeBody<D>& body, const Twist<D>& V,
                                    std::vector<double>& to) const {
  double* place = to.data() + bodies_.body_columns(b).first;
  Eigen::Map<Vec<D>>{place} = V.template head<D>();
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
  F.template head<D>() = Eigen::Map<const Vec<D>>(place);
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
  const bool alone = tree_rows_.empty() && bodies_.only_gravity() && !(ask & kAskTangent);
  if (alone) {
    // Nothing but the tree and gravity: the reference coordinates would only be read for that.
    own.tree.move(s, ask & kAskRates);
    if (ask & kAskForces) fall(own, terms);
    if (ask & kAskRates) evaluate_rates(own, terms);
    return;
  }
  move(s, own, ask & kAskRates);
  bodies_.evaluate(own.bodies, ask & kAskRates ? ask | kAskPosition : ask, own.terms);
  if (ask & (kAskPosition | kAskGamma)) evaluate_rows(ask, own, terms);
  if (ask & (kAskForces | kAskTangent)) evaluate_forces(own, terms);
  if (ask & kAskRates) evaluate_rates(own, terms);
}

// What a joint of the tree already holds leaves only rounding in a row, which is no direction: a second hinge
// on the line of the first holds nothing here.
template <int D>
void RelativeSystem<D>::clean_row(std::size_t r, double size, Terms& terms) const {
  for (int k = jacobian_.start[r]; k < jacobian_.start[r + 1]; ++k) {
    const double one = coordinate_scale_[at(jacobian_.column[at(k)])];
    if (std::abs(terms.Phi_v[at(k)]) * one <= kRounding * size) terms.Phi_v[at(k)] = 0;
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
          Eigen::Map<Eigen::VectorXd>(entries + *target++, joint.velocities()) += body.S.transpose() * J;
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

// Weight and ω × Jω of each body.
template <int D>
void RelativeSystem<D>::fall(RelativeTerms<D> own, Terms& terms) const {
  const Vec<D> g = narrow<D>(bodies_.gravity());
  terms.potential = terms.power = 0;
  for (int b = 1; b < static_cast<int>(tree_.carrier.size()); ++b) {
    const TreeBody<D>& body = own.tree.body(b);
    Twist<D> F = -body.momentum(body.beta);
    F.template head<D>() += body.mass * g;
    if constexpr (D == 3) {
      const Vec3 w = body.V.template tail<3>();
      F.template tail<3>() -= w.cross(Vec3(body.J * w));
    }
    own.tree.twist(b) = F;
    terms.potential -= body.mass * g.dot(body.c);
  }
  std::fill(terms.Q.begin(), terms.Q.end(), 0.0);
  own.tree.inwards(1, terms.Q);
}

template <int D>
void RelativeSystem<D>::evaluate_forces(RelativeTerms<D> own, Terms& terms) const {
  for (int b = 1; b < static_cast<int>(tree_.carrier.size()); ++b) {
    const TreeBody<D>& body = own.tree.body(b);
    own.tree.twist(b) = on_body(b, own.terms.Q, own) - body.momentum(body.beta);
  }
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
        Eigen::Map<Eigen::VectorXd>(entries + *target++, joint.velocities()) +=
            body.S.transpose() * J_dot + rate.S_dot.transpose() * J;
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
}

template <int D>
double RelativeSystem<D>::mass_product(const Terms& terms, std::span<const double> x,
                                       std::span<const double> y) const {
  return tree_of(terms).product(x, y);
}

// SᵀI S with the inertia I of all that the joint carries.
template <int D>
std::vector<double> RelativeSystem<D>::mass_diagonal(const Terms& terms) const {
  const TreeMotion<D>& tree = tree_of(terms);
  std::vector<double> diagonal(at(sizes_.v), 0.0);
  std::vector<Mat<kTwist<D>>> composite(tree_.carrier.size(), Mat<kTwist<D>>::Zero());
  for (auto joint = tree_.joints.rbegin(); joint != tree_.joints.rend(); ++joint) {
    const TreeBody<D>& body = tree.body(joint->child);
    Mat<kTwist<D>>& I = composite[at(joint->child)];
    body.add_inertia(I);
    for (int k = 0; k < joint->velocities(); ++k)
      diagonal[at(joint->v + k)] = body.S.col(k).dot(I * body.S.col(k));
    const Mat<kTwist<D>> X = body.X();
    composite[at(joint->parent)] += X.transpose() * I * X;
  }
  return diagonal;
}

template <int D>
std::unique_ptr<RecursiveSolver> RelativeSystem<D>::recursive_solver() const {
  return std::make_unique<TreeSolver<D>>(*this);
}

template <int D>
void RelativeSystem<D>::position_rate(std::span<const double> q, std::span<const double> v,
                                      std::span<double> q_dot) const {
  for (const TreeJoint<D>& joint : tree_.joints) joint.rate(q.data(), v.data(), q_dot.data());
}

template <int D>
void RelativeSystem<D>::retract(std::span<double> q, std::span<const double> delta) const {
  for (const TreeJoint<D>& joint : tree_.joints) joint.retract(q.data(), delta.data());
}

template <int D>
void RelativeSystem<D>::difference(std::span<const double> from, std::span<const double> to,
                                   std::span<double> delta) const {
  for (const TreeJoint<D>& joint : tree_.joints) joint.difference(from.data(), to.data(), delta.data());
}

template <int D>
void RelativeSystem<D>::difference_rate(std::span<const double> from, std::span<const double> to,
                                        std::span<const double> v, std::span<double> rate) const {
  difference(from, to, rate);
  for (const TreeJoint<D>& joint : tree_.joints) joint.difference_rate(v.data(), rate.data());
}

template <int D>
void RelativeSystem<D>::normalize(std::span<double> q) const {
  for (const TreeJoint<D>& joint : tree_.joints) joint.normalize(q.data());
}

template class RelativeSystem<2>;
template class RelativeSystem<3>;

}  // namespace trammel
