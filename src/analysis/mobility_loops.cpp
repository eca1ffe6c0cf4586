#include "analysis/mobility_loops.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <queue>
#include <set>

#include "mechanism/joint_kinds.h"

namespace trammel::analysis {
namespace {

// Paths from every node, up to so many loops in all; beyond, from ground alone: loops may then be longer than
// need be.
constexpr std::size_t kMostLoops = 200000;

// A twist that changes an equation by less is not held by it.
constexpr double kNotHeld = 1e-9;

// Nodes: ground, bodies, then joints.
struct LoopGraph {
  struct Edge {
    int a = 0, b = 0;
  };
  explicit LoopGraph(const Mechanism& mechanism) : next(mechanism.bodies.size() + 1) {
    std::map<std::string, int> node{{kGround, 0}};
    for (const Body& body : mechanism.bodies) node.emplace(body.name, static_cast<int>(node.size()));
    for (std::size_t j = 0; j < mechanism.joints.size(); ++j) {
      const Joint& joint = mechanism.joints[j];
      if (mechanism::about(joint.kind).equations.in(mechanism.is_planar) == 0) continue;
      std::set<int> ties;
      for (const Marker& marker : joint.markers) ties.insert(node.at(marker.body));
      if (ties.size() < 2) continue;
      const auto at = static_cast<int>(next.size());
      joints.push_back(j);
      next.emplace_back();
      for (const int body : ties) {
        const auto edge = static_cast<int>(edges.size());
        edges.push_back({body, at});
        next[static_cast<std::size_t>(body)].emplace_back(at, edge);
        next.back().emplace_back(body, edge);
      }
    }
  }
  bool is_joint(int node, const Mechanism& mechanism) const {
    return node > static_cast<int>(mechanism.bodies.size());
  }

  std::vector<Edge> edges;
  std::vector<std::vector<std::pair<int, int>>> next;  // neighbours of a node, each with the edge
  std::vector<std::size_t> joints;                     // of the nodes that follow the bodies
};

// A loop as its nodes in order, and as the set of its edges.
struct Cycle {
  std::vector<int> nodes;
  std::vector<std::uint64_t> edges;
};

class PathTree {
 public:
  PathTree(const LoopGraph& graph, int root)
      : graph_(graph), parent_(graph.next.size(), -1), by_(graph.next.size(), -1), root_(root) {
    std::vector<bool> seen(graph.next.size(), false);
    std::queue<int> queue;
    queue.push(root);
    seen[static_cast<std::size_t>(root)] = true;
    while (!queue.empty()) {
      const int at = queue.front();
      queue.pop();
      reached_.push_back(at);
      for (const auto& [to, edge] : graph.next[static_cast<std::size_t>(at)]) {
        if (seen[static_cast<std::size_t>(to)]) continue;
        seen[static_cast<std::size_t>(to)] = true;
        parent_[static_cast<std::size_t>(to)] = at;
        by_[static_cast<std::size_t>(to)] = edge;
        queue.push(to);
      }
    }
  }
  const std::vector<int>& reached() const { return reached_; }
  bool reaches(int node) const { return node == root_ || by_[static_cast<std::size_t>(node)] >= 0; }

  // The loops that the edges beside the tree close; at the root alone: only those that meet nowhere else.
  void add_cycles(bool at_root_alone, std::vector<Cycle>& cycles) const {
    for (std::size_t e = 0; e < graph_.edges.size(); ++e) {
      const auto [a, b] = graph_.edges[e];
      if (!reaches(a) || by_[static_cast<std::size_t>(a)] == static_cast<int>(e) ||
          by_[static_cast<std::size_t>(b)] == static_cast<int>(e))
        continue;
      std::vector<int> left = path(a), right = path(b);
      int meet = root_;
      while (left.size() > 1 && right.size() > 1 && left[left.size() - 2] == right[right.size() - 2]) {
        left.pop_back();
        right.pop_back();
        meet = left.back();
      }
      if (at_root_alone && meet != root_) continue;
      Cycle cycle;
      cycle.edges.assign((graph_.edges.size() + 63) / 64, 0);
      const auto mark = [&](std::size_t edge) { cycle.edges[edge / 64] ^= std::uint64_t{1} << (edge % 64); };
      mark(e);
      for (std::size_t k = 0; k + 1 < left.size(); ++k)
        mark(static_cast<std::size_t>(by_[static_cast<std::size_t>(left[k])]));
      for (std::size_t k = 0; k + 1 < right.size(); ++k)
        mark(static_cast<std::size_t>(by_[static_cast<std::size_t>(right[k])]));
      cycle.nodes.assign(left.rbegin(), left.rend());
      cycle.nodes.insert(cycle.nodes.end(), right.begin(), right.end() - 1);
      cycles.push_back(std::move(cycle));
    }
  }

 private:
  // From a node to the root.
  std::vector<int> path(int node) const {
    std::vector<int> nodes{node};
    while (nodes.back() != root_) nodes.push_back(parent_[static_cast<std::size_t>(nodes.back())]);
    return nodes;
  }

  const LoopGraph& graph_;
  std::vector<int> parent_, by_, reached_;
  int root_;
};

std::vector<Cycle> shortest_cycles(const LoopGraph& graph) {
  // From ground first: of loops as long as each other, those through ground are listed.
  std::vector<bool> done(graph.next.size(), false);
  std::vector<Cycle> candidates;
  std::size_t wanted = 0;
  for (std::size_t root = 0; root < graph.next.size(); ++root) {
    if (done[root]) continue;
    const PathTree tree(graph, static_cast<int>(root));
    std::vector<Cycle> own;
    tree.add_cycles(false, own);
    wanted += own.size();
    const bool all = own.size() * tree.reached().size() <= kMostLoops;
    for (const int node : tree.reached()) {
      done[static_cast<std::size_t>(node)] = true;
      if (all) PathTree(graph, node).add_cycles(true, candidates);
    }
    if (!all) candidates.insert(candidates.end(), own.begin(), own.end());
  }
  std::ranges::stable_sort(candidates, {}, [](const Cycle& cycle) { return cycle.nodes.size(); });
  // Elimination mod 2; `reduced` is sorted out by the first edge of each.
  std::vector<Cycle> kept;
  std::map<std::size_t, std::vector<std::uint64_t>> reduced;
  for (Cycle& cycle : candidates) {
    if (kept.size() == wanted) break;
    std::vector<std::uint64_t> left = cycle.edges;
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      if ((left[e / 64] >> (e % 64) & 1) == 0) continue;
      const auto known = reduced.find(e);
      if (known == reduced.end()) {
        reduced.emplace(e, left);
        kept.push_back(std::move(cycle));
        break;
      }
      for (std::size_t w = 0; w < left.size(); ++w) left[w] ^= known->second[w];
    }
  }
  return kept;
}

// A joint as it ties two of its bodies together.
Joint between(const Joint& joint, const std::string& a, const std::string& b) {
  if (joint.markers.size() == 2) return joint;
  Joint pair = joint;
  std::erase_if(pair.markers, [&](const Marker& marker) { return marker.body != a && marker.body != b; });
  pair.name += " of " + std::min(a, b) + " and " + std::max(a, b);
  return pair;
}

}  // namespace

std::vector<Loop> independent_loops(const JointEquations& equations, const State& at) {
  const Mechanism& mechanism = equations.mechanism();
  std::vector<Loop> loops;
  if (mechanism.generalized) return loops;
  const LoopGraph graph(mechanism);
  const std::vector<Cycle> cycles = shortest_cycles(graph);
  const auto body_name = [&](int node) {
    return node == 0 ? kGround : mechanism.bodies[static_cast<std::size_t>(node - 1)].name;
  };
  std::vector<Joint> pairs;
  std::vector<std::vector<std::string>> members;
  for (const Cycle& cycle : cycles) {
    Loop loop;
    members.emplace_back();
    const std::size_t n = cycle.nodes.size();
    for (std::size_t k = 0; k < n; ++k) {
      if (!graph.is_joint(cycle.nodes[k], mechanism)) {
        loop.bodies.push_back(body_name(cycle.nodes[k]));
        continue;
      }
      const Joint& joint =
          mechanism
              .joints[graph.joints[static_cast<std::size_t>(cycle.nodes[k]) - mechanism.bodies.size() - 1]];
      loop.joints.push_back(joint.name);
      Joint pair =
          between(joint, body_name(cycle.nodes[(k + n - 1) % n]), body_name(cycle.nodes[(k + 1) % n]));
      members.back().push_back(pair.name);
      if (std::ranges::none_of(pairs, [&](const Joint& one) { return one.name == pair.name; }))
        pairs.push_back(std::move(pair));
    }
    loops.push_back(std::move(loop));
  }
  if (loops.empty()) return loops;
  const std::vector<EquationBlock> blocks = equations.blocks_of(std::move(pairs), at);
  const std::vector<JointEquations::Spin> spins = equations.spins(at);
  for (std::size_t k = 0; k < loops.size(); ++k) {
    Loop& loop = loops[k];
    std::vector<EquationBlock> own;
    for (const EquationBlock& block : blocks)
      if (std::ranges::find(members[k], block.name) != members[k].end()) own.push_back(block);
    for (const EquationBlock& block : own) loop.equations += block.equations;
    const Eigen::MatrixXd rows = stacked(own, equations.columns());
    const int rank = rank_of(rows);
    int idle = 0;
    for (const JointEquations::Spin& spin : spins)
      if (std::ranges::find(loop.bodies, mechanism.bodies[static_cast<std::size_t>(spin.body)].name) !=
              loop.bodies.end() &&
          (rows * spin.twist).norm() < kNotHeld)
        ++idle;
    loop.redundant = loop.equations - rank;
    loop.freedom = equations.twist() * (static_cast<int>(loop.bodies.size()) - 1) - rank - idle;
  }
  return loops;
}

}  // namespace trammel::analysis
