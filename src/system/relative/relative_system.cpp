#include "system/relative/relative_system.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "system/relative/armatures.h"
#include "system/relative/cut_body.h"
#include "system/relative/reading.h"
#include "system/relative/relative_terms.h"
#include "system/relative/tree_solver.h"

namespace trammel::system {
namespace {

constexpr double kSum = 1e-9;  // rates of order one that are the same

}  // namespace

template <int D>
RelativeSystem<D>::RelativeSystem(const Mechanism& mechanism, const std::vector<mechanism::Watched>& watched,
                                  std::span<const std::string> open)
    : RelativeSystem(cut_bodies(mechanism, open), mechanism.bodies.size(), watched, open) {}

template <int D>
RelativeSystem<D>::RelativeSystem(const Mechanism& mechanism, std::size_t uncut_bodies,
                                  const std::vector<mechanism::Watched>& watched,
                                  std::span<const std::string> open)
    : uncut_bodies_(uncut_bodies), bodies_(mechanism, watched), tree_(span_tree<D>(mechanism, open)) {
  for (std::size_t b = 0; b < tree_.carrier.size(); ++b)
    com_.push_back(b == 0 ? math::Vec<D>(math::Vec<D>::Zero())
                          : math::narrow<D>(mechanism.bodies[b - 1].com));
  read_inertia();
  length_scale_ = bodies_.length_scale();
  for (const TreeJoint<D>& joint : tree_.joints)
    joint.scales(length_scale_, coordinate_scale_, position_scale_, angle_positions_);
  inertia_scale_.assign(at(tree_.velocities), 0.0);
  find_idle_columns();
  choose_rows(mechanism);
  rheonomic_ = bodies_.rheonomic();
  has_range_ = bodies_.has_range();
  has_work_ = bodies_.has_work();
  for (const int source : bodies_.flank_rows())
    for (std::size_t r = 0; r < tree_rows_.size(); ++r)
      if (tree_rows_[r].source == source) flank_rows_.push_back(static_cast<int>(r));
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
  find_armatures();
  find_springs();
  find_turns();
  find_hinges();
  keep_angles(bodies_.initial_state(), start_);
}

template <int D>
void RelativeSystem<D>::find_springs() {
  only_springs_ = bodies_.elements().only_springs();
  if (!only_springs_) return;
  for (const Spring<D>& spring : bodies_.elements().springs()) {
    const auto end = [&](double sign) {
      for (const auto& side : spring.gap().sides)
        if (side.sign == sign)
          return typename TreeSpring<D>::End{side.material.body, bodies_.local(side.material)};
      throw std::logic_error("TreeSpring: a spring has two ends");
    };
    springs_.push_back({end(-1), end(1), spring.law()});
  }
}

template <int D>
void RelativeSystem<D>::find_turns() {
  if (D == 3) return;
  const State given = bodies_.initial_state();
  const auto angle = [&](int b) {
    const bool turns = b > 0 && bodies_.body_columns(b).count > D;
    return turns ? given.q[at(bodies_.body_position(b) + D)] : 0.0;
  };
  for (const TreeJoint<D>& joint : tree_.joints) {
    Turn turn{angle(joint.child) - angle(joint.parent)};
    const JointMotion<D> motion = joint.motion(start_.q.data(), start_.v.data());
    for (int i = 0; i < joint.velocities(); ++i)
      if (!motion.A.col(i).isZero(0)) turn = {turn.constant, joint.q + i, motion.A(0, i)};
    if (turn.q >= 0) turn.constant -= turn.sign * start_.q[at(turn.q)];
    turns_of_.push_back(turn);
  }
}

// In space an angle between two bodies is the coordinate of the hinge that alone is between them, if it turns
// as fast.
template <int D>
void RelativeSystem<D>::find_hinges() {
  if (D == 2) return;
  State moving = start_;
  for (std::size_t i = 0; i < moving.v.size(); ++i)
    moving.v[i] = 1 + 0.4 * static_cast<double>(i) / static_cast<double>(moving.v.size());
  const State elements = bodies_.mapped(in_reference(moving));
  for (int k = 0; k < sizes_.angles; ++k) {
    hinges_.emplace_back();
    const Measure<D>& measure = bodies_.elements().angle(k);
    const int frame = measure.body_of(0), turned = measure.body_of(2);
    if (frame < 0 || turned < 0 || measure.body_of(1) != frame) continue;
    std::vector<const TreeJoint<D>*> way;
    for (const int from : {turned, frame})
      tree_.climb(from, tree_.meeting(frame, turned), [&](const TreeJoint<D>& j) { way.push_back(&j); });
    if (way.size() != 1) continue;
    if (const TreeKind kind = way.front()->kind; kind != TreeKind::revolute && kind != TreeKind::cylindrical)
      continue;
    const TreeJoint<D>& joint = *way.front();
    const double measured = bodies_.elements().angle_rate(k, elements), rate = moving.v[at(joint.v)];
    if (std::abs(std::abs(measured) - rate) <= kSum) hinges_.back() = {joint.q, measured > 0 ? 1.0 : -1.0};
  }
}

// Each body's block of the reference coordinates' constant mass matrix.
template <int D>
void RelativeSystem<D>::read_inertia() {
  inertia_.assign(tree_.carrier.size(), math::Mat<kTwist<D>>::Zero());
  body_of_column_.assign(at(bodies_.sizes().v), 0);
  for (int b = 1; b < static_cast<int>(tree_.carrier.size()); ++b) {
    const int columns = tree_.joints[at(tree_.carrier[at(b)])].turns ? kTwist<D> : D;
    for (int k = 0; k < columns; ++k) body_of_column_[at(bodies_.body_columns(b).first + k)] = b;
  }
  const EntryPattern& places = bodies_.mass_pattern();
  const std::vector<double>& mass = bodies_.body_mass();
  for (std::size_t k = 0; k < mass.size(); ++k) {
    const int b = body_of_column_[at(places.row[k])];
    if (body_of_column_[at(places.column[k])] != b) continue;  // of an armature
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
  const auto frame = [&](int body, const Frame& local, math::Mat<D>& axes, math::Vec<D>& place) {
    math::Mat<D> R = math::Mat<D>::Identity();
    math::Vec<D> c = math::Vec<D>::Zero();
    if (body > 0) {
      R = poses[at(body) - 1].axes.template topLeftCorner<D, D>();
      c = math::narrow<D>(poses[at(body) - 1].position);
    }
    axes = R * local.axes.template topLeftCorner<D, D>();
    place = c + R * (math::narrow<D>(local.at) - com_[at(body)]);
  };
  JointPlace place;
  math::Mat<D> child;
  math::Vec<D> from, to;
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
std::unique_ptr<RecursiveSolver> RelativeSystem<D>::recursive_solver() const {
  return std::make_unique<TreeSolver<D>>(*this);
}

template <int D>
void RelativeSystem<D>::position_rate(std::span<const double> q, std::span<const double> v,
                                      std::span<double> q_dot) const {
  for (const JointCoordinates& joint : tree_.coordinates) joint.rate(q.data(), v.data(), q_dot.data());
}

template <int D>
void RelativeSystem<D>::retract(std::span<double> q, std::span<const double> delta) const {
  for (const JointCoordinates& joint : tree_.coordinates) joint.retract(q.data(), delta.data());
}

template <int D>
void RelativeSystem<D>::difference(std::span<const double> from, std::span<const double> to,
                                   std::span<double> delta) const {
  for (const JointCoordinates& joint : tree_.coordinates)
    joint.difference(from.data(), to.data(), delta.data());
}

template <int D>
void RelativeSystem<D>::difference_rate(std::span<const double> from, std::span<const double> to,
                                        std::span<const double> v, std::span<double> rate) const {
  difference(from, to, rate);
  for (const JointCoordinates& joint : tree_.coordinates) joint.difference_rate(v.data(), rate.data());
}

template <int D>
void RelativeSystem<D>::normalize(std::span<double> q) const {
  for (const JointCoordinates& joint : tree_.coordinates) joint.normalize(q.data());
}

template class RelativeSystem<2>;
template class RelativeSystem<3>;

}  // namespace trammel::system
