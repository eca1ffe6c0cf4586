#include "analysis/assembly_branches.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "analysis/asking.h"
#include "analysis/drawn_way.h"
#include "formulations/projection/assembly.h"
#include "formulations/rows/rows.h"

namespace trammel::analysis {
namespace {

// Two results are one branch where no body differs by more, as a part of the mechanism's size and in rad: a
// position next to where branches meet is known to 1e-7.
constexpr double kSameBranch = 1e-5;

double open_part(const system::System& system, const State& s) {
  system::Terms terms = system.make_terms();
  system.evaluate(s, system::kAskPosition, terms);
  formulations::Worst worst;
  for (std::size_t r = 0; r < static_cast<std::size_t>(system.sizes().holonomic); ++r)
    worst.see(terms.Phi[r], 1 / system.rows()[r].scale, r);
  return worst.size;
}

// Of centres of mass, ends of rods, named points and joints' places on bodies, in m.
double largest_move(const Mechanism& mechanism, const std::vector<Pose>& from, const std::vector<Pose>& to) {
  double largest = 0;
  for (std::size_t k = 0; k < from.size(); ++k) {
    const Body& body = mechanism.bodies[k];
    const auto see = [&](const Vec3& at) {
      const Vec3 arm = at - body.com;
      const Vec3 move = to[k].position - from[k].position + (to[k].axes - from[k].axes) * arm;
      largest = std::max(largest, move.norm());
    };
    see(body.com);
    if (body.kind == Body::Kind::rod) see(Vec3::Zero()), see(Vec3(body.length, 0, 0));
    for (const auto& [name, at] : body.points) see(at);
    for (const Joint& joint : mechanism.joints)
      for (const Marker& marker : joint.markers)
        if (marker.body == body.name) see(marker.frame.at);
  }
  return largest;
}

}  // namespace

struct RandomStarts::Dice {
  explicit Dice(std::uint64_t seed) : random(seed) {}
  std::mt19937_64 random;
  // Of the standard library's distributions the bits are not the same everywhere.
  double part() { return static_cast<double>(random() >> 11) * 0x1p-53; }
};

RandomStarts::RandomStarts(const Simulation& simulation, std::uint64_t seed)
    : system_(simulation.system()),
      mechanism_(simulation.mechanism()),
      start_(simulation.state()),
      drawn_(system_.poses(start_)),
      poses_(drawn_),
      low_(Vec3::Constant(INFINITY)),
      high_(-low_),
      dice_(std::make_unique<Dice>(seed)) {
  see_places();
  // The range in which the parts stand at the start, ground's included, and as much on either side of it: a
  // branch may be the mirror image of another about any of them.
  const double reach = std::max(system_.length_scale(), poses_.empty() ? 0.0 : (high_ - low_).maxCoeff());
  low_ -= Vec3::Constant(reach);
  high_ += Vec3::Constant(reach);
}

RandomStarts::~RandomStarts() = default;

void RandomStarts::see_places() {
  const auto see = [&](const Vec3& at) {
    low_ = low_.cwiseMin(at);
    high_ = high_.cwiseMax(at);
  };
  const auto see_markers = [&](const std::vector<Marker>& markers) {
    for (const Marker& marker : markers) {
      const auto body = std::ranges::find(mechanism_.bodies, marker.body, &Body::name);
      if (body == mechanism_.bodies.end()) {
        see(marker.frame.at);
        continue;
      }
      const Pose& pose = drawn_[static_cast<std::size_t>(body - mechanism_.bodies.begin())];
      see(pose.position + pose.axes * (marker.frame.at - body->com));
    }
  };
  for (const Pose& pose : drawn_) see(pose.position);
  for (const Vec3& at : system_.point_positions(start_)) see(at);
  for (const Joint& joint : mechanism_.joints) see_markers(joint.markers);
  for (const Driver& driver : mechanism_.drivers) see_markers(driver.markers);
}

bool RandomStarts::next(State& s) {
  s = start_;
  const bool planar = mechanism_.is_planar;
  for (Pose& pose : poses_) {
    for (int i = 0; i < (planar ? 2 : 3); ++i)
      pose.position[i] = low_[i] + (high_[i] - low_[i]) * dice_->part();
    if (planar) {
      pose.angle = 2 * std::numbers::pi * (dice_->part() - 0.5);
      pose.axes = Eigen::AngleAxisd(pose.angle, Vec3::UnitZ()).toRotationMatrix();
    } else {
      // Shoemake (1992): uniform over all rotations.
      const double u = dice_->part(), a = 2 * std::numbers::pi * dice_->part(),
                   b = 2 * std::numbers::pi * dice_->part();
      pose.axes = Eigen::Quaterniond(std::sqrt(1 - u) * std::sin(a), std::sqrt(1 - u) * std::cos(a),
                                     std::sqrt(u) * std::sin(b), std::sqrt(u) * std::cos(b))
                      .toRotationMatrix();
    }
    pose.velocity.setZero();
    pose.angular_velocity.setZero();
  }
  system_.place(mechanism_.bodies, poses_, s);
  for (const double x : s.q)
    if (!std::isfinite(x)) return false;
  const AssemblyReport closed = formulations::assemble_positions(system_, s);
  return closed.report.accepted() && closed.open.empty() &&
         stands_as_drawn(mechanism_, drawn_, system_.poses(s));
}

bool same_positions(const Mechanism& mechanism, const std::vector<Pose>& a, const std::vector<Pose>& b,
                    double length_scale) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    if ((a[k].position - b[k].position).norm() > kSameBranch * length_scale) return false;
    const Body::Kind kind = mechanism.bodies[k].kind;
    if (kind == Body::Kind::point_mass) continue;
    const Mat3 difference = a[k].axes - b[k].axes;
    if ((kind == Body::Kind::rod ? difference.col(0).norm() : difference.norm()) > kSameBranch) return false;
  }
  return true;
}

BranchSearch find_branches(const Simulation& simulation, long starts, std::uint64_t seed, const GoOn& go_on) {
  BranchSearch out;
  const system::System& system = simulation.system();
  const auto keep = [&](const State& s) {
    std::vector<Pose> poses = system.poses(s);
    const double residual = open_part(system, s);
    for (AssemblyBranch& one : out.branches) {
      if (!same_positions(simulation.mechanism(), one.poses, poses, system.length_scale())) continue;
      ++one.hits;
      if (residual < one.residual) one = {s, std::move(poses), residual, one.hits, 0};
      return;
    }
    out.branches.push_back({s, std::move(poses), residual, 1, 0});
  };
  keep(simulation.state());
  out.branches.front().hits = 0;
  RandomStarts random(simulation, seed);
  State s;
  const auto settled = [&] {
    return std::ranges::all_of(out.branches,
                               [](const AssemblyBranch& one) { return one.hits >= kEnoughHits; });
  };
  const auto wanted = [&] {
    if (starts != kUntilSettled) return out.starts < starts;
    return out.starts < kFewestStarts || (out.starts < kMostStarts && out.closed > 0 && !settled());
  };
  for (Asking asking(go_on); wanted(); ++out.starts) {
    out.interrupted = !asking.goes_on();
    if (out.interrupted) return out;
    if (!random.next(s)) continue;
    ++out.closed;
    keep(s);
  }
  for (AssemblyBranch& one : out.branches)
    one.distance = largest_move(simulation.mechanism(), out.branches.front().poses, one.poses);
  std::stable_sort(out.branches.begin(), out.branches.end(),
                   [](const AssemblyBranch& a, const AssemblyBranch& b) { return a.distance < b.distance; });
  const auto once =
      std::ranges::count_if(out.branches, [](const AssemblyBranch& one) { return one.hits == 1; });
  if (out.closed > 0) out.unseen = static_cast<double>(once) / static_cast<double>(out.closed);
  return out;
}

}  // namespace trammel::analysis
