#include "judge.h"

#include <Eigen/Geometry>
#include <cmath>

namespace trammel::bench {

double Accuracy::excess(const Judgement& motion) const {
  if (!motion.failure.empty()) return INFINITY;
  const double worst = std::max({motion.energy / energy, motion.gap / gap, motion.trajectory / trajectory});
  return std::isfinite(motion.energy + motion.gap + motion.trajectory) ? worst : INFINITY;
}

Judge::Judge(const Subject& subject) : subject_(subject), angle_(subject.mechanism.bodies.size(), 0.0) {
  for (std::size_t b = 0; b < subject.mechanism.bodies.size(); ++b)
    index_[subject.mechanism.bodies[b].name] = b;
}

// The body's own axes: origin and orientation.
Frame Judge::frame(const std::string& body, const std::vector<Pose>& poses) const {
  if (body == kGround) return {};
  const std::size_t b = index_.at(body);
  return {poses[b].position - poses[b].axes * subject_.mechanism.bodies[b].com, poses[b].axes};
}

void Judge::see(std::size_t k, const std::vector<Pose>& poses) {
  follow_torques(poses);
  const Problem& problem = subject_.problem;
  const double now = energy(poses);
  if (k == 0) start_energy_ = now;
  const Frame body = frame(problem.body, poses);
  const Vec3 point = body.at + body.axes * problem.point;
  const auto take = [](double& largest, double x) {
    largest = std::isnan(x) ? INFINITY : std::max(largest, x);
  };
  take(judgement_.energy, std::abs(now - start_energy_) / problem.kinetic_energy);
  take(judgement_.gap, gap(poses) / problem.length);
  take(judgement_.trajectory, (point - subject_.reference[k].at).norm() / problem.length);
}

// Rotation since the last sample, less than half a turn.
void Judge::follow_torques(const std::vector<Pose>& poses) {
  for (std::size_t b = 0; b < poses.size() && !last_.empty(); ++b) {
    const Vec3 x = last_[b].axes.col(0), now = poses[b].axes.col(0);
    angle_[b] += std::atan2(x[0] * now[1] - x[1] * now[0], x[0] * now[0] + x[1] * now[1]);
  }
  last_ = poses;
}

double Judge::energy(const std::vector<Pose>& poses) const {
  const Mechanism& m = subject_.mechanism;
  double sum = 0;
  for (std::size_t b = 0; b < poses.size(); ++b) {
    const Vec3 spin = poses[b].axes.transpose() * poses[b].angular_velocity;
    sum +=
        0.5 * m.bodies[b].mass * poses[b].velocity.squaredNorm() + 0.5 * spin.dot(m.bodies[b].inertia * spin);
    sum -= m.bodies[b].mass * m.gravity.dot(poses[b].position);
  }
  for (const Force& force : m.forces) {
    if (const auto* spring = std::get_if<SpringDamper>(&force.law)) {
      const Frame a = frame(spring->a.body, poses), b = frame(spring->b.body, poses);
      const Vec3 d = b.at + b.axes * spring->b.frame.at - a.at - a.axes * spring->a.frame.at;
      const double stretch = d.norm() - spring->length;
      sum += 0.5 * spring->stiffness * stretch * stretch;
    } else if (const auto* torque = std::get_if<AppliedTorque>(&force.law)) {
      sum -= std::stod(torque->components.back()) * angle_[index_.at(torque->body)];
    }
  }
  return sum;
}

double Judge::gap(const std::vector<Pose>& poses) const {
  double worst = 0;
  for (const Joint& joint : subject_.mechanism.joints) {
    const double size = joint_gap(joint, poses);
    if (!(size <= worst)) worst = size;
  }
  return worst;
}

double Judge::joint_gap(const Joint& joint, const std::vector<Pose>& poses) const {
  const auto place = [&](const Marker& marker) {
    const Frame body = frame(marker.body, poses);
    return Frame{body.at + body.axes * marker.frame.at, body.axes * marker.frame.axes};
  };
  const Frame first = place(joint.markers[0]);
  double worst = 0;
  for (std::size_t k = 1; k < joint.markers.size(); ++k) {
    const Frame other = place(joint.markers[k]);
    const Vec3 d = other.at - first.at, axis = first.axes.col(2);
    const double tilt = subject_.problem.length * axis.cross(other.axes.col(2)).norm();
    double size = d.norm();
    if (joint.kind == Joint::Kind::distance) size = std::abs(size - joint.value);
    if (joint.kind == Joint::Kind::revolute) size = std::max(size, tilt);
    if (joint.kind == Joint::Kind::prismatic) size = std::max(d.cross(axis).norm(), tilt);
    if (!(size <= worst)) worst = size;
  }
  return worst;
}

}  // namespace trammel::bench
