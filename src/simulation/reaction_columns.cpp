#include "simulation/reaction_columns.h"

#include <cmath>
#include <limits>

#include "simulation/state_reader.h"

namespace trammel::simulation {
namespace {

// A mode whose inner forces are 1 moves a component when it gives it more than this: well over the rounding
// of a null space at an assembled position, well under any share that means something.
constexpr double kMoved = 1e-7;

// Visits what is written of a wrench, as ("force" or "joint_force", unit, components, values).
template <class Visit>
void for_each_vector(const system::Wrench& w, bool planar, ReactionAxes axes, Visit&& visit) {
  const char* force = planar ? "xy" : "xyz";
  const char* torque = planar ? "z" : "xyz";
  const auto torque_values = [&](const Vec3& t) { return planar ? Vec3(t.z(), 0, 0) : t; };
  if (axes != ReactionAxes::joint) {
    visit("force", "N", force, w.force);
    visit("torque", "N.m", torque, torque_values(w.torque));
  }
  if (axes != ReactionAxes::world) {
    visit("joint_force", "N", force, Vec3(w.axes.transpose() * w.force));
    visit("joint_torque", "N.m", torque, torque_values(w.axes.transpose() * w.torque));
  }
}

}  // namespace

ReactionColumns::ReactionColumns(bool planar, ReactionAxes axes, const system::System& system,
                                 const State& state, system::Terms& scratch)
    : planar_(planar), axes_(axes), length_scale_(system.length_scale()) {
  for (const system::Wrench& w : system.reactions(state, scratch)) describe(w);
  for (const system::Reading& r : system.efforts(state, scratch)) {
    const bool own = r.object.empty();
    columns_.push_back({own ? r.quantity : r.object,
                        {own ? "columns" : "joints/" + r.object, r.quantity, "", r.unit,
                         own ? r.quantity : r.object + "." + r.quantity, true}});
  }
}

void ReactionColumns::describe(const system::Wrench& w) {
  const std::string prefix = w.alone ? "" : w.body + ".";
  for_each_vector(w, planar_, axes_,
                  [&](const std::string& what, const char* unit, const std::string& components, const Vec3&) {
                    for (const char c : components)
                      columns_.push_back({w.joint,
                                          {"joints/" + w.joint, prefix + what, std::string(1, c), unit,
                                           w.joint + "." + prefix + what + "." + c, true}});
                  });
}

void ReactionColumns::append(std::span<const system::Wrench> wrenches,
                             std::span<const system::Reading> efforts, bool known,
                             std::vector<double>& row) const {
  constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
  for (const system::Wrench& w : wrenches) {
    const bool finite = known && w.force.allFinite() && w.torque.allFinite();
    for_each_vector(w, planar_, axes_,
                    [&](const char*, const char*, const std::string& components, const Vec3& values) {
                      for (std::size_t i = 0; i < components.size(); ++i)
                        row.push_back(finite ? values[static_cast<Eigen::Index>(i)] : kMissing);
                    });
  }
  for (const system::Reading& r : efforts)
    row.push_back(known && std::isfinite(r.value) ? r.value : kMissing);
}

std::vector<bool> ReactionColumns::unique(const formulations::ReactionFreedom& freedom) const {
  if (!freedom.examined) return {};
  std::vector<bool> unique(columns_.size(), true);
  std::vector<double> moved;
  for (const system::ReactionMode& mode : freedom.modes) {
    moved.clear();
    append(mode.wrenches, mode.efforts, true, moved);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const double size = columns_[c].channel.unit == "N.m" ? length_scale_ : 1;
      // A change that is not a number is no proof of uniqueness.
      if (!(std::abs(moved[c]) <= kMoved * size)) unique[c] = false;
    }
  }
  return unique;
}

ReactionCheck check_reactions(const Simulation& simulation, const State& state) {
  const system::System& system = simulation.reader(state).system();
  system::Terms terms = system.make_terms();
  const ReactionColumns columns(simulation.mechanism().is_planar, simulation.plan().reaction_axes, system,
                                state, terms);
  const formulations::ReactionFreedom freedom =
      formulations::ReactionExam(system, formulations::ReactionExam::kOnce).at(state, terms);
  const std::vector<bool> unique = columns.unique(freedom);
  ReactionCheck check{freedom.examined, {}};
  for (std::size_t c = 0; c < unique.size(); ++c) {
    const auto& [owner, channel] = columns.columns()[c];
    const bool has_owner = channel.name.size() > owner.size();
    check.entries.push_back({owner, has_owner ? channel.name.substr(owner.size() + 1) : "", unique[c]});
  }
  return check;
}

}  // namespace trammel::simulation
