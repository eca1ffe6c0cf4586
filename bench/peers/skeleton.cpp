#include "peers/skeleton.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <queue>
#include <stdexcept>

namespace trammel::bench {
namespace {

// m (r² 1 − r rᵀ)
Mat3 point_inertia(double mass, const Vec3& r) {
  return mass * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
}

// A slender rod has no inertia about its axis and a planar body only one: what other programs need besides,
// too small to matter.
Mat3 positive(const Mat3& inertia) {
  // A billionth of the largest: 1e-9 of the motion's energy at most.
  const double least = 1e-9 * inertia.diagonal().maxCoeff();
  Mat3 result = inertia;
  // In the plane only I_zz is given; I_x + I_y ≥ I_z must hold.
  if (result(0, 0) == 0 && result(1, 1) == 0) result(0, 0) = result(1, 1) = 0.5 * result(2, 2) * (1 + 1e-9);
  for (int k = 0; k < 3; ++k) result(k, k) = std::max(result(k, k), least);
  return result;
}

}  // namespace

Skeleton::Skeleton(const Subject& subject) : subject_(subject) {
  all_.gravity = subject.mechanism.gravity;
  all_.is_planar = subject.mechanism.is_planar;
  collect_links();
  collect_ties();
  collect_forces();
  grow_tree();
}

void Skeleton::collect_links() {
  const Mechanism& m = subject_.mechanism;
  for (const Joint& joint : m.joints)
    for (const Marker& marker : joint.markers) {
      const Body* body = m.body(marker.body);
      if (!body || body->kind != Body::Kind::point_mass) continue;
      for (const Marker& other : joint.markers)
        if (other.body != body->name) carried_[body->name] = {other.body, other.frame.at};
    }
  for (std::size_t b = 0; b < m.bodies.size(); ++b) {
    const Body& body = m.bodies[b];
    if (body.kind == Body::Kind::point_mass) continue;
    const Pose& pose = subject_.start[b];
    Link link{
        body.name, body.mass, body.com, body.inertia, {pose.position - pose.axes * body.com, pose.axes}};
    link.spin = pose.angular_velocity;
    link.velocity = pose.velocity - pose.angular_velocity.cross(pose.axes * body.com);
    for (const Body& point : m.bodies) {
      const auto carrier = carried_.find(point.name);
      if (carrier == carried_.end() || carrier->second.first != body.name) continue;
      const double mass = link.mass + point.mass;
      const Vec3 com = (link.mass * link.com + point.mass * carrier->second.second) / mass;
      link.inertia +=
          point_inertia(link.mass, link.com - com) + point_inertia(point.mass, carrier->second.second - com);
      link.mass = mass;
      link.com = com;
    }
    link.inertia = positive(link.inertia);
    link_index_[body.name] = static_cast<int>(all_.links.size());
    all_.links.push_back(link);
  }
}

int Skeleton::link_of(const std::string& body) const {
  return body == kGround ? kGroundLink : link_index_.at(body);
}

void Skeleton::collect_ties() {
  for (const Joint& joint : subject_.mechanism.joints) {
    Tie tie;
    switch (joint.kind) {
      case Joint::Kind::pin:
        tie.kind = all_.is_planar ? Tie::Kind::revolute : Tie::Kind::spherical;
        break;
      case Joint::Kind::revolute:
        tie.kind = Tie::Kind::revolute;
        break;
      case Joint::Kind::spherical:
        tie.kind = Tie::Kind::spherical;
        break;
      case Joint::Kind::prismatic:
        tie.kind = Tie::Kind::prismatic;
        break;
      case Joint::Kind::distance:
        tie.kind = Tie::Kind::distance;
        break;
      default:
        throw std::runtime_error("the benchmark has no such joint for other programs: " + joint.name);
    }
    tie.length = joint.value;
    // A pin of several bodies ties each to the one that is nearest to ground: ground itself, or the first.
    std::vector<Marker> markers = joint.markers;
    std::erase_if(markers, [&](const Marker& marker) { return carried_.count(marker.body) > 0; });
    std::stable_partition(markers.begin(), markers.end(), [](const Marker& k) { return k.body == kGround; });
    for (std::size_t k = 1; k < markers.size(); ++k) {
      tie.a = link_of(markers[0].body);
      tie.b = link_of(markers[k].body);
      tie.on_a = {markers[0].frame.at, markers[0].frame.axes};
      tie.on_b = {markers[k].frame.at, markers[k].frame.axes};
      all_.ties.push_back(tie);
    }
  }
}

void Skeleton::collect_forces() {
  for (const Force& force : subject_.mechanism.forces) {
    if (const auto* spring = std::get_if<SpringDamper>(&force.law)) {
      all_.springs.push_back({link_of(spring->a.body), link_of(spring->b.body), spring->a.frame.at,
                              spring->b.frame.at, spring->stiffness, spring->damping, spring->length});
    } else if (const auto* torque = std::get_if<AppliedTorque>(&force.law)) {
      all_.torques.push_back({link_of(torque->body), Vec3(0, 0, std::stod(torque->components.back()))});
    } else {
      throw std::runtime_error("the benchmark has no such force for other programs: " + force.name);
    }
  }
}

// Breadth first; then links in an order in which parents come first.
void Skeleton::grow_tree() {
  std::vector<int> order;
  std::vector<bool> reached(all_.links.size(), false);
  const auto grow_from = [&](int root) {
    std::queue<int> front;
    front.push(root);
    while (!front.empty()) {
      const int parent = front.front();
      front.pop();
      for (std::size_t t = 0; t < all_.ties.size(); ++t) {
        Tie& tie = all_.ties[t];
        if (tie.kind == Tie::Kind::distance || tie.in_tree || (tie.a != parent && tie.b != parent)) continue;
        const int child = tie.a == parent ? tie.b : tie.a;
        if (child < 0 || reached[static_cast<std::size_t>(child)]) continue;
        if (tie.a != parent) std::swap(tie.a, tie.b), std::swap(tie.on_a, tie.on_b);
        tie.in_tree = true;
        reached[static_cast<std::size_t>(child)] = true;
        all_.links[static_cast<std::size_t>(child)].parent = parent;
        all_.links[static_cast<std::size_t>(child)].tie = static_cast<int>(t);
        order.push_back(child);
        front.push(child);
      }
    }
  };
  grow_from(kGroundLink);
  for (std::size_t k = 0; k < all_.links.size(); ++k)
    if (!reached[k]) {
      reached[k] = true;
      order.push_back(static_cast<int>(k));
      grow_from(static_cast<int>(k));
    }
  std::vector<int> place(all_.links.size());
  std::vector<Link> sorted;
  for (const int k : order) {
    place[static_cast<std::size_t>(k)] = static_cast<int>(sorted.size());
    sorted.push_back(all_.links[static_cast<std::size_t>(k)]);
  }
  const auto rename = [&](int& link) {
    if (link >= 0) link = place[static_cast<std::size_t>(link)];
  };
  for (Link& link : sorted) rename(link.parent);
  for (Tie& tie : all_.ties) rename(tie.a), rename(tie.b);
  for (Spring& spring : all_.springs) rename(spring.a), rename(spring.b);
  for (Torque& torque : all_.torques) rename(torque.on);
  for (auto& [name, link] : link_index_) rename(link);
  all_.links = std::move(sorted);
}

std::vector<Pose> Skeleton::poses(const std::vector<LinkState>& states) const {
  std::vector<Pose> all;
  for (const Body& body : subject_.mechanism.bodies) {
    const auto carrier = carried_.find(body.name);
    const bool is_carried = carrier != carried_.end();
    const LinkState& link =
        states[static_cast<std::size_t>(link_of(is_carried ? carrier->second.first : body.name))];
    const Vec3 arm = link.frame.axes * (is_carried ? carrier->second.second : body.com);
    Pose pose;
    pose.position = link.frame.at + arm;
    pose.axes = link.frame.axes;
    pose.velocity = link.velocity + link.spin.cross(arm);
    pose.angular_velocity = link.spin;
    all.push_back(pose);
  }
  return all;
}

}  // namespace trammel::bench
