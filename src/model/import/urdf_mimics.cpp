// Joints that follow others: q = multiplier·q_of + offset. Along a chain of them q = k·q_root + c.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "model/import/urdf.h"

namespace trammel::model {
namespace {

class MimicChains {
 public:
  MimicChains(ForeignReader& reader, std::vector<UrdfJoint>& joints) : reader_(reader), joints_(joints) {
    for (std::size_t i = 0; i < joints.size(); ++i) index_.emplace(joints[i].name, i);
  }

  void settle() {
    for (UrdfJoint& joint : joints_)
      if (joint.mimic && !index_.contains(joint.mimic->of)) {
        reader_.refuse(*joint.mimic->node,
                       fmt::format("joint '{}' mimics '{}', which is no joint", joint.name, joint.mimic->of),
                       "name a joint of this file");
        joint.mimic.reset();
      }
    for (UrdfJoint& joint : joints_)
      if (joint.mimic && is_endless(joint)) {
        reader_.refuse(*joint.mimic->node, fmt::format("joint '{}' mimics itself, over others", joint.name),
                       "end the circle of <mimic> elements");
        joint.mimic.reset();
      }
    for (UrdfJoint& joint : joints_)
      if (joint.mimic) give_limits(joint);
    for (UrdfJoint& joint : joints_)
      if (!joint.mimic && joint.has_coordinate()) place(joint);
    for (UrdfJoint& joint : joints_)
      if (joint.mimic) follow(joint);
  }

 private:
  struct Chain {
    UrdfJoint* root;
    double k = 1, c = 0;
  };

  Chain chain(UrdfJoint& joint) {
    Chain chain{&joint};
    while (chain.root->mimic) {
      const UrdfMimic& mimic = *chain.root->mimic;
      chain.c += chain.k * mimic.offset;
      chain.k *= mimic.multiplier;
      chain.root = &joints_[index_.at(mimic.of)];
    }
    return chain;
  }

  bool is_endless(const UrdfJoint& joint) const {
    const UrdfJoint* at = &joint;
    for (std::size_t steps = 0; at->mimic; ++steps) {
      if (steps > joints_.size()) return true;
      at = &joints_[index_.at(at->mimic->of)];
      if (at == &joint) return true;
    }
    return false;
  }

  void give_limits(UrdfJoint& joint) {
    if (!joint.lower && !joint.upper) return;
    const Chain to = chain(joint);
    if (to.k != 0 && to.root->has_coordinate()) {
      double low = (*joint.lower - to.c) / to.k, high = (*joint.upper - to.c) / to.k;
      if (low > high) std::swap(low, high);
      low = std::max(low, to.root->lower.value_or(low));
      high = std::min(high, to.root->upper.value_or(high));
      if (XmlNode* limit = joint.node->child("limit"))
        limit->note.reason = fmt::format("as limits of '{}', which it follows", to.root->name);
      if (low < high) {
        to.root->lower = low;
        to.root->upper = high;
      } else if (XmlNode* limit = joint.node->child("limit")) {
        ForeignReader::ignore(
            *limit, fmt::format("no position is within these limits and those of '{}'", to.root->name), true);
      }
    }
    joint.lower.reset();
    joint.upper.reset();
  }

  static void place(UrdfJoint& joint) {
    if (joint.lower) joint.start = std::clamp(0.0, *joint.lower, *joint.upper);
    if (joint.start != 0)
      joint.node->note.reason = fmt::format("starts at {}, as its limits do not allow 0", joint.start);
  }

  void follow(UrdfJoint& joint) {
    const Chain to = chain(joint);
    joint.start = to.k * to.root->start + to.c;
    if (to.k != 0 && to.root->has_coordinate()) return;
    joint.origin = joint.placed();
    joint.motion = UrdfJoint::Motion::welded;
    ForeignReader::use(*joint.mimic->node,
                       fmt::format("'{}' does not move with '{}': it is welded", joint.name, to.root->name));
  }

  ForeignReader& reader_;
  std::vector<UrdfJoint>& joints_;
  std::map<std::string, std::size_t> index_;
};

}  // namespace

void settle_mimics(ForeignReader& reader, std::vector<UrdfJoint>& joints) {
  MimicChains(reader, joints).settle();
}

}  // namespace trammel::model
