#include "analysis/joint_equations.h"

#include <algorithm>
#include <map>

#include "analysis/driven_start.h"
#include "formulations/matrices/dense_terms.h"
#include "linalg/rank.h"

namespace trammel::analysis {
namespace {

// Equations of one joint that differ by less are one; bodies that take a smaller part are not tied by it.
constexpr double kNothing = 1e-9;

// Positions alone matter: masses are there for assembly only.
Mechanism for_positions(const Simulation& simulation) {
  Mechanism mechanism = with_masses(simulation.mechanism());
  const auto has_rows = [&](const std::string& name) {
    return std::ranges::any_of(simulation.system().rows(), [&](const auto& row) { return row.name == name; });
  };
  for (const EndStop& stop : mechanism.stops) {
    if (!has_rows(stop.name)) continue;
    if (mechanism.generalized) {
      mechanism.generalized->constraints.push_back({stop.name, stop.joint, stop.where});
      continue;
    }
    Driver holds;
    holds.name = stop.name;
    holds.of = stop.joint;
    holds.equals = {"0"};
    mechanism.drivers.push_back(std::move(holds));
  }
  mechanism.stops.clear();
  std::erase_if(mechanism.forces, [&](const Force& force) {
    return !std::holds_alternative<DryFriction>(force.law) || !has_rows(force.name);
  });
  for (Force& force : mechanism.forces) std::get<DryFriction>(force.law).now = DryFriction::Now::stuck;
  mechanism.outputs.clear();
  mechanism.stop_when.clear();
  return mechanism;
}

struct Extent {
  Vec3 middle = Vec3::Zero();
  double size = 1;  // m
};

Vec3 place_of(const Mechanism& mechanism, const std::vector<Pose>& poses, const Marker& marker) {
  for (std::size_t b = 0; b < mechanism.bodies.size(); ++b)
    if (mechanism.bodies[b].name == marker.body)
      return poses[b].position + poses[b].axes * (marker.frame.at - mechanism.bodies[b].com);
  return marker.frame.at;
}

// The middle of the joints, and the root mean square of their distances from it.
Extent joint_extent(const Mechanism& mechanism, const std::vector<Pose>& poses, double otherwise) {
  std::vector<Vec3> places;
  for (const Joint& joint : mechanism.joints)
    if (!joint.markers.empty()) places.push_back(place_of(mechanism, poses, joint.markers.back()));
  Extent extent;
  extent.size = otherwise;
  if (places.empty()) return extent;
  for (const Vec3& at : places) extent.middle += at / static_cast<double>(places.size());
  double squares = 0;
  for (const Vec3& at : places) squares += (at - extent.middle).squaredNorm();
  // A single joint, or all in one place: the size of the bodies.
  constexpr double kOnePlace = 1e-6;
  const double size = std::sqrt(squares / static_cast<double>(places.size()));
  if (size > kOnePlace * otherwise) extent.size = size;
  return extent;
}

// v = T x: each velocity of reference coordinates from the twists of all bodies.
//
//   v_k = d_k·ċ + w_k·ω,   ċ = ℓ x_v + ω × r,   r from the middle to the centre of mass
Eigen::MatrixXd from_twists(const Mechanism& mechanism, const system::System& system, State s,
                            const Extent& extent) {
  const int D = mechanism.is_planar ? 2 : 3, twist = mechanism.is_planar ? 3 : 6;
  const auto bodies = static_cast<Eigen::Index>(mechanism.bodies.size());
  Eigen::MatrixXd T = Eigen::MatrixXd::Zero(system.sizes().v, twist * bodies);
  for (int k = 0; k < system.sizes().v; ++k) {
    std::ranges::fill(s.v, 0.0);
    s.v[static_cast<std::size_t>(k)] = 1;
    const std::vector<Pose> poses = system.poses(s);
    for (Eigen::Index b = 0; b < bodies; ++b) {
      const Pose& pose = poses[static_cast<std::size_t>(b)];
      const Vec3 d = pose.velocity,
                 by_turn = (pose.position - extent.middle).cross(d) + pose.angular_velocity;
      auto row = T.row(k).segment(twist * b, twist);
      row.head(D) = extent.size * d.head(D).transpose();
      row.tail(twist - D) = by_turn.tail(twist - D).transpose();
    }
  }
  return T;
}

// An orthonormal basis of the rows.
Eigen::MatrixXd orthonormal_rows(Eigen::MatrixXd rows) {
  for (Eigen::Index r = 0; r < rows.rows(); ++r)
    if (const double length = rows.row(r).norm(); length > 0) rows.row(r) /= length;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(rows.transpose());
  Eigen::Index rank = 0;
  while (rank < std::min(rows.rows(), rows.cols()) && std::abs(qr.matrixR()(rank, rank)) > kNothing) ++rank;
  const Eigen::MatrixXd Q = qr.householderQ() * Eigen::MatrixXd::Identity(rows.cols(), rank);
  return Q.transpose();
}

// Over the bodies and, last, ground: a motion common to all breaks no joint.
Eigen::MatrixXd with_ground(const Eigen::MatrixXd& rows, int twist) {
  Eigen::MatrixXd all(rows.rows(), rows.cols() + twist);
  all.leftCols(rows.cols()) = rows;
  all.rightCols(twist).setZero();
  for (Eigen::Index b = 0; b < rows.cols(); b += twist) all.rightCols(twist) -= rows.middleCols(b, twist);
  return all;
}

}  // namespace

JointEquations::JointEquations(const Simulation& simulation) : mechanism_(for_positions(simulation)) {
  const system::System& own = simulation.system();
  system_ = system::compile(mechanism_, CoordinatesKind::reference);
  undriven_ = system_;
  if (mechanism_.generalized) {
    start_ = simulation.state();
    return;
  }
  if (!mechanism_.drivers.empty()) {
    Mechanism alone = mechanism_;
    alone.drivers.clear();
    undriven_ = system::compile(alone, CoordinatesKind::reference);
  }
  start_ = undriven_->initial_state();
  // Rods that were given a mass have another centre of mass.
  std::vector<Pose> poses = own.poses(simulation.state());
  for (std::size_t b = 0; b < poses.size(); ++b)
    poses[b].position += poses[b].axes * (mechanism_.bodies[b].com - simulation.mechanism().bodies[b].com);
  undriven_->place(mechanism_.bodies, poses, start_);
  undriven_->take_turns(own.turns(simulation.state()), start_);
  start_.t = simulation.state().t;
}

Eigen::Index JointEquations::columns() const {
  if (mechanism_.generalized) return system_->sizes().v;
  return twist() * static_cast<Eigen::Index>(mechanism_.bodies.size());
}

int JointEquations::free_motions() const {
  return system_->sizes().v - static_cast<int>(system_->idle_columns().size());
}

std::vector<EquationBlock> JointEquations::collect(const system::System& system, const State& at,
                                                   const std::vector<Pose>& poses) const {
  system::Terms terms = system.make_terms();
  system.evaluate(at, system::kAskPosition, terms);
  const Eigen::MatrixXd J = formulations::dense_rows(system, terms);
  const bool own = mechanism_.generalized.has_value();
  const Eigen::MatrixXd T =
      own ? Eigen::MatrixXd::Identity(J.cols(), J.cols())
          : from_twists(mechanism_, system, at, joint_extent(mechanism_, poses, system.length_scale()));
  Eigen::MatrixXd rows = J * T;
  std::vector<EquationBlock> blocks;
  std::map<std::pair<system::RowOwner::Kind, std::string>, std::size_t> known;
  std::vector<std::vector<Eigen::Index>> members;
  for (Eigen::Index r = 0; r < rows.rows(); ++r) {
    const system::RowOwner& owner = system.rows()[static_cast<std::size_t>(r)];
    if (rows.row(r).norm() <= formulations::kVanishedRow * owner.scale) rows.row(r).setZero();
    const auto [place, is_new] = known.try_emplace({owner.kind, owner.name}, blocks.size());
    if (is_new) {
      blocks.push_back({owner.name, owner.kind, 0, {}, {}});
      members.emplace_back();
    }
    ++blocks[place->second].equations;
    members[place->second].push_back(r);
  }
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    Eigen::MatrixXd of(static_cast<Eigen::Index>(members[k].size()), rows.cols());
    for (std::size_t i = 0; i < members[k].size(); ++i)
      of.row(static_cast<Eigen::Index>(i)) = rows.row(members[k][i]);
    if (own) {
      blocks[k].rows = orthonormal_rows(of);
      continue;
    }
    const Eigen::MatrixXd all = orthonormal_rows(with_ground(of, twist()));
    blocks[k].rows = all.leftCols(rows.cols());
    const auto bodies = static_cast<int>(mechanism_.bodies.size());
    // Equations that all vanish here, as t·v = 0 at t = 0, hold no body.
    for (int b = 0; all.rows() > 0 && b <= bodies; ++b)
      if (all.middleCols(b * twist(), twist()).cwiseAbs().maxCoeff() > kNothing)
        blocks[k].bodies.push_back(b == bodies ? kGroundLink : b);
  }
  return blocks;
}

std::vector<EquationBlock> JointEquations::blocks(const State& at) const {
  if (mechanism_.generalized) return collect(*system_, at, {});
  const std::vector<Pose> poses = undriven_->poses(at);
  if (system_ == undriven_) return collect(*system_, at, poses);
  State s = system_->initial_state();
  system_->place(mechanism_.bodies, poses, s);
  s.t = at.t;
  return collect(*system_, s, poses);
}

std::vector<EquationBlock> JointEquations::blocks_of(std::vector<Joint> joints, const State& at) const {
  Mechanism other = mechanism_;
  other.joints = std::move(joints);
  other.drivers.clear();
  other.constraints.clear();
  other.states.clear();
  const auto system = system::compile(other, CoordinatesKind::reference);
  const std::vector<Pose> poses = undriven_->poses(at);
  State s = system->initial_state();
  system->place(other.bodies, poses, s);
  return collect(*system, s, poses);
}

std::vector<JointEquations::Spin> JointEquations::spins(const State& at) const {
  std::vector<Spin> all;
  if (mechanism_.generalized) return all;
  const std::vector<Pose> poses = undriven_->poses(at);
  const Extent extent = joint_extent(mechanism_, poses, undriven_->length_scale());
  const int D = mechanism_.is_planar ? 2 : 3;
  for (std::size_t b = 0; b < poses.size(); ++b) {
    std::vector<Vec3> about;
    const Body::Kind kind = mechanism_.bodies[b].kind;
    if (kind == Body::Kind::rod && !mechanism_.is_planar) about = {poses[b].axes.col(0)};
    if (kind == Body::Kind::point_mass)
      about = mechanism_.is_planar ? std::vector<Vec3>{Vec3::UnitZ()}
                                   : std::vector<Vec3>{Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
    for (const Vec3& omega : about) {
      Spin spin{static_cast<int>(b), Eigen::VectorXd::Zero(columns())};
      auto twist_of = spin.twist.segment(static_cast<Eigen::Index>(b) * twist(), twist());
      const Vec3 v = omega.cross(extent.middle - poses[b].position) / extent.size;
      twist_of.head(D) = v.head(D);
      twist_of.tail(twist() - D) = omega.tail(twist() - D);
      all.push_back(std::move(spin));
    }
  }
  return all;
}

Eigen::MatrixXd stacked(const std::vector<EquationBlock>& blocks, Eigen::Index columns) {
  Eigen::Index count = 0;
  for (const EquationBlock& block : blocks) count += block.rows.rows();
  Eigen::MatrixXd all(count, columns);
  count = 0;
  for (const EquationBlock& block : blocks) {
    all.middleRows(count, block.rows.rows()) = block.rows;
    count += block.rows.rows();
  }
  return all;
}

int rank_of(const Eigen::MatrixXd& rows) {
  if (rows.rows() == 0) return 0;
  return linalg::rank_of_rows(rows, formulations::kRankTolerance).rank;
}

}  // namespace trammel::analysis
