#include "peers/links.h"

#include <Eigen/Geometry>

namespace trammel::bench {

Vec3 Links::relative_spin(const Link& child) const {
  const Tie& tie = tie_of(child);
  const Vec3 base = child.parent < 0 ? Vec3::Zero() : links[static_cast<std::size_t>(child.parent)].spin;
  return (place(child.parent).axes * tie.on_a.axes).transpose() * (child.spin - base);
}

Vec3 Links::relative_velocity(const Link& child) const {
  const Tie& tie = tie_of(child);
  const Vec3 joint = child.frame.at + child.frame.axes * tie.on_b.at;
  Vec3 velocity = child.velocity + child.spin.cross(joint - child.frame.at);
  if (child.parent >= 0) {
    const Link& parent = links[static_cast<std::size_t>(child.parent)];
    velocity -= parent.velocity + parent.spin.cross(joint - parent.frame.at);
  }
  return (place(child.parent).axes * tie.on_a.axes).transpose() * velocity;
}

}  // namespace trammel::bench
