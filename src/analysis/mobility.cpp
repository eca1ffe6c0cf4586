#include "analysis/mobility.h"

#include <algorithm>
#include <optional>

#include "analysis/nearby_positions.h"
#include "formulations/matrices/dense_terms.h"
#include "linalg/rank.h"

namespace trammel::analysis {
namespace {

// The dense factorization takes about a second at this size.
constexpr int kDenseRows = 1500;

// Of the first rows, in the coordinates of the run.
int rank_at(const system::System& system, const State& state, int rows) {
  system::Terms terms = system.make_terms();
  system.evaluate(state, system::kAskPosition, terms);
  return linalg::rank_of_rows(formulations::scaled_rows(system, terms).topRows(rows),
                              formulations::kRankTolerance)
      .rank;
}

// Of the constraints that have a position level.
int position_rank(const system::System& system, const State& state, const Mobility& m) {
  const int rows = system.sizes().holonomic;
  if (rows == m.constraints) return m.rank;
  if (!m.known || rows == 0) return std::min(rows, m.unknowns);
  return rank_at(system, state, rows);
}

// Equations too many among some blocks.
int redundant_among(const std::vector<EquationBlock>& blocks, const std::vector<std::size_t>& members,
                    Eigen::Index columns) {
  std::vector<EquationBlock> some;
  int equations = 0;
  for (const std::size_t k : members) {
    some.push_back(blocks[k]);
    equations += blocks[k].equations;
  }
  return equations - rank_of(stacked(some, columns));
}

// Blocks that depend on each other; a block whose own equations do stands in a set as well.
std::vector<std::vector<std::size_t>> dependent_blocks(const std::vector<EquationBlock>& blocks,
                                                       Eigen::Index columns) {
  std::vector<std::size_t> block_of;
  for (std::size_t k = 0; k < blocks.size(); ++k)
    block_of.insert(block_of.end(), static_cast<std::size_t>(blocks[k].rows.rows()), k);
  std::vector<std::vector<std::size_t>> sets;
  const auto add = [&](std::vector<std::size_t> members) {
    // Sets that share a joint are one.
    for (std::size_t s = 0; s < sets.size();) {
      if (std::ranges::find_first_of(sets[s], members) == sets[s].end()) {
        ++s;
        continue;
      }
      members.insert(members.end(), sets[s].begin(), sets[s].end());
      sets.erase(sets.begin() + static_cast<long>(s));
    }
    std::ranges::sort(members);
    members.erase(std::unique(members.begin(), members.end()), members.end());
    sets.push_back(std::move(members));
  };
  if (const Eigen::MatrixXd all = stacked(blocks, columns); all.rows() > 0)
    for (const std::vector<int>& rows :
         linalg::dependent_rows(linalg::rank_of_rows(all, formulations::kRankTolerance))) {
      std::vector<std::size_t> members;
      for (const int r : rows) members.push_back(block_of[static_cast<std::size_t>(r)]);
      add(std::move(members));
    }
  for (std::size_t k = 0; k < blocks.size(); ++k)
    if (blocks[k].rows.rows() < blocks[k].equations) add({k});
  std::ranges::sort(sets);
  return sets;
}

struct Dependence {
  std::vector<EquationBlock> blocks;
  std::vector<std::vector<std::size_t>> sets;
  std::vector<int> redundant;  // equations too many in each set
  int all = 0;
};

Dependence dependence_at(const JointEquations& equations, const State& at) {
  Dependence found;
  found.blocks = equations.blocks(at);
  found.sets = dependent_blocks(found.blocks, equations.columns());
  for (const auto& members : found.sets) {
    found.redundant.push_back(redundant_among(found.blocks, members, equations.columns()));
    found.all += found.redundant.back();
  }
  return found;
}

// Which of the equations that are redundant here are so beside as well. Elsewhere the same redundancy may
// need more joints to be seen: sets that have a joint in common count.
int also_redundant(const std::vector<std::size_t>& members, int redundant, const Dependence& beside) {
  int also = 0;
  for (std::size_t s = 0; s < beside.sets.size(); ++s)
    if (std::ranges::find_first_of(members, beside.sets[s]) != members.end()) also += beside.redundant[s];
  return std::min(also, redundant);
}

void examine_redundancy(const JointEquations& equations, bool rheonomic, Mobility& m) {
  const Dependence here = dependence_at(equations, equations.start());
  const NearbyPositions nearby = nearby_positions(equations);
  // What drivers of a person's own coordinates hold still at one time may move with them.
  const bool held = equations.mechanism().generalized && rheonomic && m.degrees_of_freedom == 0;
  m.locked = nearby.stands_alone() && !held;
  // The one with the fewest.
  std::optional<Dependence> beside;
  for (const State& s : nearby.stands_alone() ? nearby.open : nearby.states)
    if (Dependence one = dependence_at(equations, s); !beside || one.all < beside->all)
      beside = std::move(one);
  int left = beside ? std::max(0, here.all - beside->all) : 0;
  for (std::size_t s = 0; s < here.sets.size(); ++s) {
    Mobility::DependentSet set;
    for (const std::size_t k : here.sets[s]) set.joints.push_back(here.blocks[k].name);
    set.redundant = here.redundant[s];
    if (beside)
      set.redundant_here =
          std::min(left, set.redundant - also_redundant(here.sets[s], set.redundant, *beside));
    left -= set.redundant_here;
    m.redundant_here += set.redundant_here;
    m.dependent_sets.push_back(std::move(set));
  }
  m.only_here = m.redundant_here > 0;
}

}  // namespace

Mobility mobility(const Simulation& simulation, const JointEquations& equations) {
  const system::System& system = simulation.system();
  const State& state = simulation.state();
  Mobility m;
  const int idle = static_cast<int>(system.idle_columns().size());
  for (const EndStop& stop : simulation.mechanism().stops)
    if (std::ranges::any_of(system.rows(), [&](const auto& row) { return row.name == stop.name; }))
      m.closed_stops.push_back(stop.name);
  m.unknowns = system.sizes().v;
  m.constraints = system.sizes().rows;
  m.velocity_constraints = system.sizes().rows - system.sizes().holonomic;
  m.known = m.constraints <= kDenseRows;
  if (!m.known)
    m.rank = std::min(m.constraints, m.unknowns);
  else if (m.constraints > 0)
    m.rank = rank_at(system, state, m.constraints);
  m.degrees_of_freedom = m.unknowns - idle - m.rank;
  m.position_freedom = m.unknowns - idle - position_rank(system, state, m);
  m.joint_equations = equations.count();
  m.redundant_constraints = m.joint_equations - (equations.free_motions() - m.degrees_of_freedom);
  m.examined = m.known && m.joint_equations <= kDenseRows;
  if (m.redundant_constraints > 0 && m.examined) examine_redundancy(equations, system.rheonomic(), m);
  return m;
}

Mobility mobility(const Simulation& simulation) { return mobility(simulation, JointEquations(simulation)); }

}  // namespace trammel::analysis
