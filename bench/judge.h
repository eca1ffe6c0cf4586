// Judge: how good a motion is, from the poses of its bodies alone, by the same measure for every code.
//
//   energy      largest change of kinetic + potential energy − work of constant torques, over the largest
//   kinetic energy gap         largest distance of what a joint holds together, or tilt of what it holds
//   parallel, lengths scaled to one trajectory  largest distance of the monitored point from the reference,
//   lengths scaled to one
//
// Engineering: energy < 0.1 %, gap < 1 mm, and the right branch: within 5 % of the reference at every sample,
// which a mechanism that locks, or leaves a singular position the wrong way, misses by far. Precise:
// trajectory < 1e-6, gap < 1e-9.
#pragma once

#include <array>
#include <string>

#include "code.h"

namespace trammel::bench {

struct Judgement {
  double energy = 0, gap = 0, trajectory = 0;
  std::string failure;  // why the motion has no end; empty: it has
};

struct Accuracy {
  const char* name;
  double energy, gap, trajectory;
  // How many times the motion is worse than allowed; below one: it meets it.
  double excess(const Judgement& motion) const;
};
inline constexpr std::array<Accuracy, 2> kAccuracies{
    {{"engineering", 1e-3, 1e-3, 0.05}, {"precise", 1e-3, 1e-9, 1e-6}}};

class Judge {
 public:
  explicit Judge(const Subject& subject);
  // At sample number k of the reference, in order.
  void see(std::size_t k, const std::vector<Pose>& poses);
  const Judgement& so_far() const { return judgement_; }

 private:
  Frame frame(const std::string& body, const std::vector<Pose>& poses) const;
  double energy(const std::vector<Pose>& poses) const;
  double gap(const std::vector<Pose>& poses) const;
  double joint_gap(const Joint& joint, const std::vector<Pose>& poses) const;
  void follow_torques(const std::vector<Pose>& poses);

  const Subject& subject_;
  std::map<std::string, std::size_t> index_;
  std::vector<double> angle_;  // of each body in the plane, unwrapped from sample to sample
  std::vector<Pose> last_;
  double start_energy_ = 0;
  Judgement judgement_;
};

}  // namespace trammel::bench
