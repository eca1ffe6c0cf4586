#include "analysis/kinematic_columns.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/differences.h"
#include "expressions/nearest_name.h"
#include "expressions/unknown_name.h"
#include "formulations/rows/rows.h"
#include "linalg/dense.h"

namespace trammel::analysis {
namespace {

// How far the motion is followed for differences, in units of what counts as one: the sixth power is
// rounding.
constexpr double kFollow = 2e-3;
// Squares of speeds below this part of the largest are rounding, and two that differ by less are equal.
constexpr double kRestingSpeed = 1e-12, kEqualSpeeds = 1e-6;
// Differences below so many times their rounding are zero.
constexpr double kDifferenceRounding = 16 * std::numeric_limits<double>::epsilon();
constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();
// Of the fastest speed: below it is the rounding of equations of condition 1e5.
constexpr double kStands = 1e-9;

// Of a sum whose terms have that size together.
void remove_rounding(double& sum, double size) {
  if (std::abs(sum) <= kDifferenceRounding * size) sum = 0;
}

}  // namespace

void KinematicColumns::channel(const std::string& group, const std::string& dataset,
                               const std::string& component, const std::string& unit, const std::string& name,
                               bool may_be_missing) {
  channels_.push_back({group, dataset, component, unit, name, may_be_missing});
}

void KinematicColumns::vector_channels(const std::string& group, const std::string& dataset,
                                       const std::string& unit, const std::string& name) {
  for (const char axis : std::string(mechanism_.is_planar ? "xy" : "xyz"))
    channel(group, dataset, std::string(1, axis), unit, name + "." + axis);
}

KinematicColumns::KinematicColumns(std::shared_ptr<const system::System> system, const Mechanism& mechanism,
                                   const State& start, const KinematicsOptions& choice,
                                   const std::vector<Driver>& own)
    : system_(std::move(system)), mechanism_(mechanism), terms_(system_->make_terms()) {
  now_ = look(start);
  channel("", "time", "", "s", "t");
  describe_bodies();
  describe_joints();
  if (!choice.ratio_to.empty()) choose_ratio(choice.ratio_to, own);
  four_bars_ = four_bars(mechanism_);
  for (const FourBar& loop : four_bars_)
    channel("joints/" + loop.joints[2], "transmission_angle", "", "rad",
            loop.joints[2] + ".transmission_angle");
  for (const std::string& name : choice.curves) {
    curves_.push_back(find_point(name));
    const std::string group = "curves/" + name, title = name + ".curve";
    vector_channels(group, "position", "m", title);
    vector_channels(group, "velocity", "m/s", title + ".v");
    vector_channels(group, "acceleration", "m/s2", title + ".a");
    channel(group, "curvature", "", "1/m", title + ".curvature", true);
  }
  for (const char* level : {"position", "velocity", "acceleration"})
    channel("violation", level, "", "", std::string("violation.") + level);
}

void KinematicColumns::describe_bodies() {
  for (const Body& body : mechanism_.bodies) {
    const std::string group = "bodies/" + body.name;
    vector_channels(group, "position", "m", body.name);
    if (mechanism_.is_planar)
      channel(group, "orientation", "", "rad", body.name + ".angle");
    else
      for (const char part : std::string("wxyz"))
        channel(group, "orientation", std::string(1, part), "", fmt::format("{}.q.{}", body.name, part));
    vector_channels(group, "velocity", "m/s", body.name + ".v");
    const auto turning = [&](const char* dataset, const char* unit, const std::string& name) {
      if (mechanism_.is_planar)
        channel(group, dataset, "", unit, name);
      else
        vector_channels(group, dataset, unit, name);
    };
    turning("angular_velocity", "rad/s", body.name + ".omega");
    vector_channels(group, "acceleration", "m/s2", body.name + ".a");
    turning("angular_acceleration", "rad/s2", body.name + ".alpha");
  }
  for (const Point& point : mechanism_.points) {
    if (std::ranges::any_of(point.on, [](const Marker& m) { return m.body == kGround; })) continue;
    if (point.on.empty()) continue;
    points_.push_back(place(point.on[0].body, point.on[0].frame.at));
    vector_channels("points/" + point.name, "position", "m", point.name);
  }
}

void KinematicColumns::describe_joints() {
  for (std::size_t r = 0; r < now_.readings.size(); ++r) {
    const system::Reading& one = now_.readings[r];
    if (one.object.empty()) {
      channel("columns", one.quantity, "", one.unit, one.quantity, true);
      continue;
    }
    const std::string name = one.object + "." + one.quantity;
    channel("joints/" + one.object, one.quantity, "", one.unit, name);
    if (!one.quantity.ends_with("rate")) continue;
    const std::string unit = one.unit.substr(0, one.unit.find('/')) + "/s2";
    const std::string quantity = one.quantity == "rate"
                                     ? std::string("acceleration")
                                     : one.quantity.substr(0, one.quantity.size() - 4) + "acceleration";
    channel("joints/" + one.object, quantity, "", unit, one.object + "." + quantity);
    rates_.push_back({r - 1, r, one.object});
  }
}

// A joint, or a driver: of a joint or of a body's angle.
void KinematicColumns::choose_ratio(const std::string& name, const std::vector<Driver>& own) {
  std::string joint = name, body;
  std::vector<std::string> known;
  for (const Driver& driver : own) {
    if (driver.kind != Driver::Kind::joint && driver.kind != Driver::Kind::body_angle) continue;
    known.push_back(driver.name);
    if (driver.name == name) (driver.kind == Driver::Kind::joint ? joint : body) = driver.of;
  }
  for (std::size_t b = 0; b < mechanism_.bodies.size(); ++b) {
    const Body& one = mechanism_.bodies[b];
    const bool turns = mechanism_.is_planar && one.kind != Body::Kind::point_mass;
    if (turns) known.push_back(one.name);
    if (one.name == body || (turns && one.name == name)) ratio_body_ = static_cast<int>(b);
  }
  for (std::size_t k = 0; k < rates_.size(); ++k) {
    known.push_back(rates_[k].joint);
    if (rates_[k].joint == joint && ratio_body_ < 0) ratio_joint_ = static_cast<int>(k);
  }
  if (ratio_body_ < 0 && ratio_joint_ < 0)
    throw expressions::UnknownName(
        fmt::format("ratios to '{}' are not known: it is no driver of an angle or joint, no planar body that "
                    "turns and no "
                    "joint with a coordinate; {}",
                    name, expressions::choice_advice(name, known)));
  for (const Rate& rate : rates_) {
    channel("joints/" + rate.joint, "ratio", "", "", rate.joint + ".ratio", true);
    channel("joints/" + rate.joint, "ratio_derivative", "", "", rate.joint + ".ratio_derivative", true);
  }
}

KinematicColumns::Look KinematicColumns::look(const State& s) {
  if (!system_->reads_reactions()) return {system_->poses(s), system_->readings(s, terms_)};
  // Columns of accelerations and reactions need forces: they have no values here.
  State without = s;
  for (auto* values : {&without.a, &without.lambda})
    std::fill(values->begin(), values->end(), std::numeric_limits<double>::quiet_NaN());
  return {system_->poses(s), system_->readings(without, terms_)};
}

KinematicColumns::Place KinematicColumns::place(const std::string& body, const Vec3& local) const {
  for (std::size_t b = 0; b < mechanism_.bodies.size(); ++b)
    if (mechanism_.bodies[b].name == body) return {static_cast<int>(b), local - mechanism_.bodies[b].com};
  return {-1, local};
}

KinematicColumns::Place KinematicColumns::find_point(const std::string& name) const {
  if (const Point* point = mechanism_.point(name); point != nullptr && !point->on.empty())
    return place(point->on[0].body, point->on[0].frame.at);
  std::vector<std::string> known;
  for (const Point& point : mechanism_.points)
    if (std::ranges::find(point.on, kGround, &Marker::body) == point.on.end()) known.push_back(point.name);
  for (const Body& body : mechanism_.bodies) {
    known.push_back(body.name + ".com");
    if (name == known.back()) return place(body.name, body.com);
    for (const auto& [own, at] : body.points) {
      known.push_back(body.name + "." + own);
      if (name == known.back()) return place(body.name, at);
    }
  }
  throw expressions::UnknownName(
      fmt::format("there is no point '{}'; {}", name, expressions::choice_advice(name, known)));
}

Vec3 KinematicColumns::position(const Place& place) const {
  if (place.body < 0) return place.at;
  const Pose& pose = now_.poses[static_cast<std::size_t>(place.body)];
  return pose.position + pose.axes * place.at;
}

void KinematicColumns::accelerate(const State& s) {
  now_ = look(s);
  acceleration_.assign(now_.poses.size(), Vec3::Zero());
  angular_acceleration_ = acceleration_;
  rate_change_.assign(now_.readings.size(), 0);
  // The sums of the sizes of what the differences add.
  std::vector<Vec3> size = acceleration_, angular_size = acceleration_;
  std::vector<double> rate_size = rate_change_;
  double fastest = 0;
  for (std::size_t k = 0; k < s.v.size(); ++k) {
    const double scale = system_->coordinate_scale()[k];
    fastest = std::max({fastest, std::abs(s.v[k]) / scale, std::sqrt(std::abs(s.a[k]) / scale)});
  }
  if (fastest == 0) return;
  const double step = kFollow / fastest;
  std::vector<double> way(s.v.size());
  for (std::size_t k = 0; k < kDifference.size(); ++k)
    for (const double sign : {1.0, -1.0}) {
      const double h = sign * static_cast<double>(k + 1) * step;
      State aside = s;
      aside.t += h;
      for (std::size_t i = 0; i < way.size(); ++i) {
        way[i] = h * s.v[i];
        aside.v[i] += h * s.a[i];
      }
      system_->retract(aside.q, way);
      const Look seen = look(aside);
      const double part = sign * kDifference[k] / step;
      for (std::size_t b = 0; b < seen.poses.size(); ++b) {
        acceleration_[b] += part * seen.poses[b].velocity;
        angular_acceleration_[b] += part * seen.poses[b].angular_velocity;
        size[b] += (part * seen.poses[b].velocity).cwiseAbs();
        angular_size[b] += (part * seen.poses[b].angular_velocity).cwiseAbs();
      }
      for (std::size_t r = 0; r < seen.readings.size(); ++r) {
        rate_change_[r] += part * seen.readings[r].value;
        rate_size[r] += std::abs(part * seen.readings[r].value);
      }
    }
  for (std::size_t b = 0; b < acceleration_.size(); ++b)
    for (int axis = 0; axis < 3; ++axis) {
      remove_rounding(acceleration_[b][axis], size[b][axis]);
      remove_rounding(angular_acceleration_[b][axis], angular_size[b][axis]);
    }
  for (std::size_t r = 0; r < rate_change_.size(); ++r) remove_rounding(rate_change_[r], rate_size[r]);
}

// κ = v × v̇/|v|³, signed in the plane: positive to the left.
void KinematicColumns::add_curve(const Place& place, std::vector<double>& values) const {
  Vec3 v = Vec3::Zero(), a = Vec3::Zero();
  const Vec3 at = position(place);
  if (place.body >= 0) {
    const auto b = static_cast<std::size_t>(place.body);
    const Vec3 arm = now_.poses[b].axes * place.at, &w = now_.poses[b].angular_velocity;
    v = now_.poses[b].velocity + w.cross(arm);
    a = acceleration_[b] + angular_acceleration_[b].cross(arm) + w.cross(w.cross(arm));
  }
  const int axes = mechanism_.is_planar ? 2 : 3;
  for (const Vec3* x : {&at, static_cast<const Vec3*>(&v), static_cast<const Vec3*>(&a)})
    values.insert(values.end(), x->data(), x->data() + axes);
  values.push_back(curvature(v, a));
}

// Speeds and accelerations of all bodies follow from one set of equations, so that each has the rounding of
// the largest.
double KinematicColumns::fastest() const {
  double most = 0;
  for (const Pose& pose : now_.poses)
    most = std::max(most, pose.velocity.norm() + pose.angular_velocity.norm() * system_->length_scale());
  return most;
}

// |v × a|/|v|³. A straight way has the curvature zero, and a point that stands has none.
double KinematicColumns::curvature(const Vec3& v, const Vec3& a) const {
  constexpr double kStraight = 1e-11;
  double hardest = 0;
  for (std::size_t b = 0; b < now_.poses.size(); ++b) {
    const double w = now_.poses[b].angular_velocity.norm(), arm = system_->length_scale();
    hardest = std::max(hardest, acceleration_[b].norm() + (angular_acceleration_[b].norm() + w * w) * arm);
  }
  const Vec3 turn = v.cross(a);
  const double speed = v.norm();
  if (speed <= kStands * fastest()) return kNoValue;
  if (turn.norm() <= kStraight * (fastest() * a.norm() + speed * hardest)) return 0;
  return (mechanism_.is_planar ? turn.z() : turn.norm()) / std::pow(speed, 3);
}

// None where the body or the joint that they refer to stands.
void KinematicColumns::add_ratios(std::vector<double>& values) const {
  const auto b = static_cast<std::size_t>(std::max(0, ratio_body_));
  const std::size_t r = ratio_joint_ >= 0 ? rates_[static_cast<std::size_t>(ratio_joint_)].rate : 0;
  const double speed = ratio_body_ >= 0 ? now_.poses[b].angular_velocity.z() : now_.readings[r].value;
  const double change = ratio_body_ >= 0 ? angular_acceleration_[b].z() : rate_change_[r];
  const bool turns = ratio_body_ >= 0 || now_.readings[r].unit == "rad/s";
  const bool stands = std::abs(speed) * (turns ? system_->length_scale() : 1) <= kStands * fastest();
  for (const Rate& rate : rates_) {
    const double ratio = stands ? kNoValue : now_.readings[rate.rate].value / speed;
    values.push_back(ratio);
    values.push_back(stands ? kNoValue : (rate_change_[rate.rate] - ratio * change) / (speed * speed));
  }
}

void KinematicColumns::add_row(const State& s, const Violation& violation, std::vector<double>& values) {
  accelerate(s);
  const int axes = mechanism_.is_planar ? 2 : 3;
  const auto push = [&](const Vec3& x) { values.insert(values.end(), x.data(), x.data() + axes); };
  const auto turn = [&](const Vec3& x) {
    if (mechanism_.is_planar)
      values.push_back(x.z());
    else
      push(x);
  };
  values.push_back(s.t);
  for (std::size_t b = 0; b < now_.poses.size(); ++b) {
    const Pose& pose = now_.poses[b];
    push(pose.position);
    if (mechanism_.is_planar) {
      values.push_back(pose.angle);
    } else {
      const Eigen::Quaterniond q(pose.axes);
      values.insert(values.end(), {q.w(), q.x(), q.y(), q.z()});
    }
    push(pose.velocity);
    turn(pose.angular_velocity);
    push(acceleration_[b]);
    turn(angular_acceleration_[b]);
  }
  for (const Place& point : points_) push(position(point));
  for (std::size_t r = 0; r < now_.readings.size(); ++r) {
    values.push_back(now_.readings[r].value);
    if (!now_.readings[r].object.empty() && now_.readings[r].quantity.ends_with("rate"))
      values.push_back(rate_change_[r]);
  }
  if (ratio_body_ >= 0 || ratio_joint_ >= 0) add_ratios(values);
  for (const FourBar& loop : four_bars_) {
    const auto joint = [&](std::size_t k, std::size_t body) {
      return position(place(loop.bodies[body], place_on(mechanism_, loop.joints[k], loop.bodies[body])));
    };
    const Vec3 at = joint(2, 2), coupler = joint(1, 2) - at, output = joint(3, 3) - at;
    values.push_back(std::atan2(coupler.cross(output).norm(), coupler.dot(output)));
  }
  for (const Place& curve : curves_) add_curve(curve, values);
  values.insert(values.end(), {violation.position, violation.velocity, violation.acceleration});
}

std::string KinematicColumns::least_determined(const State& s,
                                               const std::vector<std::vector<double>>& velocities) {
  State still = s;
  std::fill(still.v.begin(), still.v.end(), 0.0);
  const Look rest = look(still);
  // Speeds of the joints, a column for each velocity.
  Eigen::MatrixXd speeds(rates_.size(), velocities.size());
  std::string body;
  for (std::size_t k = 0; k < velocities.size(); ++k) {
    State moved = s;
    moved.v = velocities[k];
    const Look seen = look(moved);
    for (std::size_t j = 0; j < rates_.size(); ++j) {
      const double scale = seen.readings[rates_[j].value].unit == "m" ? system_->length_scale() : 1;
      speeds(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(k)) =
          (seen.readings[rates_[j].rate].value - rest.readings[rates_[j].rate].value) / scale;
    }
    for (std::size_t b = 0; body.empty() && b < seen.poses.size(); ++b)
      if (seen.poses[b].velocity.norm() + seen.poses[b].angular_velocity.norm() > 0)
        body = mechanism_.bodies[b].name;
  }
  // Of velocities that are orthonormal in the joints' speeds.
  const linalg::SymmetricEigen eigen = linalg::symmetric_eigen(speeds.transpose() * speeds);
  Eigen::VectorXd parts = Eigen::VectorXd::Zero(speeds.rows());
  for (Eigen::Index k = 0; k < eigen.values.size(); ++k)
    if (eigen.values[k] > kRestingSpeed * eigen.values[eigen.values.size() - 1])
      parts += (speeds * eigen.vectors.col(k)).cwiseAbs2() / eigen.values[k];
  Eigen::Index most = -1;
  for (Eigen::Index j = 0; j < parts.size(); ++j)
    if (parts[j] > (most < 0 ? 0 : parts[most] + kEqualSpeeds)) most = j;
  return most < 0 ? body : rates_[static_cast<std::size_t>(most)].joint;
}

}  // namespace trammel::analysis
