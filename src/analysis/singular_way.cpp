// The way of a mechanism with one freedom, followed both ways in steps of equal length; where the gauge has a
// minimum between three of them, golden section tells whether it is zero.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "analysis/held_freedoms.h"
#include "analysis/singularity_gauge.h"
#include "formulations/projection/assembly.h"

namespace trammel::analysis {
namespace {

// More equations would take longer than a person waits.
constexpr int kMostEquations = 100;
// A step turns or moves what is fastest by so much; so many steps make more than two turns.
constexpr double kStepOfWay = 0.03;
constexpr int kStepsOfWay = 400;
// A correction longer than this part of a step has left the way.
constexpr double kOffWay = 0.5;
// Positions this near to the first close the way.
constexpr double kClosesWay = 0.6 * kStepOfWay;
constexpr double kNarrowedStep = 1e-8;
// A gauge that falls to this part of its neighbours is zero: the position is closed to 1e-7 there.
constexpr double kVanishes = 1e-4;

class WayCoordinate {
 public:
  WayCoordinate(const JointEquations& equations) : equations_(equations) {
    Mechanism alone = equations.mechanism();
    alone.drivers.clear();
    const system::System& system = equations.undriven();
    std::vector<HeldFreedom> candidates = undriven_freedoms(system, alone, equations.start());
    if (!candidates.empty()) held_ = candidates.front();
    // That of a driver, if there is one that has a coordinate.
    for (const Driver& driver : equations.mechanism().drivers) {
      if (driver.kind == Driver::Kind::joint || driver.kind == Driver::Kind::body_angle) {
        held_.driver = driver;
        held_.name = driver.name;
        held_.unit = "rad";
        for (const system::Reading& reading : readings(equations.start()))
          if (reading.object == driver.of && is_coordinate(reading)) {
            held_.name = reading.object + "." + reading.quantity;
            held_.unit = reading.unit;
          }
        if (driver.kind == Driver::Kind::body_angle) held_.name = driver.of + ".angle";
        break;
      }
    }
  }
  const std::string& name() const { return held_.name; }
  const std::string& unit() const { return held_.unit; }

  double value(const State& s) const {
    const Mechanism& mechanism = equations_.mechanism();
    if (held_.driver.kind == Driver::Kind::joint) {
      for (const system::Reading& reading : readings(s))
        if (reading.object == held_.driver.of && is_coordinate(reading)) return reading.value;
      return 0;
    }
    const std::vector<Pose> poses = equations_.undriven().poses(s);
    for (std::size_t b = 0; b < poses.size(); ++b) {
      if (held_.driver.kind == Driver::Kind::body_angle && mechanism.bodies[b].name == held_.driver.of)
        return poses[b].angle;
      if (held_.driver.kind != Driver::Kind::position ||
          held_.driver.markers[0].body != mechanism.bodies[b].name)
        continue;
      const Vec3 at =
          poses[b].position + poses[b].axes * (held_.driver.markers[0].frame.at - mechanism.bodies[b].com);
      for (std::size_t axis = 0; axis < held_.driver.equals.size(); ++axis)
        if (!held_.driver.equals[axis].empty()) return at[static_cast<Eigen::Index>(axis)];
    }
    return 0;
  }

 private:
  static bool is_coordinate(const system::Reading& reading) {
    return reading.quantity == "angle" || reading.quantity == "displacement";
  }
  std::vector<system::Reading> readings(const State& s) const {
    system::Terms terms = equations_.undriven().make_terms();
    return equations_.undriven().readings(s, terms);
  }

  const JointEquations& equations_;
  HeldFreedom held_;
};

class WayFollower {
 public:
  WayFollower(const JointEquations& equations, int rank)
      : equations_(equations), system_(equations.undriven()), rank_(rank), coordinate_(equations) {}

  SingularWay follow() {
    SingularWay way;
    if (!tangent(equations_.start(), nullptr, first_)) return way;
    way.followed = way.whole = true;
    for (const double sign : {1.0, -1.0}) {
      const End end = follow(sign, way);
      way.whole = way.whole && end != End::far;
      if (end == End::closed) break;  // all of it was seen
    }
    return way;
  }

 private:
  enum class End { singular, closed, far };

  double gauge(const State& s) const { return singularity_gauge(equations_, s, rank_).value; }

  // The velocity that the joints allow, the fastest coordinate at one; false: there are several, or none.
  bool tangent(const State& s, const Eigen::VectorXd* like, Eigen::VectorXd& direction) const {
    const Eigen::MatrixXd R = allowed_velocities(system_, s);
    if (R.cols() != 1) return false;
    direction = R.col(0) / R.col(0).cwiseQuotient(scale()).cwiseAbs().maxCoeff();
    if (like != nullptr && direction.cwiseQuotient(scale()).dot(like->cwiseQuotient(scale())) < 0)
      direction = -direction;
    return true;
  }
  Eigen::Map<const Eigen::VectorXd> scale() const {
    return {system_.coordinate_scale().data(), static_cast<Eigen::Index>(system_.coordinate_scale().size())};
  }
  double apart(const State& a, const State& b) const {
    std::vector<double> way(a.v.size());
    system_.difference(a.q, b.q, way);
    double largest = 0;
    for (std::size_t k = 0; k < way.size(); ++k)
      largest = std::max(largest, std::abs(way[k]) / system_.coordinate_scale()[k]);
    return largest;
  }
  // Where it began, whatever turns were made.
  bool is_back(const State& s) const {
    const std::vector<Pose> first = system_.poses(equations_.start()), now = system_.poses(s);
    double largest = 0;
    for (std::size_t b = 0; b < now.size(); ++b)
      largest = std::max({largest, (now[b].position - first[b].position).norm() / system_.length_scale(),
                          (now[b].axes - first[b].axes).cwiseAbs().maxCoeff()});
    return largest < kClosesWay;
  }
  // A step along a direction, closed again; false: it does not close near there.
  bool step(const State& from, const Eigen::VectorXd& direction, double length, State& to) const {
    const Eigen::VectorXd move = length * direction;
    to = from;
    system_.retract(to.q, {move.data(), static_cast<std::size_t>(move.size())});
    const State predicted = to;
    const AssemblyReport closed = formulations::assemble_positions(system_, to);
    return closed.report.accepted() && apart(predicted, to) <= kOffWay * std::abs(length) + kNarrowedStep;
  }

  End follow(double sign, SingularWay& way) {
    State before, at = equations_.start(), next;
    Eigen::VectorXd direction = sign * first_, before_direction = direction;
    double sigma_before = INFINITY, sigma = gauge(at), travelled = 0;
    way.least = std::min(way.least, sigma);
    for (int k = 0; k < kStepsOfWay; ++k) {
      if (!step(at, direction, kStepOfWay, next)) return End::far;
      const double sigma_next = gauge(next);
      if (sigma < sigma_before && sigma <= sigma_next && k > 0) {
        State lowest;
        const double least = narrowed(before, before_direction, lowest);
        way.least = std::min(way.least, least);
        if (least <= kVanishes * std::min(sigma_before, sigma_next)) {
          note(travelled + change(before, lowest), way);
          return End::singular;
        }
      }
      way.least = std::min(way.least, sigma_next);
      travelled += k > 0 ? change(before, at) : 0;
      before = at;
      before_direction = direction;
      sigma_before = sigma;
      at = next;
      sigma = sigma_next;
      const Eigen::VectorXd like = direction;
      if (!tangent(at, &like, direction)) return End::far;
      if (k > 5 && is_back(at)) return End::closed;
    }
    return End::far;
  }

  // Between the position and two steps further.
  double narrowed(const State& from, const Eigen::VectorXd& direction, State& lowest) const {
    const double golden = std::numbers::phi - 1;
    const auto at = [&](double length, State& s) {
      return step(from, direction, length, s) ? gauge(s) : INFINITY;
    };
    double a = 0, b = 2 * kStepOfWay, c = b - golden * (b - a), d = a + golden * (b - a);
    State at_c, at_d;
    double sigma_c = at(c, at_c), sigma_d = at(d, at_d);
    while (b - a > kNarrowedStep) {
      if (sigma_c < sigma_d) {
        b = d, d = c, sigma_d = sigma_c, at_d = at_c;
        c = b - golden * (b - a);
        sigma_c = at(c, at_c);
      } else {
        a = c, c = d, sigma_c = sigma_d, at_c = at_d;
        d = a + golden * (b - a);
        sigma_d = at(d, at_d);
      }
    }
    lowest = sigma_c < sigma_d ? at_c : at_d;
    return std::min(sigma_c, sigma_d);
  }

  double change(const State& from, const State& to) const {
    const double by = coordinate_.value(to) - coordinate_.value(from);
    return coordinate_.unit() == "rad" ? std::remainder(by, 2 * std::numbers::pi) : by;
  }
  void note(double distance, SingularWay& way) const {
    if (way.nearest && std::abs(way.nearest->distance) <= std::abs(distance)) return;
    way.nearest = {coordinate_.name(), coordinate_.unit(), coordinate_.value(equations_.start()) + distance,
                   distance};
  }

  const JointEquations& equations_;
  const system::System& system_;
  int rank_;
  WayCoordinate coordinate_;
  Eigen::VectorXd first_;
};

}  // namespace

SingularWay singular_way(const JointEquations& equations, int rank) {
  if (equations.mechanism().generalized || equations.count() > kMostEquations) return {};
  return WayFollower(equations, rank).follow();
}

}  // namespace trammel::analysis
