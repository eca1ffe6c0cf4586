#include "analysis/joint_remedies.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "formulations/matrices/dense_terms.h"
#include "linalg/dense.h"
#include "linalg/rank.h"
#include "mechanism/joint_kinds.h"

namespace trammel::analysis {
namespace {

using mechanism::JointFrames;
using mechanism::JointHold;
using mechanism::JointInfo;

constexpr double kPartOf = 1e-9;  // rows that follow from others to this are part of them
// A smallest singular value above this, which is found as the root of one of 1e-12, is none by rounding.
constexpr double kIndependent = 1e-6;

// A frame with its first axis of rotation or sliding along a direction: z in space, x in the plane.
Mat3 frame_along(const Vec3& axis, bool is_planar) {
  Mat3 axes;
  if (is_planar) {
    axes << axis, Vec3::UnitZ().cross(axis), Vec3::UnitZ();
    return axes;
  }
  const Vec3 x = axis.unitOrthogonal();
  axes << x, axis.cross(x), axis;
  return axes;
}

Marker marker_on(const Mechanism& mechanism, const std::vector<Pose>& poses, const std::string& body,
                 const Vec3& at, const Mat3& axes) {
  Marker marker;
  marker.body = body;
  marker.frame = {at, axes};
  for (std::size_t b = 0; b < mechanism.bodies.size(); ++b)
    if (mechanism.bodies[b].name == body)
      marker.frame = {poses[b].axes.transpose() * (at - poses[b].position) + mechanism.bodies[b].com,
                      poses[b].axes.transpose() * axes};
  return marker;
}

// Kinds that hold as much of a place as another, or one step less: a point, a line, a plane.
bool may_replace(const JointInfo& now, const JointInfo& other, bool is_planar) {
  const auto has_place = [](const JointInfo& kind) {
    return kind.hold == JointHold::point || kind.hold == JointHold::line || kind.hold == JointHold::plane;
  };
  if (!has_place(now) || !has_place(other) || other.fields.empty() || !other.exists.in(is_planar))
    return false;
  const int looser = static_cast<int>(other.hold) - static_cast<int>(now.hold);
  return looser >= 0 && looser <= 1 && other.equations.in(is_planar) < now.equations.in(is_planar);
}

struct Variant {
  JointRemedy remedy;
  Joint joint;
};

// The other kinds of joint in the place of one, along the axes of its marker.
std::vector<Variant> variants_of(const Mechanism& mechanism, const std::vector<Pose>& poses,
                                 const Joint& joint) {
  std::vector<Variant> all;
  const JointInfo& now = mechanism::about(joint.kind);
  if (joint.markers.size() != 2) return all;
  const auto world = [&](const Marker& marker) -> Frame {
    for (std::size_t b = 0; b < mechanism.bodies.size(); ++b)
      if (mechanism.bodies[b].name == marker.body)
        return {poses[b].position + poses[b].axes * (marker.frame.at - mechanism.bodies[b].com),
                poses[b].axes * marker.frame.axes};
    return marker.frame;
  };
  const Frame first = world(joint.markers[0]), second = world(joint.markers[1]);
  const bool plane = mechanism.is_planar;
  const auto add = [&](const JointInfo& kind, const std::vector<Vec3>& axes) {
    Variant one{{joint.name, now.name, kind.name, axes, now.equations.in(plane)-kind.equations.in(plane)},
                {}};
    one.joint.kind = kind.kind;
    one.joint.name = fmt::format("{} {}", joint.name, all.size());
    for (std::size_t m = 0; m < 2; ++m) {
      const Mat3 frame =
          axes.empty() ? Mat3(Mat3::Identity()) : frame_along(axes[std::min(m, axes.size() - 1)], plane);
      one.joint.markers.push_back(marker_on(mechanism, poses, joint.markers[m].body, first.at, frame));
    }
    all.push_back(std::move(one));
  };
  // The joint's own axis first; in the plane those of both bodies.
  std::vector<Vec3> axes;
  if (plane)
    axes = {second.axes.col(0), second.axes.col(1), first.axes.col(0), first.axes.col(1)};
  else
    axes = {second.axes.col(2), second.axes.col(0), second.axes.col(1)};
  for (const JointInfo& kind : mechanism::joint_kinds()) {
    if (!may_replace(now, kind, plane)) continue;
    const JointFrames frames = kind.frames.in(plane);
    if (frames == JointFrames::along || frames == JointFrames::second) {
      for (const Vec3& axis : axes) add(kind, {axis});
    } else if (frames == JointFrames::crossed) {
      for (const Vec3& a : axes)
        for (const Vec3& b : axes)
          if (std::abs(a.dot(b)) < kPartOf) add(kind, {a, b});
    } else {
      add(kind, {});
    }
  }
  return all;
}

// The rows of all blocks at one position, and what depends there.
struct Position {
  std::vector<EquationBlock> blocks;
  std::map<std::string, Eigen::MatrixXd> variants;  // by the name of the variant's joint
  Eigen::MatrixXd left_null;
  int redundant = 0;

  void find_null(Eigen::Index columns) {
    const Eigen::MatrixXd all = stacked(blocks, columns);
    left_null = linalg::rank_of_rows(all, formulations::kRankTolerance).left_null;
    redundant = static_cast<int>(left_null.cols());
  }
  // V = Q W, as far as V is part of W.
  bool drops(std::size_t block, const Eigen::MatrixXd& V) const {
    const Eigen::MatrixXd& W = blocks[block].rows;
    const Eigen::MatrixXd Qt = linalg::least_squares(W.transpose(), V.transpose());
    if ((V - Qt.transpose() * W).norm() > kPartOf * std::max(1.0, V.norm())) return false;
    // Q_D: orthonormal, across Q.
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(Qt);
    const Eigen::MatrixXd all = qr.householderQ() * Eigen::MatrixXd::Identity(W.rows(), W.rows());
    const Eigen::MatrixXd D = all.rightCols(W.rows() - V.rows()).transpose();
    Eigen::Index first = 0;
    for (std::size_t k = 0; k < block; ++k) first += blocks[k].rows.rows();
    const Eigen::MatrixXd Y = D * left_null.middleRows(first, W.rows());
    return Y.rows() <= Y.cols() && smallest(Y) > kIndependent;
  }

 private:
  // Whether the rows are independent by more than rounding: the smallest singular value.
  static double smallest(const Eigen::MatrixXd& rows) {
    const linalg::SymmetricEigen eigen = linalg::symmetric_eigen(rows * rows.transpose());
    return std::sqrt(std::max(0.0, eigen.values[0]));
  }
};

class RemedySearch {
 public:
  RemedySearch(const JointEquations& equations, const std::vector<std::string>& names, const State* beside)
      : columns_(equations.columns()) {
    const std::vector<Pose> poses = equations.undriven().poses(equations.start());
    for (const Joint& joint : equations.mechanism().joints)
      if (std::ranges::find(names, joint.name) != names.end())
        for (Variant& one : variants_of(equations.mechanism(), poses, joint))
          variants_.push_back(std::move(one));
    std::vector<Joint> joints;
    for (const Variant& one : variants_) joints.push_back(one.joint);
    for (const State* at : {&equations.start(), beside}) {
      if (at == nullptr) continue;
      Position position;
      position.blocks = equations.blocks(*at);
      for (EquationBlock& block : equations.blocks_of(joints, *at))
        position.variants.emplace(block.name, std::move(block.rows));
      position.find_null(columns_);
      positions_.push_back(std::move(position));
    }
    // At a position aside what is redundant in the first alone is not.
    std::ranges::stable_sort(variants_, std::greater{},
                             [](const Variant& one) { return one.remedy.removes; });
  }

  // The best variant of each joint and kind.
  std::vector<JointRemedy> working(std::vector<const Variant*>* which = nullptr) const {
    std::vector<JointRemedy> all;
    for (const Variant& one : variants_) {
      const bool known = std::ranges::any_of(all, [&](const JointRemedy& remedy) {
        return remedy.joint == one.remedy.joint && remedy.instead == one.remedy.instead;
      });
      if (known || !works(one)) continue;
      all.push_back(one.remedy);
      if (which != nullptr) which->push_back(&one);
    }
    return all;
  }

  JointRemedies search() {
    JointRemedies found;
    std::vector<const Variant*> which;
    found.single = working(&which);
    while (!which.empty()) {
      const Variant& best = *which.front();
      found.together.push_back(best.remedy);
      replace(best);
      which.clear();
      working(&which);
    }
    found.left = positions_.back().redundant;
    return found;
  }

 private:
  static std::size_t block_of(const Position& position, const std::string& joint) {
    std::size_t k = 0;
    while (k < position.blocks.size() &&
           (position.blocks[k].name != joint || position.blocks[k].kind != system::RowOwner::Kind::joint))
      ++k;
    return k;
  }

  bool works(const Variant& one) const {
    return std::ranges::all_of(positions_, [&](const Position& position) {
      const std::size_t k = block_of(position, one.remedy.joint);
      const auto V = position.variants.find(one.joint.name);
      if (k == position.blocks.size() || V == position.variants.end()) return false;
      const Eigen::Index now = position.blocks[k].rows.rows();
      return position.blocks[k].equations == now && now - V->second.rows() == one.remedy.removes &&
             position.drops(k, V->second);
    });
  }

  // Once replaced, a joint stays as it is.
  void replace(const Variant& best) {
    const std::string joint = best.remedy.joint, name = best.joint.name;
    for (Position& position : positions_) {
      EquationBlock& block = position.blocks[block_of(position, joint)];
      block.rows = position.variants.at(name);
      block.equations = static_cast<int>(block.rows.rows());
      position.find_null(columns_);
    }
    std::erase_if(variants_, [&](const Variant& one) { return one.remedy.joint == joint; });
  }

  Eigen::Index columns_;
  std::vector<Variant> variants_;
  std::vector<Position> positions_;  // the second: aside
};

}  // namespace

JointRemedies joint_remedies(const JointEquations& equations, const std::vector<std::string>& names,
                             const State* beside) {
  if (equations.mechanism().generalized) return {};
  return RemedySearch(equations, names, beside).search();
}

}  // namespace trammel::analysis
