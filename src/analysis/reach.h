// Reach: the positions that a mechanism can take within its joint limits, sampled over all its freedoms.
//
// From each position neighbours are tried a distance r away, in the metric of the bodies' motion
// |ṙ|²/L² + |ω|², along a basis of the velocities that the constraints allow; they are closed by projection.
// Those that stand apart from all others are kept and have neighbours of their own. So whole connected parts
// are covered, also where a coordinate turns back. Parts that no motion connects are begun from random
// positions.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "formulations/projection/projection.h"
#include "system/system.h"
#include "trammel/simulation.h"

namespace trammel::analysis {

// A joint limit.
struct JointLimit {
  std::string joint;
  double lower = 0, upper = 0;  // rad or m; infinite: none
  std::size_t reading = 0;      // in System::readings(); its rate is the next
  bool is_angle = false;
};

// One position with what belongs to it.
struct Sample {
  State state;
  int part = 0;                 // connected part
  Vec3 at = Vec3::Zero();       // of the point
  Eigen::MatrixXd basis;        // velocities, one column a freedom, of length one in the metric
  Eigen::MatrixXd speed;        // of the point along each, 3 × freedoms
  Eigen::MatrixXd approach;     // of each limited coordinate along each, limits × freedoms
  std::vector<double> limited;  // values of the limited coordinates
};

class Reach {
 public:
  // Throws std::invalid_argument, with the names there are, where there is no such point.
  Reach(const Simulation& simulation, const std::vector<EndStop>& stops, const std::string& point);

  Eigen::Index freedoms() const { return freedoms_; }
  const std::vector<Sample>& samples() const { return samples_; }
  const std::vector<JointLimit>& limits() const { return limits_; }
  int parts() const { return parts_; }
  double spacing() const { return spacing_; }
  // Fewer than asked for: everything that can be reached from these starts is covered.
  bool covered() const { return covered_; }

  using GoOn = std::function<bool(std::size_t found, std::size_t tried)>;
  // go_on, if there is one, is asked now and then; false ends it.
  void explore(double spacing, std::size_t most, long starts, std::uint64_t seed, const GoOn& go_on = {});
  bool interrupted() const { return interrupted_; }
  // The sample moved by `along` its basis, closed; with its own basis as near to the other's as can be. False
  // where it does not close.
  bool move(const Sample& from, const Eigen::VectorXd& along, Sample& to);
  bool within_limits(const Sample& sample) const;

 private:
  using Place = std::vector<double>;
  void look(Sample& sample, const Eigen::MatrixXd* like);
  Place place_of(const State& s) const;
  bool is_new(const Place& place) const;
  void keep(Sample sample, const Place& place);
  void to_limits(const std::vector<double>& values, const Eigen::MatrixXd& approach,
                 const Eigen::VectorXd& by, Eigen::VectorXd& along) const;
  void grow(std::size_t first, std::size_t most, const GoOn& go_on);
  std::vector<Eigen::VectorXd> directions() const;
  std::uint64_t cell(const Place& place, int i, int j, int k) const;

  const Simulation& simulation_;
  const system::System& system_;
  formulations::Projector projector_;
  system::Terms terms_;
  int body_ = -1;
  Vec3 from_com_ = Vec3::Zero();
  std::vector<JointLimit> limits_;
  Eigen::Index freedoms_ = 0;
  double spacing_ = 0;
  int parts_ = 0;
  bool covered_ = true, interrupted_ = false;
  std::vector<Sample> samples_;
  std::vector<Place> places_;
  std::vector<Place> axes_;  // three directions on which places are sorted into cells
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> cells_;
};

}  // namespace trammel::analysis
