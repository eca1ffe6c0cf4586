// Inertias are checked where they stand in the file: each part must be one that a body can have. Added up
// about the common centre of mass,
//
//   I = Σ Iᵢ + mᵢ (|dᵢ|² 1 − dᵢ dᵢᵀ),   dᵢ = cᵢ − c.
#include "model/import/robot_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "linalg/dense.h"

namespace trammel::model {
namespace {

// As validate() allows, for what rounding does to a flat plate.
constexpr double kPlateRounding = 1e-9;
// Of an inertia that is replaced: the radius of gyration of a body without extent, and its least moment as a
// part of the largest.
constexpr double kLeastRadius = 1e-3;  // m
constexpr double kLeastPart = 1e-6;

bool is_massless(const Inertial& i) { return i.mass == 0 && i.inertia.isZero(0); }

std::string moments_text(const Vec3& m) { return fmt::format("{:.6g}, {:.6g}, {:.6g}", m[0], m[1], m[2]); }

// The nearest moments that a body has: none below the least, and the two smaller add up to the largest.
Vec3 possible_moments(Vec3 m, double mass) {
  const double least = std::max(kLeastPart * m[2], mass * kLeastRadius * kLeastRadius);
  m = m.cwiseMax(least);
  const double missing = m[2] - m[0] - m[1];
  if (missing > 0) m.head<2>().array() += missing / 2;
  return m;
}

class InertiaCheck {
 public:
  explicit InertiaCheck(ForeignReader& reader) : reader_(reader) {}

  // A part: it may be without extent.
  void check_part(RobotBody& body) {
    Inertial& own = body.inertial;
    if (is_massless(own)) return;
    if (own.mass < 0)
      return reader_.refuse(place(body), fmt::format("the mass of '{}' is {} kg", body.name, own.mass),
                            "give a mass of zero or more");
    const Vec3 m = linalg::symmetric_eigen(own.inertia).values;
    if (m[0] < -kPlateRounding * m[2] || m[2] < 0)
      wrong(body,
            fmt::format("the inertia of '{}' is not positive definite: its principal moments are {} kg.m²",
                        body.name, moments_text(m)));
    else if (m[0] + m[1] < m[2] * (1 - kPlateRounding))
      wrong(body, fmt::format("no body has the inertia of '{}': of its principal moments {} kg.m² the two "
                              "smaller must add up to the largest or more",
                              body.name, moments_text(m)));
  }

  // What moves as one must have mass and extent, or neither.
  void check_whole(RobotBody& body) {
    const Inertial& own = body.inertial;
    if (is_massless(own)) return;
    const Vec3 m = linalg::symmetric_eigen(own.inertia).values;
    if (own.mass <= 0)
      reader_.refuse(place(body), fmt::format("'{}' has an inertia but no mass", body.name),
                     "give it a mass");
    else if (m[0] <= 0)
      wrong(body,
            fmt::format("the inertia of '{}' is not positive definite: its principal moments are {} kg.m²",
                        body.name, moments_text(m)));
  }

 private:
  static XmlNode& place(RobotBody& body) {
    XmlNode* inertial = body.node->child("inertial");
    return inertial != nullptr ? *inertial : *body.node;
  }

  void wrong(RobotBody& body, const std::string& message) {
    if (!reader_.options().accept_inertia)
      return reader_.refuse(place(body), message,
                            "correct it, or let `trammel import --accept-inertia` replace it by the nearest "
                            "that a body has");
    Inertial& own = body.inertial;
    const auto eigen = linalg::symmetric_eigen(own.inertia);
    const Vec3 m = possible_moments(eigen.values, own.mass);
    own.inertia = eigen.vectors * m.asDiagonal() * eigen.vectors.transpose();
    own.inertia = (0.5 * (own.inertia + own.inertia.transpose())).eval();
    ForeignReader::use(place(body), fmt::format("{}; replaced by {} kg.m²", message, moments_text(m)));
  }

  ForeignReader& reader_;
};

// What hangs on a body: joints, frames that close loops, forces.
struct Ties {
  std::vector<int> joints;
  int others = 0;
};

Ties ties_of(const Robot& robot, int body) {
  Ties ties;
  for (std::size_t i = 0; i < robot.joints.size(); ++i) {
    const RobotJoint& j = robot.joints[i];
    if (!j.is_gone && (robot.whole(j.child) == body || robot.whole(j.parent) == body))
      ties.joints.push_back(static_cast<int>(i));
  }
  for (const RobotLoop& l : robot.loops)
    ties.others +=
        static_cast<int>(robot.whole(l.first) == body) + static_cast<int>(robot.whole(l.second) == body);
  const auto is_here = [&](const RobotPlace& p) { return robot.whole(p.body) == body; };
  const auto ends_here = [&](const std::vector<RobotLeg>& legs) {
    int ends = 0;
    for (const RobotLeg& leg : legs)
      ends += static_cast<int>(is_here(leg.first)) + static_cast<int>(is_here(leg.second));
    return ends;
  };
  for (const RobotSpring& s : robot.springs) ties.others += ends_here(s.legs);
  for (const RobotActuator& a : robot.actuators) {
    ties.others += static_cast<int>(std::ranges::count_if(a.at, is_here));
    ties.others += ends_here(a.between);
  }
  return ties;
}

bool is_among(const std::vector<RobotTerm>& terms, int joint) {
  return std::ranges::any_of(terms, [&](const RobotTerm& t) { return t.joint == joint; });
}

bool acts_on(const RobotActuator& actuator, int joint) { return is_among(actuator.along, joint); }

// Whether a joint can go with the massless body behind it: a coupling is no load as long as it is the only
// one, and nothing else acts on the coordinate.
bool is_without_load(const Robot& robot, int joint) {
  const auto couplings = std::ranges::count_if(
      robot.couplings, [&](const RobotCoupling& c) { return c.first == joint || c.second == joint; });
  const RobotJoint& j = robot.joint(joint);
  const bool acts =
      j.lower || j.upper || j.damping != 0 || j.friction != 0 || j.stiffness != 0 || j.armature != 0 ||
      std::ranges::any_of(robot.actuators, [&](const auto& a) { return acts_on(a, joint); }) ||
      std::ranges::any_of(robot.tendons, [&](const auto& t) { return is_among(t.terms, joint); });
  if (std::ranges::any_of(robot.relations, [&](const RobotRelation& r) {
        return is_among(r.left, joint) || is_among(r.right, joint);
      }))
    return false;
  return couplings == 0 ? j.armature == 0 : couplings == 1 && !acts;
}

void drop_leaf(Robot& robot, int body, int joint) {
  RobotJoint& j = robot.joint(joint);
  const int other = robot.whole(j.child) == body ? robot.whole(j.parent) : robot.whole(j.child);
  RobotBody& leaf = robot.body(body);
  leaf.merged_into = other;
  leaf.is_gone = j.is_gone = true;
  const std::string why = fmt::format("'{}' has no mass and nothing hangs on it: it is a point of '{}'",
                                      leaf.name, robot.body(other).name);
  if (j.node != nullptr) ForeignReader::ignore(*j.node, why);
  for (const RobotCoupling& c : robot.couplings)
    if ((c.first == joint || c.second == joint) && c.node != nullptr) ForeignReader::ignore(*c.node, why);
  for (const RobotActuator& a : robot.actuators)
    if (acts_on(a, joint) && a.node != nullptr) ForeignReader::ignore(*a.node, why);
  std::erase_if(robot.couplings, [&](const auto& c) { return c.first == joint || c.second == joint; });
  std::erase_if(robot.actuators, [&](const auto& a) { return acts_on(a, joint); });
}

void add_part(RobotBody& whole, const RobotBody& part) {
  add_inertial(whole.inertial, part.inertial);
  if (part.weightless.mass != 0) add_inertial(whole.weightless, part.weightless);
}

bool drop_one_leaf(Robot& robot) {
  for (int i = 1; i < static_cast<int>(robot.bodies.size()); ++i) {
    if (robot.whole(i) != i || !is_massless(robot.body(i).inertial)) continue;
    const Ties ties = ties_of(robot, i);
    if (ties.others > 0 || ties.joints.size() > 1) continue;
    if (ties.joints.empty()) {
      robot.body(i).merged_into = 0;
      robot.body(i).is_gone = true;
      return true;
    }
    if (!is_without_load(robot, ties.joints[0])) continue;
    drop_leaf(robot, i, ties.joints[0]);
    return true;
  }
  return false;
}

}  // namespace

void add_inertial(Inertial& sum, const Inertial& part) {
  const double mass = sum.mass + part.mass;
  const Vec3 com = mass > 0 ? Vec3((sum.mass * sum.com + part.mass * part.com) / mass) : part.com;
  const auto about = [&](const Inertial& i) -> Mat3 {
    const Vec3 d = i.com - com;
    return i.inertia + i.mass * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
  };
  sum.inertia = (about(sum) + about(part)).eval();
  sum.com = com;
  sum.mass = mass;
}

bool weld(Robot& robot, int child, int parent) {
  int keeper = robot.whole(parent), other = robot.whole(child);
  if (keeper == other) return false;
  const bool takes_over = other == 0 || (keeper != 0 && is_massless(robot.body(keeper).inertial) &&
                                         !is_massless(robot.body(other).inertial));
  if (takes_over) std::swap(keeper, other);
  robot.body(other).merged_into = keeper;
  robot.body(keeper).floats |= robot.body(other).floats;
  return true;
}

void unite(ForeignReader& reader, Robot& robot) {
  InertiaCheck check(reader);
  for (RobotBody& body : robot.bodies)
    if (body.node != nullptr && robot.whole(static_cast<int>(&body - robot.bodies.data())) != 0)
      check.check_part(body);
  for (int i = 1; i < static_cast<int>(robot.bodies.size()); ++i)
    if (const int whole = robot.whole(i); whole != i && whole != 0)
      add_part(robot.body(whole), robot.body(i));
  while (drop_one_leaf(robot)) {
  }
  for (int i = 1; i < static_cast<int>(robot.bodies.size()); ++i)
    if (reader.errors().empty() && robot.whole(i) == i && robot.body(i).node != nullptr)
      check.check_whole(robot.body(i));
  std::erase_if(robot.loops, [&](const RobotLoop& l) {
    const bool is_one = robot.whole(l.first) == robot.whole(l.second);
    if (is_one && l.node != nullptr)
      ForeignReader::ignore(*l.node, "both frames are on one rigid body, which nothing can close");
    return is_one;
  });
}

}  // namespace trammel::model
