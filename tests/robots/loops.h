// Constraints that close loops or couple coordinates, beside the equality constraints of another program.
//
// Each constraint of the mechanism, in reference coordinates, has rows Φ and Φ_v; those of the other program
// are its residuals and their Jacobian in its velocities u. The same constraint may be written in other rows:
// Φ = T Φ'. Compared are therefore
//
//   the spaces that the rows of Φ_v V and J' span, V u being the velocities here,
//   the lengths of the vectors of residuals where these are places, else Φ and T Φ' with T = J J'ᵀ/(J' J'ᵀ)
#pragma once

#include <Eigen/Dense>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "system/system.h"
#include "trammel/simulation.h"

namespace trammel::robots {

class LoopComparison {
 public:
  // tree_joints: how many joints are those of the tree; the others are constraints.
  LoopComparison(const nlohmann::json& other, const Mechanism& mechanism, std::size_t tree_joints);

  struct Errors {
    double residual = 0;  // m or rad, relative to one
    double jacobian = 0;  // sine of the largest angle between the spaces
  };
  // poses: of all bodies, standing; moving: the same with the velocities of each unit vector of u.
  Errors compare(const nlohmann::json& at, const std::vector<Pose>& poses,
                 const std::vector<std::vector<Pose>>& moving);

 private:
  struct Pair {
    std::string joint;      // here
    int other = 0;          // index of the other's equality
    bool is_place = false;  // a connect or a weld
  };
  struct Rows {
    Eigen::VectorXd Phi;
    Eigen::MatrixXd J;       // in u
    Eigen::VectorXd places;  // the part of Φ that is of places
  };
  void pair_up(const nlohmann::json& other, const Mechanism& mechanism, std::size_t tree_joints);
  std::vector<int> rows_of(const std::string& joint) const;
  Rows rows_here(const std::string& joint, const system::Terms& terms, const Eigen::MatrixXd& V) const;
  static Eigen::VectorXd places(const Eigen::VectorXd& Phi, const Eigen::MatrixXd& J);
  static Rows rows_there(const nlohmann::json& at, int equality, Eigen::Index nu);

  const Mechanism& mechanism_;
  Simulation simulation_;
  std::vector<Pair> pairs_;
};

}  // namespace trammel::robots
