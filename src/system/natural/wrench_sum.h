// WrenchSum: forces on material points and vectors, added up for each joint and body at the joint's place.
//
// A force f on a material point gives the force f and the torque (r − r_place) × f; on a material vector w
// only the torque w × f.
#pragma once

#include <Eigen/Geometry>
#include <vector>

#include "system/natural/moving_places.h"
#include "system/natural/parts.h"

namespace trammel::system {

template <int D>
class WrenchSum {
 public:
  WrenchSum(const NaturalParts<D>& parts, const Motion<D>& m) : parts_(parts), motion_(m) {
    for (const ReactionPlace& reaction : parts.reactions) {
      start_.push_back(slots_.size());
      for (const auto& side : reaction.sides)
        slots_.push_back({side.body, place(reaction, side), Vec3::Zero(), Vec3::Zero()});
    }
    start_.push_back(slots_.size());
  }

  void act(int reaction, int body, bool is_point, const Vec3& at, const Vec3& force) {
    const auto r = static_cast<std::size_t>(reaction);
    for (std::size_t k = start_[r]; k < start_[r + 1]; ++k) {
      if (slots_[k].body != body) continue;
      if (is_point) slots_[k].force += force;
      slots_[k].torque += (is_point ? Vec3(at - slots_[k].place) : at).cross(force);
      return;
    }
  }

  const Vec3& force(std::size_t reaction, std::size_t side) const {
    return slots_[start_[reaction] + side].force;
  }
  const Vec3& torque(std::size_t reaction, std::size_t side) const {
    return slots_[start_[reaction] + side].torque;
  }

 private:
  struct Slot {
    int body;
    Vec3 place, force, torque;
  };

  Vec3 place(const ReactionPlace& reaction, const ReactionPlace::Side& side) const {
    if (reaction.contact >= 0)
      return std::get<std::vector<Slip<D>>>(parts_.constraints)[static_cast<std::size_t>(reaction.contact)]
          .contact(motion_.x);
    if (reaction.moving >= 0)
      return moving_frame(parts_, parts_.moving[static_cast<std::size_t>(reaction.moving)], motion_.x).at;
    const auto at = parts_.basis.find(side.body, true, side.at);
    return at ? math::widen<D>(at->form(motion_.x)) : Vec3(Vec3::Zero());
  }

  const NaturalParts<D>& parts_;
  const Motion<D>& motion_;
  std::vector<std::size_t> start_;  // of each reaction's slots, one per side
  std::vector<Slot> slots_;
};

}  // namespace trammel::system
