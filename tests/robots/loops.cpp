#include "loops.h"

#include <fmt/format.h>

#include <deque>

namespace trammel::robots {
namespace {

using Json = nlohmann::json;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// An orthonormal basis of the space that the rows span.
MatrixXd row_space(const MatrixXd& rows) {
  // Rows of closed plane loops depend on each other: what is below this part of the largest is rounding.
  constexpr double kRounding = 1e-9;
  const Eigen::JacobiSVD<MatrixXd> svd(rows, Eigen::ComputeThinV);
  Eigen::Index rank = 0;
  while (rank < svd.singularValues().size() &&
         svd.singularValues()[rank] > kRounding * std::max(svd.singularValues()[0], 1e-300))
    ++rank;
  return svd.matrixV().leftCols(rank);
}

// How far the space a leads out of b, as a sine.
double leads_out(const MatrixXd& a, const MatrixXd& b) {
  if (a.cols() == 0) return 0;
  const MatrixXd left = a - b * (b.transpose() * a);
  return left.norm();
}

Mechanism in_reference_coordinates(Mechanism mechanism) {
  mechanism.plan.coordinates = Coordinates::reference;
  mechanism.stops.clear();
  return mechanism;
}

}  // namespace

LoopComparison::LoopComparison(const Json& other, const Mechanism& mechanism, std::size_t tree_joints)
    : mechanism_(mechanism), simulation_(mechanism, in_reference_coordinates(mechanism).plan) {
  pair_up(other, mechanism, tree_joints);
}

// Here places come first, then straight couplings of two joints, then other relations, each in the order of
// the file.
void LoopComparison::pair_up(const Json& other, const Mechanism& mechanism, std::size_t tree_joints) {
  std::deque<int> places, couplings, relations;
  for (std::size_t i = 0; i < other["equalities"].size(); ++i) {
    const Json& one = other["equalities"][i];
    if (!one["active"].get<bool>()) continue;
    const auto type = one["type"].get<std::string>();
    const auto a = one["data"].get<std::vector<double>>();
    const bool is_straight = type == "joint" && one["second"].get<int>() >= 0 && a[0] == 0 && a[1] != 0 &&
                             a[2] == 0 && a[3] == 0 && a[4] == 0;
    auto& list = type == "connect" || type == "weld" ? places : is_straight ? couplings : relations;
    list.push_back(static_cast<int>(i));
  }
  for (std::size_t k = tree_joints; k < mechanism.joints.size(); ++k) {
    const std::string& name = mechanism.joints[k].name;
    if (!places.empty()) {
      pairs_.push_back({name, places.front(), true});
      places.pop_front();
    } else if (!couplings.empty() || !relations.empty()) {
      auto& list = couplings.empty() ? relations : couplings;
      pairs_.push_back({name, list.front(), false});
      list.pop_front();
    } else {
      throw std::runtime_error("the other has no equality for joint " + name);
    }
  }
  if (!places.empty() || !couplings.empty() || !relations.empty())
    throw std::runtime_error("equalities without a joint here");
}

std::vector<int> LoopComparison::rows_of(const std::string& joint) const {
  std::vector<int> rows;
  const auto& all = simulation_.system().rows();
  for (std::size_t r = 0; r < all.size(); ++r)
    if (all[r].kind == system::RowOwner::Kind::joint && all[r].name == joint)
      rows.push_back(static_cast<int>(r));
  return rows;
}

LoopComparison::Errors LoopComparison::compare(const Json& at, const std::vector<Pose>& poses,
                                               const std::vector<std::vector<Pose>>& moving) {
  const system::System& system = simulation_.system();
  State state = simulation_.state();
  system.place(mechanism_.bodies, poses, state);
  const auto nv = static_cast<Eigen::Index>(state.v.size()), nu = static_cast<Eigen::Index>(moving.size());
  MatrixXd V(nv, nu);
  for (Eigen::Index j = 0; j < nu; ++j) {
    State moved = state;
    system.place(mechanism_.bodies, moving[static_cast<std::size_t>(j)], moved);
    V.col(j) = Eigen::Map<const VectorXd>(moved.v.data(), nv);
  }
  system::Terms terms = system.make_terms();
  system.evaluate(state, system::kAskPosition, terms);
  const system::RowPattern& pattern = system.jacobian();
  const auto other_rows = at["efc_id"].get<std::vector<int>>();
  const auto other_pos = at["efc_pos"].get<std::vector<double>>(),
             other_J = at["efc_J"].get<std::vector<double>>();
  Errors worst;
  for (const Pair& pair : pairs_) {
    const std::vector<int> rows = rows_of(pair.joint);
    MatrixXd J = MatrixXd::Zero(static_cast<Eigen::Index>(rows.size()), nv);
    VectorXd Phi(J.rows());
    for (Eigen::Index i = 0; i < J.rows(); ++i) {
      const auto r = static_cast<std::size_t>(rows[static_cast<std::size_t>(i)]);
      Phi[i] = terms.Phi[r];
      for (int k = pattern.start[r]; k < pattern.start[r + 1]; ++k)
        J(i, pattern.column[static_cast<std::size_t>(k)]) += terms.Phi_v[static_cast<std::size_t>(k)];
    }
    std::vector<Eigen::Index> theirs;
    for (std::size_t r = 0; r < other_rows.size(); ++r)
      if (other_rows[r] == pair.other) theirs.push_back(static_cast<Eigen::Index>(r));
    MatrixXd other_jacobian(static_cast<Eigen::Index>(theirs.size()), nu);
    VectorXd other_Phi(other_jacobian.rows());
    for (Eigen::Index i = 0; i < other_jacobian.rows(); ++i) {
      const Eigen::Index r = theirs[static_cast<std::size_t>(i)];
      other_Phi[i] = other_pos[static_cast<std::size_t>(r)];
      for (Eigen::Index c = 0; c < nu; ++c)
        other_jacobian(i, c) = other_J[static_cast<std::size_t>(r * nu + c)];
    }
    const MatrixXd here = J * V;
    const MatrixXd a = row_space(here), b = row_space(other_jacobian);
    worst.jacobian = std::max({worst.jacobian, leads_out(a, b), leads_out(b, a)});
    double residual = 0;
    if (pair.is_place) {
      residual = std::abs(Phi.head<3>().norm() - other_Phi.head<3>().norm());
    } else {
      const double T = here.row(0).dot(other_jacobian.row(0)) / other_jacobian.row(0).squaredNorm();
      residual = std::abs(Phi[0] / T - other_Phi[0]);
    }
    worst.residual = std::max(worst.residual, residual);
  }
  return worst;
}

}  // namespace trammel::robots
