#include "simulation/pose_columns.h"

#include <Eigen/Geometry>

namespace trammel::simulation {

void add_channels(std::vector<Channel>& to, const std::string& group, const std::string& dataset,
                  const std::string& name, const std::string& unit, const std::string& components,
                  bool may_be_missing) {
  if (components.empty()) to.push_back({group, dataset, "", unit, name, may_be_missing});
  for (char c : components)
    to.push_back({group, dataset, std::string(1, c), unit, name + "." + c, may_be_missing});
}

PoseColumns::PoseColumns(const Mechanism& mechanism) : planar_(mechanism.is_planar) {
  const std::string axes = planar_ ? "xy" : "xyz";
  for (const Body& body : mechanism.bodies) {
    const std::string group = "bodies/" + body.name;
    add_channels(channels_, group, "position", body.name, "m", axes);
    if (planar_)
      add_channels(channels_, group, "orientation", body.name + ".angle", "rad");
    else
      add_channels(channels_, group, "orientation", body.name + ".q", "", "wxyz");
    add_channels(channels_, group, "velocity", body.name + ".v", "m/s", axes);
    add_channels(channels_, group, "angular_velocity", body.name + ".omega", "rad/s", planar_ ? "" : axes);
  }
  for (const Point& point : mechanism.points) {
    bool moves = true;
    for (const Marker& m : point.on) moves = moves && m.body != kGround;
    moving_point_.push_back(moves);
    if (moves) add_channels(channels_, "points/" + point.name, "position", point.name, "m", axes);
  }
}

void PoseColumns::append(const system::Readable& system, const State& state, std::vector<double>& row) const {
  const int dimensions = planar_ ? 2 : 3;
  const auto push = [&](const Vec3& x) { row.insert(row.end(), x.data(), x.data() + dimensions); };
  for (const Pose& pose : system.poses(state)) {
    push(pose.position);
    if (planar_) {
      row.push_back(pose.angle);
    } else {
      const Eigen::Quaterniond q(pose.axes);
      row.insert(row.end(), {q.w(), q.x(), q.y(), q.z()});
    }
    push(pose.velocity);
    if (planar_)
      row.push_back(pose.angular_velocity.z());
    else
      push(pose.angular_velocity);
  }
  const std::vector<Vec3> points = system.point_positions(state);
  for (std::size_t k = 0; k < points.size(); ++k)
    if (moving_point_[k]) push(points[k]);
}

}  // namespace trammel::simulation
