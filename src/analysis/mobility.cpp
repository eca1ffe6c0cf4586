#include "analysis/mobility.h"

#include <algorithm>
#include <map>
#include <random>

#include "formulations/matrices/dense_terms.h"
#include "formulations/projection/assembly.h"
#include "linalg/rank.h"

namespace trammel::analysis {
namespace {

// The dense factorization takes about a second at this size.
constexpr int kDenseRows = 1500;
// How far, and how often, it looks aside to tell a singular position from a redundant design.
constexpr double kAside = 0.02;
constexpr int kLooksAside = 3;
// Every look came back to here: a position that stands alone. A singular one is found again to about 1e-4
// only.
constexpr double kNoMove = 1e-3;

// Of the first rows.
linalg::RankResult rank_at(const system::System& system, const State& state, int rows) {
  system::Terms terms = system.make_terms();
  system.evaluate(state, system::kAskPosition, terms);
  return linalg::rank_of_rows(formulations::scaled_rows(system, terms).topRows(rows),
                              formulations::kRankTolerance);
}

struct Aside {
  int rank = 0;         // largest seen
  double distance = 0;  // furthest position reached, lengths scaled to one
};

Aside look_aside(const system::System& system, const State& state) {
  Aside seen;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> part(-kAside, kAside);
  for (int look = 0; look < kLooksAside; ++look) {
    State aside = state;
    std::vector<double> move(aside.v.size());
    for (std::size_t k = 0; k < move.size(); ++k) move[k] = part(random) * system.coordinate_scale()[k];
    for (int k : system.idle_columns()) move[static_cast<std::size_t>(k)] = 0;
    system.retract(aside.q, move);
    const AssemblyReport assembled = formulations::assemble(system, aside);
    if (!assembled.open.empty()) continue;
    seen.rank = std::max(seen.rank, rank_at(system, aside, system.sizes().rows).rank);
    for (std::size_t k = 0; k < aside.q.size(); ++k)
      seen.distance = std::max(seen.distance, std::abs(aside.q[k] - state.q[k]) / system.position_scale()[k]);
  }
  return seen;
}

void name_sets(const system::System& system, const linalg::RankResult& rank, Mobility& m) {
  for (const std::vector<int>& set : linalg::dependent_rows(rank)) {
    Mobility::DependentSet named;
    for (int r : set)
      for (const std::string& joint : system.rows()[static_cast<std::size_t>(r)].joints)
        if (std::find(named.joints.begin(), named.joints.end(), joint) == named.joints.end())
          named.joints.push_back(joint);
    // Constraints too many: rows less the rank among them.
    Eigen::MatrixXd part(static_cast<Eigen::Index>(set.size()), rank.left_null.cols());
    for (std::size_t k = 0; k < set.size(); ++k)
      part.row(static_cast<Eigen::Index>(k)) = rank.left_null.row(set[k]);
    named.redundant = linalg::rank_of_rows(part, formulations::kRankTolerance).rank;
    m.dependent_sets.push_back(std::move(named));
  }
}

// Of the constraints that have a position level.
int position_rank(const system::System& system, const State& state, const Mobility& m) {
  const int rows = system.sizes().holonomic;
  if (rows == m.constraints) return m.rank;
  if (!m.known || rows == 0) return std::min(rows, m.unknowns);
  return rank_at(system, state, rows).rank;
}

}  // namespace

Mobility mobility(const system::System& system, const State& state) {
  Mobility m;
  const int idle = static_cast<int>(system.idle_columns().size());
  m.unknowns = system.sizes().v;
  m.constraints = system.sizes().rows;
  m.velocity_constraints = system.sizes().rows - system.sizes().holonomic;
  m.known = m.constraints <= kDenseRows;
  if (!m.known) {
    m.rank = std::min(m.constraints, m.unknowns);
  } else if (m.constraints > 0) {
    const linalg::RankResult rank = rank_at(system, state, m.constraints);
    m.rank = rank.rank;
    if (m.rank < m.constraints) {
      name_sets(system, rank, m);
      const Aside aside = look_aside(system, state);
      m.only_here = aside.rank > m.rank;
      // What drivers hold still at one time may move with them.
      m.locked = aside.distance < kNoMove && !(system.rheonomic() && m.rank + idle == m.unknowns);
    }
  }
  m.degrees_of_freedom = m.unknowns - idle - m.rank;
  m.position_freedom = m.unknowns - idle - position_rank(system, state, m);
  m.redundant_constraints = m.constraints - m.rank;
  return m;
}

}  // namespace trammel::analysis
