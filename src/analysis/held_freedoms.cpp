#include "analysis/held_freedoms.h"

#include <fmt/format.h>

#include <algorithm>

#include "formulations/matrices/completed_rows.h"
#include "formulations/matrices/dense_terms.h"
#include "mechanism/signals.h"

namespace trammel::analysis {
namespace {

// A coordinate that moves by less than this part of the fastest, while those before it rest, holds badly.
constexpr double kMoves = 1e-3;
// The first coordinate is held that moves at least this part of the fastest of its kind: the crank rather
// than the rocker that comes after it.
constexpr double kMovesWell = 0.2;

struct Holdable {
  HeldFreedom held;
  Eigen::VectorXd rates;  // along each allowed velocity, lengths scaled to one
};

Vec3 material_velocity(const Pose& pose, const Vec3& from_com) {
  return pose.velocity + pose.angular_velocity.cross(pose.axes * from_com);
}

class Holdables {
 public:
  Holdables(const system::System& system, const Mechanism& mechanism, const State& state,
            const Eigen::MatrixXd& R)
      : system_(system), mechanism_(mechanism), terms_(system.make_terms()) {
    for (Eigen::Index k = 0; k < R.cols(); ++k) {
      State s = state;
      std::copy(R.col(k).begin(), R.col(k).end(), s.v.begin());
      readings_.push_back(system.readings(s, terms_));
      poses_.push_back(system.poses(s));
    }
    values_ = system.readings(state, terms_);
    places_ = system.poses(state);
  }

  // Those on ground, or the others.
  std::vector<Holdable> joints(bool on_ground) const {
    std::vector<Holdable> all;
    for (std::size_t r = 0; r + 1 < values_.size(); ++r) {
      const system::Reading& value = values_[r];
      const Joint* joint = mechanism_.joint(value.object);
      if (joint == nullptr || values_[r + 1].quantity != "rate") continue;
      if (on_ground != std::ranges::any_of(joint->markers, [](const Marker& m) { return m.body == kGround; }))
        continue;
      const double scale = value.unit == "m" ? system_.length_scale() : 1;
      Holdable one = candidate(fmt::format("{}.{}", value.object, value.quantity), value.value, value.unit,
                               [&](std::size_t k) { return readings_[k][r + 1].value / scale; });
      one.held.driver.kind = Driver::Kind::joint;
      one.held.driver.of = joint->name;
      one.held.driver.equals = {fmt::format("{:.17g}", value.value)};
      all.push_back(std::move(one));
      ++r;
    }
    return all;
  }

  std::vector<Holdable> angles() const {
    std::vector<Holdable> all;
    for (std::size_t b = 0; mechanism_.is_planar && b < mechanism_.bodies.size(); ++b) {
      const Body& body = mechanism_.bodies[b];
      if (body.kind == Body::Kind::point_mass) continue;
      Holdable one = candidate(body.name + ".angle", places_[b].angle, "rad",
                               [&](std::size_t k) { return poses_[k][b].angular_velocity.z(); });
      one.held.driver.kind = Driver::Kind::body_angle;
      one.held.driver.of = body.name;
      one.held.driver.equals = {fmt::format("{:.17g}", places_[b].angle)};
      all.push_back(std::move(one));
    }
    return all;
  }

  // Centres of mass and named points: columns of results have their names.
  std::vector<Holdable> points() const {
    std::vector<Holdable> all;
    for (std::size_t b = 0; b < mechanism_.bodies.size(); ++b)
      for (int axis = 0; axis < dimensions(); ++axis)
        all.push_back(
            component(b, Vec3::Zero(), axis, fmt::format("{}.{}", mechanism_.bodies[b].name, "xyz"[axis])));
    for (const Point& point : mechanism_.points) {
      const auto on = std::ranges::find_if(point.on, [](const Marker& m) { return m.body != kGround; });
      if (on == point.on.end()) continue;
      const auto body = std::ranges::find(mechanism_.bodies, on->body, &Body::name);
      if (body == mechanism_.bodies.end()) continue;
      for (int axis = 0; axis < dimensions(); ++axis)
        all.push_back(component(static_cast<std::size_t>(body - mechanism_.bodies.begin()),
                                on->frame.at - body->com, axis,
                                fmt::format("{}.{}", point.name, "xyz"[axis])));
    }
    return all;
  }

  // In space: places on the axes of bodies, which hold rotations that nothing with a name tells.
  std::vector<Holdable> places_on_axes() const {
    std::vector<Holdable> all;
    for (std::size_t b = 0; !mechanism_.is_planar && b < mechanism_.bodies.size(); ++b) {
      const Body& body = mechanism_.bodies[b];
      const int axes = body.kind == Body::Kind::point_mass ? 0 : body.kind == Body::Kind::rod ? 1 : 3;
      for (int along = 0; along < axes; ++along)
        for (int axis = 0; axis < 3; ++axis) {
          all.push_back(
              component(b, system_.length_scale() * Vec3::Unit(along), axis,
                        fmt::format("{} of the place on the {} axis of {}, {:.3g} m from its centre of mass",
                                    "xyz"[axis], "xyz"[along], body.name, system_.length_scale())));
          all.back().held.freedom = fmt::format("the rotation of {}", body.name);
          all.back().held.driver.name = fmt::format("{}.rotation.{}{}", body.name, "xyz"[axis], "xyz"[along]);
        }
    }
    return all;
  }

 private:
  int dimensions() const { return mechanism_.is_planar ? 2 : 3; }

  // Of a place fixed to a body.
  Holdable component(std::size_t b, const Vec3& from_com, int axis, std::string name) const {
    const Vec3 at = places_[b].position + places_[b].axes * from_com;
    Holdable one = candidate(std::move(name), at[axis], "m", [&](std::size_t k) {
      return material_velocity(poses_[k][b], from_com)[axis] / system_.length_scale();
    });
    one.held.driver.kind = Driver::Kind::position;
    Marker marker;
    marker.body = mechanism_.bodies[b].name;
    marker.frame.at = mechanism_.bodies[b].com + from_com;
    one.held.driver.markers = {marker};
    one.held.driver.equals.assign(static_cast<std::size_t>(dimensions()), "");
    one.held.driver.equals[static_cast<std::size_t>(axis)] = fmt::format("{:.17g}", at[axis]);
    return one;
  }

  template <class Rate>
  Holdable candidate(std::string name, double value, std::string unit, Rate&& rate) const {
    Holdable one{{name, std::move(name), value, std::move(unit), {}},
                 Eigen::VectorXd(static_cast<Eigen::Index>(poses_.size()))};
    one.held.driver.name = one.held.name;
    for (std::size_t k = 0; k < poses_.size(); ++k) one.rates[static_cast<Eigen::Index>(k)] = rate(k);
    return one;
  }

  const system::System& system_;
  const Mechanism& mechanism_;
  system::Terms terms_;
  std::vector<std::vector<system::Reading>> readings_;
  std::vector<std::vector<Pose>> poses_;
  std::vector<system::Reading> values_;
  std::vector<Pose> places_;
};

// Gram–Schmidt: takes the first candidate that moves well in what is left, until nothing is left or none
// moves.
void choose_held(std::vector<Holdable> candidates, Eigen::Index wanted, std::vector<Eigen::VectorXd>& taken,
                 std::vector<HeldFreedom>& held) {
  for (Holdable& one : candidates)
    for (const Eigen::VectorXd& direction : taken) one.rates -= direction.dot(one.rates) * direction;
  while (static_cast<Eigen::Index>(taken.size()) < wanted) {
    double most = 0;
    for (const Holdable& one : candidates) most = std::max(most, one.rates.norm());
    if (most < kMoves) return;
    const auto best = std::ranges::find_if(
        candidates, [&](const Holdable& one) { return one.rates.norm() >= kMovesWell * most; });
    const Eigen::VectorXd direction = best->rates.normalized();
    taken.push_back(direction);
    held.push_back(best->held);
    candidates.erase(best);
    for (Holdable& one : candidates) one.rates -= direction.dot(one.rates) * direction;
  }
}

}  // namespace

Eigen::MatrixXd allowed_velocities(const system::System& system, const State& state) {
  system::Terms terms = system.make_terms();
  system.evaluate(state, system::kAskPosition, terms);
  const auto idle = static_cast<Eigen::Index>(system.idle_columns().size());
  const Eigen::Index rows = system.sizes().holonomic, n = system.sizes().v;
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(rows + idle, n);
  all.topRows(rows) = formulations::unit_rows(system, terms, rows);
  for (Eigen::Index k = 0; k < idle; ++k)
    all(rows + k, system.idle_columns()[static_cast<std::size_t>(k)]) = 1;
  const formulations::Completion completion = formulations::complete_rows(
      all, formulations::rank_tolerance(system, terms), formulations::IndependentChoice::qr);
  const Eigen::Map<const Eigen::VectorXd> scale(system.coordinate_scale().data(), n);
  return scale.asDiagonal() * completion.B.transpose();
}

namespace {

// The basis with length one, and at right angles, in the metric of the bodies' motion |ṙ|²/L² + |ω|²: which
// coordinates move most is then the same in all kinds of coordinates.
Eigen::MatrixXd in_metric_of_bodies(const system::System& system, const State& state,
                                    const Eigen::MatrixXd& R) {
  State s = state;
  Eigen::MatrixXd motion;
  for (Eigen::Index k = 0; k < R.cols(); ++k) {
    std::copy(R.col(k).begin(), R.col(k).end(), s.v.begin());
    const std::vector<Pose> poses = system.poses(s);
    motion.conservativeResize(static_cast<Eigen::Index>(6 * poses.size()), R.cols());
    for (std::size_t b = 0; b < poses.size(); ++b)
      motion.block<6, 1>(static_cast<Eigen::Index>(6 * b), k) << poses[b].velocity / system.length_scale(),
          poses[b].angular_velocity;
  }
  const Eigen::LLT<Eigen::MatrixXd> factor(motion.transpose() * motion);
  if (factor.info() != Eigen::Success) return R;  // a freedom moves no body
  return factor.matrixU().solve<Eigen::OnTheRight>(R);
}

}  // namespace

std::vector<HeldFreedom> undriven_freedoms(const system::System& system, const Mechanism& mechanism,
                                           const State& state) {
  std::vector<HeldFreedom> held;
  Eigen::MatrixXd R = allowed_velocities(system, state);
  if (R.cols() == 0) return held;
  R = in_metric_of_bodies(system, state, R);
  const Holdables candidates(system, mechanism, state, R);
  std::vector<Eigen::VectorXd> taken;
  choose_held(candidates.joints(true), R.cols(), taken, held);
  choose_held(candidates.joints(false), R.cols(), taken, held);
  choose_held(candidates.angles(), R.cols(), taken, held);
  choose_held(candidates.points(), R.cols(), taken, held);
  choose_held(candidates.places_on_axes(), R.cols(), taken, held);
  return held;
}

Mechanism with_held(Mechanism mechanism, const std::vector<HeldFreedom>& held) {
  for (const HeldFreedom& one : held) {
    Driver driver = one.driver;
    while (std::ranges::any_of(mechanism.drivers, [&](const Driver& d) { return d.name == driver.name; }))
      driver.name += "_";
    mechanism.drivers.push_back(std::move(driver));
  }
  return mechanism;
}

}  // namespace trammel::analysis
