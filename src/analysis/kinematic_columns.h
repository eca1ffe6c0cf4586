// KinematicColumns: what a prescribed motion is at one time: positions, velocities and accelerations.
//
// Accelerations of bodies and of joint coordinates are derivatives of their velocities along the motion,
//
//   d/dt w(q, v) = d/dε w(q ⊕ εv, v + εv̇)  at ε = 0,
//
// by differences of sixth order (analysis/differences.h). The ratio of a joint's speed to that of a driven
// coordinate φ is k = ẋ/φ̇ = dx/dφ; its derivative dk/dφ = (ẍ − k φ̈)/φ̇².
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/four_bars.h"
#include "system/system.h"
#include "trammel/analyses.h"

namespace trammel::analysis {

class KinematicColumns {
 public:
  // Throws std::invalid_argument, with the names there are, for a name that is not there.
  // `own`: the drivers of the model, without those that hold or sweep.
  KinematicColumns(std::shared_ptr<const system::System> system, const Mechanism& mechanism,
                   const State& start, const KinematicsOptions& choice, const std::vector<Driver>& own);

  const std::vector<Channel>& channels() const { return channels_; }
  // With velocities and accelerations in the State.
  void add_row(const State& s, const Violation& violation, std::vector<double>& values);
  // The joint whose coordinate these velocities move most; the first of equals, in the order of the model. Of
  // several velocities every combination counts, so that it does not matter which span the same motions, nor
  // in which coordinates. A body, where no joint moves.
  std::string least_determined(const State& s, const std::vector<std::vector<double>>& velocities);

 private:
  // A velocity or a value at one state: bodies, then joints.
  struct Look {
    std::vector<Pose> poses;
    std::vector<system::Reading> readings;
  };
  struct Place {  // fixed to a body; body < 0: ground
    int body = -1;
    Vec3 at = Vec3::Zero();  // from the centre of mass, body axes; of ground: world
  };
  struct Rate {  // a joint coordinate
    std::size_t value = 0, rate = 0;
    std::string joint;
  };
  Look look(const State& s);
  void accelerate(const State& s);
  Place place(const std::string& body, const Vec3& local) const;
  Place find_point(const std::string& name) const;
  Vec3 position(const Place& place) const;
  void add_curve(const Place& place, std::vector<double>& values) const;
  void add_ratios(std::vector<double>& values) const;
  double fastest() const;
  double curvature(const Vec3& v, const Vec3& a) const;
  void channel(const std::string& group, const std::string& dataset, const std::string& component,
               const std::string& unit, const std::string& name, bool may_be_missing = false);
  void vector_channels(const std::string& group, const std::string& dataset, const std::string& unit,
                       const std::string& name);
  void describe_bodies();
  void describe_joints();
  void choose_ratio(const std::string& name, const std::vector<Driver>& own);

  std::shared_ptr<const system::System> system_;
  Mechanism mechanism_;
  system::Terms terms_;
  std::vector<Channel> channels_;
  std::vector<Place> points_, curves_;
  std::vector<FourBar> four_bars_;
  std::vector<Rate> rates_;
  int ratio_joint_ = -1, ratio_body_ = -1;

  Look now_;
  std::vector<Vec3> acceleration_, angular_acceleration_;  // by body
  std::vector<double> rate_change_;                        // by reading
};

}  // namespace trammel::analysis
