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

Plan in_reference_coordinates(Plan plan) {
  plan.coordinates = "reference";
  return plan;
}

}  // namespace

LoopComparison::LoopComparison(const Json& other, const Mechanism& mechanism, std::size_t tree_joints)
    : mechanism_(mechanism), simulation_(mechanism, in_reference_coordinates(mechanism.plan)) {
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

// Residuals of places: rows that the velocities of centres of mass have a part in. v has those of each body,
// then its angular velocity.
VectorXd LoopComparison::places(const VectorXd& Phi, const MatrixXd& J) {
  VectorXd found(0);
  for (Eigen::Index i = 0; i < J.rows(); ++i) {
    double part = 0;
    for (Eigen::Index c = 0; c < J.cols(); ++c)
      if (c % 6 < 3) part = std::max(part, std::abs(J(i, c)));
    if (part < 1e-12) continue;
    found.conservativeResize(found.size() + 1);
    found[found.size() - 1] = Phi[i];
  }
  return found;
}

// Φ and Φ_v V of a joint.
LoopComparison::Rows LoopComparison::rows_here(const std::string& joint, const system::Terms& terms,
                                               const MatrixXd& V) const {
  const system::RowPattern& pattern = simulation_.system().jacobian();
  const std::vector<int> rows = rows_of(joint);
  MatrixXd J = MatrixXd::Zero(static_cast<Eigen::Index>(rows.size()), V.rows());
  VectorXd Phi(J.rows());
  for (Eigen::Index i = 0; i < J.rows(); ++i) {
    const auto r = static_cast<std::size_t>(rows[static_cast<std::size_t>(i)]);
    Phi[i] = terms.Phi[r];
    for (auto k = static_cast<std::size_t>(pattern.start[r]);
         k < static_cast<std::size_t>(pattern.start[r + 1]); ++k)
      J(i, pattern.column[k]) += terms.Phi_v[k];
  }
  return {Phi, J * V, places(Phi, J)};
}

// The same of the other program's equality.
LoopComparison::Rows LoopComparison::rows_there(const Json& at, int equality, Eigen::Index nu) {
  Rows rows;
  for (std::size_t r = 0; r < at["efc_id"].size(); ++r) {
    if (at["efc_id"][r].get<int>() != equality) continue;
    const Eigen::Index i = rows.Phi.size();
    rows.Phi.conservativeResize(i + 1);
    rows.J.conservativeResize(i + 1, nu);
    rows.Phi[i] = at["efc_pos"][r].get<double>();
    for (Eigen::Index c = 0; c < nu; ++c)
      rows.J(i, c) =
          at["efc_J"][r * static_cast<std::size_t>(nu) + static_cast<std::size_t>(c)].get<double>();
  }
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
  Errors worst;
  for (const Pair& pair : pairs_) {
    const Rows here = rows_here(pair.joint, terms, V), there = rows_there(at, pair.other, nu);
    const MatrixXd a = row_space(here.J), b = row_space(there.J);
    worst.jacobian = std::max({worst.jacobian, leads_out(a, b), leads_out(b, a)});
    // The same place, whatever the axes; a coordinate by the factor between the rows.
    const double residual =
        pair.is_place
            ? std::abs(here.places.norm() - there.Phi.head<3>().norm())
            : std::abs(here.Phi[0] / (here.J.row(0).dot(there.J.row(0)) / there.J.row(0).squaredNorm()) -
                       there.Phi[0]);
    worst.residual = std::max(worst.residual, residual);
  }
  return worst;
}

}  // namespace trammel::robots
