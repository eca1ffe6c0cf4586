// Tree: which joint carries each body, seen from ground. The others close loops.
//
// García de Jalón & Bayo (1994), 5.3: loops are opened at joints. Joints that leave the fewest freedoms are
// kept, since one that is opened costs as many equations as it holds; among equals the bodies stay close to
// ground.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "system/relative/tree_joint.h"

namespace trammel::system {

template <int D>
struct Tree {
  std::vector<TreeJoint<D>> joints;           // parents before children
  std::vector<JointCoordinates> coordinates;  // by joint
  std::vector<int> carrier;                   // by body: the joint that carries it; −1 for ground
  int positions = 0, velocities = 0;

  // Joints from a body towards ground, the body's own first.
  template <class Visit>
  void climb(int body, int stop, Visit&& visit) const {
    for (int b = body; b != stop && b != 0;) {
      const TreeJoint<D>& joint = joints[static_cast<std::size_t>(carrier[static_cast<std::size_t>(b)])];
      visit(joint);
      b = joint.parent;
    }
  }
  // The last body that both are carried by; ground if there is none.
  int meeting(int a, int b) const;
};

// `open` names joints that shall close loops. Throws std::invalid_argument for a name that no joint has.
template <int D>
Tree<D> span_tree(const Mechanism& mechanism, std::span<const std::string> open);

}  // namespace trammel::system
