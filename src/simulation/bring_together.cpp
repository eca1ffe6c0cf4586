#include "simulation/bring_together.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "mechanism/joint_kinds.h"

namespace trammel::simulation {
namespace {

// Of the length: more than formulations leave open, less than a person sees.
constexpr double kOpen = 1e-3;

// Two places of a joint, each on a body by index; ground is the last.
struct Link {
  const Joint* joint;
  const Marker *first, *second;
  std::size_t a, b;
};

class Groups {
 public:
  Groups(const Mechanism& mechanism, double length, std::vector<Pose>& poses)
      : mechanism_(mechanism),
        length_(length),
        poses_(poses),
        group_(poses.size() + 1),
        placed_(poses.size() + 1) {
    std::iota(group_.begin(), group_.end(), std::size_t{0});
    for (const Joint& joint : mechanism.joints)
      for (std::size_t k = 1; k < joint.markers.size(); ++k)
        links_.push_back({&joint, &joint.markers[0], &joint.markers[k], index(joint.markers[0].body),
                          index(joint.markers[k].body)});
    for (const Link& link : links_)
      if (const auto d = gap(link); d && d->norm() <= kOpen * length_) join(group_[link.a], group_[link.b]);
  }

  bool bring() {
    bool moved = false;
    placed_[group_.back()] = true;
    for (std::size_t next = 0; next < poses_.size();) {
      if (const Link* link = to_what_is_placed()) {
        follow(*link);
        moved = true;
      } else if (placed_[group_[next]]) {
        ++next;
      } else {
        placed_[group_[next]] = true;
      }
    }
    return moved;
  }

 private:
  std::size_t index(const std::string& body) const {
    const auto at = std::ranges::find(mechanism_.bodies, body, &Body::name);
    return static_cast<std::size_t>(at - mechanism_.bodies.begin());
  }
  void join(std::size_t one, std::size_t other) { std::replace(group_.begin(), group_.end(), other, one); }
  Frame frame(std::size_t body) const {
    if (body == poses_.size()) return {};
    const Pose& pose = poses_[body];
    return {pose.position - pose.axes * mechanism_.bodies[body].com, pose.axes};
  }

  // The translation of the second body that closes the joint's places; nothing for joints that hold none.
  std::optional<Vec3> gap(const Link& link) const {
    const Frame a = frame(link.a), b = frame(link.b);
    const Vec3 d = a.at + a.axes * link.first->frame.at - b.at - b.axes * link.second->frame.at;
    const Mat3 axes = b.axes * link.second->frame.axes;
    switch (mechanism::about(link.joint->kind).hold) {
      case mechanism::JointHold::nothing:
        return std::nullopt;
      case mechanism::JointHold::point:
        return d;
      case mechanism::JointHold::line: {
        const Vec3 along = axes.col(mechanism_.is_planar ? 0 : 2);
        return d - d.dot(along) * along;
      }
      case mechanism::JointHold::plane:
        return d.dot(axes.col(2)) * axes.col(2);
      case mechanism::JointHold::distance:
        return d.norm() > 0 ? Vec3(d * (1 - link.joint->value / d.norm())) : Vec3::Zero();
    }
    return std::nullopt;
  }

  const Link* to_what_is_placed() const {
    const auto at = std::ranges::find_if(links_, [&](const Link& link) {
      return placed_[group_[link.a]] != placed_[group_[link.b]] && gap(link);
    });
    return at == links_.end() ? nullptr : &*at;
  }

  void follow(const Link& link) {
    const bool second = placed_[group_[link.a]];
    const std::size_t coming = group_[second ? link.b : link.a];
    const Vec3 shift = second ? *gap(link) : Vec3(-*gap(link));
    for (std::size_t b = 0; b < poses_.size(); ++b)
      if (group_[b] == coming) poses_[b].position += shift;
    join(group_[second ? link.a : link.b], coming);
  }

  const Mechanism& mechanism_;
  double length_;
  std::vector<Pose>& poses_;
  std::vector<Link> links_;
  std::vector<std::size_t> group_;  // of each body and of ground
  std::vector<bool> placed_;        // by group
};

}  // namespace

bool bring_together(const Mechanism& mechanism, double length, std::vector<Pose>& poses) {
  return Groups(mechanism, length, poses).bring();
}

}  // namespace trammel::simulation
