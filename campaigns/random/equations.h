// Equations: Newton's and Euler's equations of a Specification in maximal coordinates, six velocities a body
// (three in the plane), with every joint and driver as rows of measures.
//
//   M V̇ + Jᵀλ = F,   J V̇ = g        V = (v, ω) of each body in world axes
//
// The rows may depend on each other. In A = J M^(−½), rows of length one, y = M^½ V̇ is what is nearest to
// M^(−½) F with A y = g; a QR factorization of Aᵀ with pivoting, of given rank, gives it and one of the λ.
#pragma once

#include <Eigen/QR>
#include <functional>
#include <string>

#include "measure.h"

namespace trammel::campaigns::random {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Where the bodies are and how they move, with all that is integrated besides.
struct Phase {
  double t = 0;
  std::vector<BodyMotion> bodies;  // ground last
  std::vector<double> turned;      // of each measure that is an angle: its value with the turns
  double work = 0;                 // of drivers and of forces without a potential
};

// What one row of J says: Σ factor · measure − target(t) is kept.
struct ConstraintRow {
  struct Term {
    double factor = 1;
    int measure = 0;
  };
  std::vector<Term> terms;
  bool of_positions = true;
  const LawSpec* target = nullptr;  // null: constant
  bool target_is_rate = false;      // the target is a speed
};

// A joint or driver: its rows, and where its reaction is taken.
struct Owner {
  std::string name;
  int first = 0, count = 0;           // rows
  int body = kGroundBody;             // the reaction is that on this body
  Vector3d place = Vector3d::Zero();  // about this point of it, from the centre of mass, body axes
  int contact = -1;                   // or about the place of this measure
  double effort = 0;                  // factor of the coordinate that it acts along; 0: none
  bool is_wrench = true;              // false: a coupler, which has an effort only
};

// A factorization of Aᵀ.
struct Factor {
  MatrixXd J;
  VectorXd scale;  // length of each row of J M^(−½)
  Eigen::ColPivHouseholderQR<MatrixXd> qr;
  int rank = 0;
};

struct Accelerations {
  VectorXd V_dot, lambda;
  double misfit = 0;  // of rows that depend on others: by how much they ask for something else
};

class Equations {
 public:
  explicit Equations(const Specification& spec);

  const Specification& spec() const { return spec_; }
  const std::vector<ConstraintRow>& rows() const { return rows_; }
  const std::vector<Owner>& owners() const { return owners_; }
  int unknowns() const { return per_body_ * static_cast<int>(spec_.bodies.size()); }
  // The measure of a joint's coordinate: its angle, or its displacement; −1: it has none.
  int angle_of(int joint) const { return angle_[static_cast<std::size_t>(joint)]; }
  int displacement_of(int joint) const { return displacement_[static_cast<std::size_t>(joint)]; }
  int angle_of_body(int body) const { return body_angle_[static_cast<std::size_t>(body)]; }  // planar
  // As a person reads it, with its turns.
  double reading(const Phase& phase, const std::vector<Reading>& readings, int measure) const;

  Phase start() const;
  // Rates of Phase::turned; and its values, read from the positions.
  std::vector<double> turn_rates(const std::vector<Reading>& readings) const;
  std::vector<double> turned(const Phase& phase) const;
  // What λ = 1 of one of an owner's rows adds to its reaction: force, torque, effort.
  Eigen::Matrix<double, 7, 1> reaction_of_row(const Owner& owner, int row, const Phase& phase,
                                              const std::vector<Reading>& readings) const;
  std::vector<Reading> read(const Phase& phase) const;
  // Rows of J, lengths of the bodies and rows scaled to one: for the rank.
  MatrixXd scaled_jacobian(const Phase& phase, bool positions_only) const;
  Factor factor(const Phase& phase, const std::vector<Reading>& readings, int rank,
                bool positions_only) const;
  Accelerations solve(const Phase& phase, const std::vector<Reading>& readings, const Factor& factor) const;
  // Power of what has no potential, without the drivers'; and the potential.
  double applied_power(const Phase& phase, const std::vector<Reading>& readings) const;
  double driver_power(const Phase& phase, const Factor& factor, const VectorXd& lambda) const;
  double potential(const Phase& phase, const std::vector<Reading>& readings) const;
  double kinetic(const Phase& phase) const;

  // Least changes, in the metric of mass, onto the constraints. Returns the largest error before, lengths
  // over the mechanism's size.
  double project_positions(Phase& phase, int rank) const;
  double project_velocities(Phase& phase, int rank) const;
  // Multiplies blocks of a vector by M^(½ power).
  VectorXd mass_power(const Phase& phase, VectorXd y, int power) const;
  VectorXd velocities(const Phase& phase) const;
  void set_velocities(Phase& phase, const VectorXd& V) const;
  // What J V is to be.
  VectorXd wanted_rates(const Phase& phase) const;

 private:
  void add_joint(int joint);
  void add_point_joint(int joint);
  void add_edge(const JointSpec& joint, Measure m);
  Measure product(const JointSpec& joint, const Vector3d& u, const Vector3d& w) const;
  void hold_together(const JointSpec& joint);
  void hold_parallel(const JointSpec& joint);
  void hold_axes(const JointSpec& joint);
  void hold_on_line(const JointSpec& joint, Measure m);
  void keep_angle(const JointSpec& joint);
  void keep_displacement(const JointSpec& joint);
  void add_coupler(int joint);
  void add_rolling(const JointSpec& joint);
  void add_driver(std::size_t driver);
  void add_forces();
  Measure between(const JointSpec& joint) const;
  int add_measure(const Measure& measure);
  void hold(const Measure& measure);
  Vector3d local(int body, const Vector3d& direction) const;
  Vector3d local_point(int body, const Vector3d& place) const;
  int coordinate(int joint) const;
  double law_value(const LawSpec& law, const Phase& phase, const std::vector<Reading>& readings) const;
  VectorXd applied(const Phase& phase, const std::vector<Reading>& readings) const;
  MatrixXd jacobian(const std::vector<Reading>& readings, bool positions_only) const;
  void add_side(VectorXd& F, const Reading& reading, double force) const;
  void add_force(VectorXd& F, const Phase& phase, int body, const Vector3d& local_place, const Vector3d& f,
                 const Vector3d& torque) const;
  double row_value(const ConstraintRow& row, const Phase& phase, const std::vector<Reading>& readings) const;

  const Specification& spec_;
  int per_body_ = 6;
  std::vector<Measure> measures_;
  std::vector<int> turn_;  // by measure: which of Phase::turned, −1: none
  int turns_ = 0;
  std::vector<double> offset_;             // by measure: what is added where a person reads it
  std::vector<int> angle_, displacement_;  // by joint
  std::vector<int> body_angle_;            // planar, by body
  std::vector<ConstraintRow> rows_;
  std::vector<double> constants_;  // of the rows at the start
  std::vector<Owner> owners_;
  std::vector<std::vector<int>> force_measures_;
  std::vector<Matrix3d> root_, inverse_root_;  // I^½ and I^(−½), body axes
  std::vector<Vector3d> local_force_place_;
};

double value_of(const LawSpec& law, double t, int derivative);

}  // namespace trammel::campaigns::random
