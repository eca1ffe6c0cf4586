#include "system/relative/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <queue>
#include <stdexcept>
#include <tuple>

#include "system/relative/cut_body.h"

namespace trammel::system {
namespace {

using JointKind = Joint::Kind;

// The freedom that a joint leaves to a body which turns or not; nothing for joints that carry no body.
template <int D>
std::optional<TreeKind> tree_kind(JointKind kind, bool turns) {
  switch (kind) {
    case JointKind::pin:
    case JointKind::spherical:
      if (!turns) return TreeKind::carried;
      return D == 2 ? TreeKind::revolute : TreeKind::spherical;
    case JointKind::revolute:
      return turns ? TreeKind::revolute : TreeKind::carried;
    case JointKind::prismatic:
      return TreeKind::prismatic;
    case JointKind::cylindrical:
      return TreeKind::cylindrical;
    case JointKind::universal:
      return TreeKind::universal;
    case JointKind::planar:
      return TreeKind::planar;
    case JointKind::fixed:
      return TreeKind::fixed;
    default:
      return std::nullopt;
  }
}

template <int D>
class Spanning {
 public:
  Spanning(const Mechanism& mechanism, std::span<const std::string> open) : mechanism_(mechanism) {
    index_[kGround] = 0;
    for (std::size_t b = 0; b < mechanism.bodies.size(); ++b)
      index_[mechanism.bodies[b].name] = static_cast<int>(b) + 1;
    edges_.resize(index_.size());
    depth_.resize(index_.size(), 0);
    tree_.carrier.assign(index_.size(), -1);
    reached_.assign(index_.size(), false);
    for (const std::string& name : open)
      if (!mechanism.joint(name) && !mechanism.body(name))
        throw std::invalid_argument(fmt::format("open: there is no joint or body named '{}'", name));
    for (std::size_t j = 0; j < mechanism.joints.size(); ++j)
      if (const std::string& name = mechanism.joints[j].name;
          !is_cut(name) && std::find(open.begin(), open.end(), name) == open.end())
        add_edges(static_cast<int>(j));
  }

  Tree<D> result() {
    reach(0);
    grow();
    for (std::size_t b = 1; b < reached_.size(); ++b)
      if (!reached_[b]) {
        add_free(heaviest_with(static_cast<int>(b)));
        grow();
      }
    return std::move(tree_);
  }

 private:
  struct Edge {
    int to;
    int joint;
    std::size_t from_marker, to_marker;
  };
  // Freedoms that the joint leaves, depth of the carrying body, joint, then which edge it is.
  using Candidate = std::tuple<int, int, int, int, std::size_t>;

  bool turns(int body) const {
    return mechanism_.bodies[static_cast<std::size_t>(body) - 1].kind != Body::Kind::point_mass;
  }
  int body(const Marker& m) const { return index_.at(m.body); }

  void add_edges(int j) {
    const Joint& joint = mechanism_.joints[static_cast<std::size_t>(j)];
    if (!tree_kind<D>(joint.kind, true)) return;
    for (std::size_t k = 1; k < joint.markers.size(); ++k) {
      const int a = body(joint.markers[0]), b = body(joint.markers[k]);
      edges_[static_cast<std::size_t>(a)].push_back({b, j, 0, k});
      edges_[static_cast<std::size_t>(b)].push_back({a, j, k, 0});
    }
  }

  TreeJoint<D> joint_over(int from, const Edge& edge) const {
    const Joint& joint = mechanism_.joints[static_cast<std::size_t>(edge.joint)];
    TreeJoint<D> made;
    made.parent = from;
    made.child = edge.to;
    made.joint = edge.joint;
    made.name = joint.name;
    made.turns = turns(edge.to);
    made.kind = *tree_kind<D>(joint.kind, made.turns);
    if (made.velocities() == 1) made.armature = joint.armature;
    made.parent_frame = joint.markers[edge.from_marker].frame;
    made.child_frame = joint.markers[edge.to_marker].frame;
    // A ball has no axes of its own: those of the bodies spare a change of axes.
    if (made.kind == TreeKind::spherical) made.parent_frame.axes = made.child_frame.axes = Mat3::Identity();
    return made;
  }

  void reach(int from) {
    reached_[static_cast<std::size_t>(from)] = true;
    const auto& edges = edges_[static_cast<std::size_t>(from)];
    for (std::size_t k = 0; k < edges.size(); ++k)
      if (edges[k].to != 0 && !reached_[static_cast<std::size_t>(edges[k].to)])
        frontier_.push({joint_over(from, edges[k]).velocities(), depth_[static_cast<std::size_t>(from)],
                        edges[k].joint, from, k});
  }

  void grow() {
    while (!frontier_.empty()) {
      const auto [freedoms, depth, joint, from, k] = frontier_.top();
      frontier_.pop();
      const Edge& edge = edges_[static_cast<std::size_t>(from)][k];
      if (reached_[static_cast<std::size_t>(edge.to)]) continue;
      depth_[static_cast<std::size_t>(edge.to)] = depth + 1;
      append(joint_over(from, edge));
    }
  }

  // Of bodies that hang together and on nothing else, the heaviest floats and carries the others: a vehicle's
  // frame, not one of its wheels.
  int heaviest_with(int b) const {
    std::vector<int> together = {b};
    std::vector<bool> seen = reached_;
    seen[static_cast<std::size_t>(b)] = true;
    int heaviest = b;
    for (std::size_t k = 0; k < together.size(); ++k) {
      if (mass(together[k]) > mass(heaviest)) heaviest = together[k];
      for (const Edge& edge : edges_[static_cast<std::size_t>(together[k])]) {
        if (edge.to == 0 || seen[static_cast<std::size_t>(edge.to)]) continue;
        seen[static_cast<std::size_t>(edge.to)] = true;
        together.push_back(edge.to);
      }
    }
    return heaviest;
  }
  double mass(int b) const { return mechanism_.bodies[static_cast<std::size_t>(b) - 1].mass; }

  void add_free(int b) {
    const Body& source = mechanism_.bodies[static_cast<std::size_t>(b) - 1];
    TreeJoint<D> made;
    made.child = b;
    made.name = source.name;
    made.turns = turns(b);
    made.child_frame.at = source.com;
    append(made);
  }

  void append(TreeJoint<D> joint) {
    joint.q = tree_.positions;
    joint.v = tree_.velocities;
    tree_.positions += joint.positions();
    tree_.velocities += joint.velocities();
    tree_.carrier[static_cast<std::size_t>(joint.child)] = static_cast<int>(tree_.joints.size());
    tree_.joints.push_back(joint);
    tree_.coordinates.push_back(joint.coordinates());
    reach(joint.child);
  }

  const Mechanism& mechanism_;
  std::map<std::string, int> index_;
  std::vector<std::vector<Edge>> edges_;  // by body
  std::vector<int> depth_;
  std::vector<bool> reached_;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> frontier_;
  Tree<D> tree_;
};

}  // namespace

template <int D>
int Tree<D>::meeting(int a, int b) const {
  std::vector<int> above{a};
  climb(a, 0, [&](const TreeJoint<D>& joint) { above.push_back(joint.parent); });
  if (std::find(above.begin(), above.end(), b) != above.end()) return b;
  int found = 0;
  climb(b, 0, [&](const TreeJoint<D>& joint) {
    if (found == 0 && std::find(above.begin(), above.end(), joint.parent) != above.end())
      found = joint.parent;
  });
  return found;
}

template <int D>
Tree<D> span_tree(const Mechanism& mechanism, std::span<const std::string> open) {
  return Spanning<D>(mechanism, open).result();
}

template struct Tree<2>;
template struct Tree<3>;
template Tree<2> span_tree<2>(const Mechanism&, std::span<const std::string>);
template Tree<3> span_tree<3>(const Mechanism&, std::span<const std::string>);

}  // namespace trammel::system
